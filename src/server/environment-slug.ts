import { createHash } from "node:crypto";

const most = 24;
const suffixLength = 6;

/** The name of an environment as deployed servers put it into host names: where that loses something, with a suffix of its own. */
export function environmentSlug(name: string): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, "-");
  const slug = (/^[a-z]/.test(plain) ? plain : `env-${plain}`).replace(/-+/g, "-");
  if (slug === name && slug.length <= most) return slug.replace(/-$/, "");
  const start = slug.slice(0, most - suffixLength - 1).replace(/-$/, "");
  return `${start}-${suffixOf(name)}`;
}

function suffixOf(name: string): string {
  const hash = createHash("sha256").update(name).digest("hex");
  return BigInt(`0x${hash}`).toString(36).slice(-suffixLength);
}

import { addressMatcher, addressParts } from "../model/address.ts";
import type { Translation } from "./translation.ts";

/**
 * Translates a glob over addresses: unchanged if it matches the same integrations, renamed if it is
 * the name of one. Undefined if it would match others.
 */
export function translatedGlob(glob: string, { slugs, pairs }: Translation): string | undefined {
  const [project, rest] = addressParts(glob);
  const [, head = "", key = ""] = /^([^/]*\/)(.*)$/.exec(rest) ?? [];
  const name = slugs.get(key);
  if (name !== undefined && !glob.startsWith("storage:")) return `${project}:${head}${name}`;
  const matches = addressMatcher(`*:${rest}`);
  const means = (slug: string) => matches(`any:integration/${slug}`);
  const isSame = !glob.includes(":") || pairs.every(([was, is]) => means(was) === means(is));
  return isSame ? glob : undefined;
}

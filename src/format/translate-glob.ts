import { addressMatcher, addressParts } from "../model/address.ts";
import type { Translation } from "./translation.ts";

/**
 * A glob over addresses in other names: the same where it means the same integrations, the other name where it means
 * one by its name. Undefined where it would mean others.
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

import { addressMatcher } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { projectPart, projectTest, renamed } from "../model/identity.ts";
import { kindNames, kinds } from "../model/kinds.ts";
import type { Kind, Project } from "../model/types.ts";

/**
 * Why a `protected` glob protects nothing: no project is one that it means, or nothing that could be turned off there
 * has such a name. Undefined where it may protect something, be it live or not.
 */
export function whyIdle(glob: string, projects: readonly Project[], catalogue: Catalogue): string | undefined {
  if (!projects.some(projectTest(glob))) return "it matches no project that the policies select";
  const mayMatch = removable.some((kind) => mayMean(glob, kind, catalogue));
  return mayMatch ? undefined : `no ${removable.join(" or ")} has such a name`;
}

const removable = kindNames.filter((kind) => kinds[kind].calls[kinds[kind].removal] !== undefined);

function mayMean(glob: string, kind: Kind, catalogue: Catalogue): boolean {
  const rest = glob.slice(projectPart(glob).length + 1);
  const known = kinds[kind].known?.(catalogue);
  if (!glob.includes(":")) return true;
  if (known) return [...known.keys()].some((key) => addressMatcher(renamed(glob, "*"))(`any:${kind}/${key}`));
  const [head = "", ...key] = rest.split("/");
  return /[^\w]/.test(head) || (head.toLowerCase() === kind && key.length > 0);
}

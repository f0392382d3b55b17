import { addressMatcher } from "../model/address.ts";
import { integrations } from "../model/catalogue.ts";
import { projectPart, projectTest, renamed } from "../model/identity.ts";
import { kinds } from "../model/kinds.ts";
import type { Kind, Project } from "../model/types.ts";

/**
 * Why a `protected` glob protects nothing: no project is one that it means, or nothing that could be turned off there
 * has such a name. Undefined where it may protect something, be it live or not.
 */
export function whyIdle(glob: string, projects: readonly Project[]): string | undefined {
  if (!projects.some(projectTest(glob))) return "no project that the policies select is one that it means";
  const mayMatch = (Object.keys(kinds) as Kind[]).some((kind) => isRemovable(kind) && mayMean(glob, kind));
  return mayMatch ? undefined : "no integration or license has such a name";
}

function isRemovable(kind: Kind): boolean {
  const { calls, removal } = kinds[kind];
  return calls[removal] !== undefined;
}

/** All keys of a kind; undefined where any text may be one. */
const keysOf: Readonly<Record<Kind, readonly string[] | undefined>> = {
  integration: [...integrations.keys()],
  license: undefined,
  storage: undefined,
};

function mayMean(glob: string, kind: Kind): boolean {
  const rest = glob.slice(projectPart(glob).length + 1);
  const keys = keysOf[kind];
  if (!glob.includes(":")) return true;
  if (keys) return keys.some((key) => addressMatcher(renamed(glob, "*"))(`any:${kind}/${key}`));
  const [head = "", ...key] = rest.split("/");
  return /[^\w]/.test(head) || (head.toLowerCase() === kind && key.length > 0);
}

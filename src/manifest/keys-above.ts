import { grouped } from "../base/grouped.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { describeOwner, kindWord, ownerOfName } from "../model/owner.ts";
import type { Desired, Kind, Problem } from "../model/types.ts";
import { mergeAsWritten } from "./layers.ts";
import type { Policy } from "./policies.ts";
import { rules } from "./problem.ts";
import { namedProjects } from "./projects.ts";
import { type Layer, matchingLayers } from "./selection.ts";
import type { GlobSelector } from "./selector.ts";
import { isTemplate } from "./template.ts";

/** Resources declared for a folder: a project, a group, or everything that a glob selects. */
interface FolderResources {
  /** The folder, in lower case; of a project or group, its own path. */
  readonly path: string;
  /** The project, the group or the glob as written. */
  readonly name: string;
  readonly resources: readonly Desired[];
}

/**
 * Resources that both a group and a project or group below it declare, for kinds that servers do not create twice
 * (`uniqueAbove`). Only cases that are certain before the fleet is known: groups by their path, and projects and globs
 * in their folder. `byGlob`: the policies of each glob.
 */
export function keysAbove(
  policies: readonly Policy[],
  { kinds }: Catalogue,
  byGlob: () => ReadonlyMap<string, readonly Layer[]>,
): readonly Problem[] {
  if (!policies.some(({ of }) => of === "group")) return [];
  const isApart = (kind: Kind) => kinds.get(kind)?.file.uniqueAbove === true;
  const declaring = policies.filter((policy) => [...policy.kinds].some(isApart));
  if (!declaring.some(({ of }) => of === "group")) return [];
  const apart = ({ resources }: { readonly resources: readonly Desired[] }) =>
    resources.filter(({ kind, key, presence }) => isApart(kind) && presence === "present" && !isTemplate(key));
  const named = namedProjects(declaring).flatMap((project): readonly FolderResources[] => {
    const { name, path = "" } = project;
    const merged = mergeAsWritten(matchingLayers(policies, project), name);
    return path === "" ? [] : [{ name, path: path.toLowerCase(), resources: apart(merged) }];
  });
  const globs = [...byGlob()].map(([glob, layers]): FolderResources => {
    const alone = apart(mergeAsWritten(layers, glob)).filter((one) => !isDeclaredElsewhere(policies, layers, one));
    return { name: glob, path: `${findBase(glob, layers)}/`, resources: alone };
  });
  const groups = named.filter(({ path }) => ownerOfName(path) === "group");
  return groups.flatMap((group) => findRefused(group, [...named, ...globs]));
}

/** The folder of everything that a glob can match. */
function findBase(glob: string, layers: readonly Layer[]): string {
  const selectors = layers.flatMap(({ policy: { projects } }) => projects);
  const own = selectors.find(
    (each): each is GlobSelector => each.form === "glob" && each.written.toLowerCase() === glob,
  );
  return own?.base ?? "";
}

/** True if another policy, which may match some projects of the glob, also declares the resource. */
function isDeclaredElsewhere(
  policies: readonly Policy[],
  layers: readonly Layer[],
  { kind, identity }: Desired,
): boolean {
  const inside = new Set(layers.map(({ policy }) => policy));
  const others = policies.filter((policy) => !inside.has(policy) && policy.kinds.has(kind));
  return others.some(({ entries }) => entries.some(({ desired }) => desired.identity === identity));
}

function findRefused(group: FolderResources, all: readonly FolderResources[]): readonly Problem[] {
  const own = grouped(group.resources, identityBelow);
  const below = all.filter((each) => each !== group && each.path.startsWith(group.path));
  return below.flatMap(({ resources }) =>
    resources.flatMap((one) => (own.get(identityBelow(one)) ?? []).map((above) => toProblem(one, above, group))),
  );
}

/** The identity of a resource without its owner. */
function identityBelow({ identity }: Desired): string {
  return kindWord(identity);
}

function toProblem({ kind, key, origin }: Desired, above: Desired, { name }: FolderResources): Problem {
  const { file, line } = above.origin.place();
  const message = `${describeOwner(name)} has ${kindWord(kind)} ${key} by ${file}:${line}, and servers do not create it below a group that has it; declare it in one of the two`;
  const { severity } = rules["declared-above"];
  return { severity, rule: "declared-above", message, place: origin.place() };
}

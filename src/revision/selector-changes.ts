import { counted, firstFew } from "../base/text-format.ts";
import type { Policy } from "../manifest/policies.ts";
import { matchingLayers } from "../manifest/selection.ts";
import type { Selector } from "../manifest/selector.ts";
import { bareName } from "../model/owner.ts";
import type { Place, Project } from "../model/types.ts";

/** A policy that two revisions do not have in common, by its name; one that only one of them has is left out on the other side. */
export interface PolicyPair {
  readonly before?: Policy | undefined;
  readonly after?: Policy | undefined;
}

/** The policies that differ. */
export function changedPolicies(before: readonly Policy[], after: readonly Policy[]): readonly PolicyPair[] {
  const was = new Map(before.map((policy) => [policy.name, policy]));
  const is = new Map(after.map((policy) => [policy.name, policy]));
  const names = [...new Set([...was.keys(), ...is.keys()])];
  const pairs = names.map((name) => ({ before: was.get(name), after: is.get(name) }));
  return pairs.filter((pair) => pair.before !== pair.after);
}

/** A policy whose wildcards reach further, or which excepts less. */
export interface Widened {
  readonly message: string;
  readonly place: Place;
}

/** `projects`: all that there are, where they are known. */
export function widenedBy({ before, after }: PolicyPair, projects: readonly Project[] | undefined): readonly Widened[] {
  if (!before || !after) return [];
  const added = after.projects.flatMap((selector, index) => (isNew(selector, before.projects) ? [index] : []));
  const released = before.except.filter(({ written }) => after.except.every((each) => each.written !== written));
  if (added.length === 0 && released.length === 0) return [];
  const more = projects && reachedAnew(before, after, projects);
  if (more?.length === 0) return [];
  const words = [
    ...(added.length > 0
      ? [`now selects ${added.map((index) => bareName(after.projects[index]?.written ?? "")).join(", ")}`]
      : []),
    ...(released.length > 0
      ? [`excepts ${released.map(({ written }) => bareName(written)).join(", ")} no longer`]
      : []),
  ];
  const reach = more ? `: ${counted(more.length, after.of)} more (${firstFew(more)})` : "";
  const place = after.document.place(added[0] === undefined ? [after.selects] : [after.selects, added[0]]);
  return [{ message: `policy ${after.name} ${words.join(" and ")}${reach}`, place }];
}

function isNew(selector: Selector, before: readonly Selector[]): boolean {
  return selector.form === "glob" && !before.some((each) => covers(each, selector.written));
}

/** Whether a glob matches surely all that another does; where that is hard to tell, it counts as new. */
function covers(selector: Selector, glob: string): boolean {
  if (selector.written.toLowerCase() === glob.toLowerCase()) return true;
  if (selector.form !== "glob" || /[?[\]{}]/.test(glob)) return false;
  return selector.matches(glob.replaceAll("**", "x/y").replaceAll("*", "x"));
}

function reachedAnew(before: Policy, after: Policy, projects: readonly Project[]): readonly string[] {
  const [was, is] = [[before], [after]];
  const reaches = (policies: readonly Policy[], project: Project) => matchingLayers(policies, project).length > 0;
  return projects.filter((each) => reaches(is, each) && !reaches(was, each)).map(({ name }) => name);
}

/** What may change projects that only wildcards mean, and shows in no entry. */
export function unseenIn({ before, after }: PolicyPair): readonly Widened[] {
  const policy = after ?? before;
  const selectors = [...(before?.projects ?? []), ...(after?.projects ?? [])];
  if (!policy || !selectors.some(({ form }) => form === "glob")) return [];
  const excepts = after?.except.filter(({ written }) => !before?.except.some((each) => each.written === written)) ?? [];
  const except =
    before && excepts.length > 0 ? [`excepts ${excepts.map(({ written }) => bareName(written)).join(", ")}`] : [];
  const priority = before && after ? shifted("priority", before.priority, after.priority) : [];
  return [...changedVars(before, after), ...priority, ...except].map((what) => ({
    message: `policy ${policy.name}: ${what}, which may change any ${policy.of} that it selects`,
    place: policy.document.place(["name"]),
  }));
}

function changedVars(before: Policy | undefined, after: Policy | undefined): readonly string[] {
  const was = new Map(before?.vars.map(({ name, value }) => [name, value]));
  const is = new Map(after?.vars.map(({ name, value }) => [name, value]));
  const names = [...new Set([...was.keys(), ...is.keys()])];
  return names.flatMap((name) => shifted(`variable ${name}`, was.get(name), is.get(name)));
}

function shifted(what: string, before: unknown, after: unknown): readonly string[] {
  const shown = (value: unknown) => (value === undefined ? "(unset)" : JSON.stringify(value));
  return before === after ? [] : [`${what}: ${shown(before)} -> ${shown(after)}`];
}

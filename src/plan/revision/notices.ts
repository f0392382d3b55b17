import equal from "fast-deep-equal";
import { isObject } from "../../base/json.ts";
import { counted, firstFew, thousands } from "../../base/text-format.ts";
import type { Document } from "../../manifest/document.ts";
import type { Policy } from "../../manifest/policies.ts";
import { matchingLayers } from "../../manifest/selection.ts";
import type { Selector } from "../../manifest/selector.ts";
import { type Workspace, workspaceFile } from "../../manifest/workspace.ts";
import { resourceName } from "../../model/address.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { isDestination } from "../../model/integration.ts";
import { fieldOf, sectionNameOf } from "../../model/kinds.ts";
import { bareName, kindIn, type Owner } from "../../model/owner.ts";
import type { FieldSchema } from "../../model/resource-kind.ts";
import type { Place, Project, Value } from "../../model/types.ts";
import { isReference, referencesWithin } from "../../model/values.ts";
import { type Groupable, groupsOf, subjectOf } from "../groups.ts";
import { detailLines, loosening } from "../highlights.ts";
import type { RevisionChange } from "./compare-projects.ts";
import type { SettingChange } from "./setting-changes.ts";

type NoticeRule = "repointed" | "setting" | "widened-selector" | "unlisted" | EffectRule;

/** Something that a reviewer should look at first. */
export interface Notice {
  readonly rule: NoticeRule;
  readonly message: string;
  readonly place?: Place;
  /** Where it is about projects, each of them. */
  readonly projects?: readonly string[];
}

interface Found {
  readonly before: { readonly policies: readonly Policy[] };
  readonly after: {
    readonly policies: readonly Policy[];
    readonly settings?: Document | undefined;
    readonly workspace: Workspace;
  };
  readonly changes: readonly RevisionChange[];
  readonly settings: readonly SettingChange[];
  /** All projects, or all groups, where they are known. */
  readonly known: (owner: Owner) => readonly Project[] | undefined;
}

/** What goes elsewhere, reaches further, or is guarded less. */
export function noticesFor({ before, after, changes, settings, known }: Found): readonly Notice[] {
  const pairs = changedPolicies(before.policies, after.policies);
  return [
    ...settings.flatMap((setting) => settingNotice(setting, after.settings)),
    ...repointed(changes, after.workspace.catalogue),
    ...pairs
      .flatMap((pair) => widenedBy(pair, known(ownerOfPair(pair))))
      .map((each) => ({ rule: "widened-selector", ...each }) as const),
    ...pairs
      .filter((pair) => !known(ownerOfPair(pair)))
      .flatMap(unseenIn)
      .map((each) => ({ rule: "unlisted", ...each }) as const),
  ];
}

function ownerOfPair({ before, after }: PolicyPair): Owner {
  return (after ?? before)?.of ?? "project";
}

function settingNotice(change: SettingChange, document: Document | undefined): readonly Notice[] {
  if (change.alarm === undefined) return [];
  const path = change.setting.split(".");
  const place = change.place ?? document?.place(path, "key") ?? { file: workspaceFile, line: 1, column: 1 };
  return [{ rule: "setting", message: `${settingText(change)}: ${change.alarm}`, place }];
}

/** A setting as a sentence part: of a list, what it lost and what it gained. */
export function settingText({ setting, before, after }: SettingChange): string {
  if (!Array.isArray(before) || !Array.isArray(after)) return `${setting}: ${written(before)} -> ${written(after)}`;
  const lost = before.filter((each) => !after.some((other) => equal(each, other)));
  const gained = after.filter((each) => !before.some((other) => equal(each, other)));
  const words = [
    ...(lost.length > 0 ? [`without ${lost.map(item).join(", ")}`] : []),
    ...(gained.length > 0 ? [`with ${gained.map(item).join(", ")}`] : []),
  ];
  return `${setting}: ${words.join(", ") || "in another order"}`;
}

/** A value as people read it: a reference by its name, anything else as in JSON. */
function written(value: unknown): string {
  if (value === undefined || value === null) return "(unset)";
  if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`;
  return isObject(value) ? item(value) : JSON.stringify(value);
}

/** An entry of a list: a text as it is, an object as its keys and values. */
function item(value: unknown): string {
  if (!isObject(value)) return Array.isArray(value) ? value.map(item).join(" and ") : String(value);
  if (typeof value.secret === "string") return `(secret ${value.secret})`;
  return `(${Object.entries(value)
    .map(([key, each]) => `${key}: ${item(each)}`)
    .join("; ")})`;
}

interface Repointing {
  readonly change: RevisionChange;
  readonly name: string;
  readonly before: Value;
  readonly after: Value;
}

/** Secrets and destinations that were something else before: the same one of many projects is told once. */
function repointed(changes: readonly RevisionChange[], catalogue: Catalogue): readonly Notice[] {
  const found = changes.flatMap((change) => repointings(change, catalogue));
  return groupsOf(found, repointingView).map(({ members: [{ change, name }], projects, shared }): Notice => {
    const message = `${change.key} ${name}: ${written(shared.before?.[name])} -> ${written(shared.after?.[name])}`;
    return { rule: "repointed", message, place: change.source, projects };
  });
}

/** Wherever it is stated: a fleet may have a file for each project. */
function repointingView({ change, name, before, after }: Repointing): Groupable {
  const { project, kind, key } = change;
  const values = { before: { [name]: before }, after: { [name]: after } };
  const source = { file: "", line: 0, column: 0 };
  return {
    project,
    subject: resourceName(kind, key),
    action: "edit",
    removes: false,
    sentences: [],
    source,
    ...values,
  };
}

function repointings(change: RevisionChange, catalogue: Catalogue): readonly Repointing[] {
  const { action, before, after } = change;
  if (action !== "edit" || !before || !after) return [];
  return Object.entries(after).flatMap(([name, value]) => {
    const was = before[name] ?? null;
    return isRepointed(fieldOf(catalogue, { ...change, kind: kindIn(change) }, name) ?? {}, was, value)
      ? [{ change, name, before: was, after: value }]
      : [];
  });
}

/** A version that is bumped sends the same secret again. */
function isRepointed(field: FieldSchema, before: Value, after: Value): boolean {
  if (isReference(before) && isReference(after) && before.secret === after.secret)
    return before.version === after.version;
  const isSecret = [before, after].some((value) => referencesWithin(value).length > 0);
  return isSecret || field.writeOnly === true || isDestination(field);
}

/** A policy that two revisions do not have in common, by its name; one that only one of them has is left out on the other side. */
interface PolicyPair {
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
interface Widened {
  readonly message: string;
  readonly place: Place;
}

/** `projects`: all that there are, where they are known. */
function widenedBy({ before, after }: PolicyPair, projects: readonly Project[] | undefined): readonly Widened[] {
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
function unseenIn({ before, after }: PolicyPair): readonly Widened[] {
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

type EffectRule = "loosened" | "lost-notifications" | "moved-notifications" | "disabled" | "exclusive";

/** What changes of several projects come to, in one sentence with the count. */
interface Effect {
  readonly rule: EffectRule;
  readonly message: string;
}

interface Topic {
  readonly rule: EffectRule;
  readonly holds: (change: RevisionChange) => boolean;
  readonly says: (count: number) => string;
  readonly word: (change: RevisionChange, catalogue: Catalogue) => string;
}

const topics: readonly Topic[] = [
  {
    rule: "loosened",
    holds: ({ policy_effect }) => policy_effect === "loosened",
    says: (count) => `${counted(count, "change")} ${count === 1 ? "loosens" : "loosen"} the policy`,
    word: (change, catalogue) => loosening({ ...change, kind: kindIn(change) }, catalogue),
  },
  {
    rule: "lost-notifications",
    holds: ({ lost_notifications }) => lost_notifications !== undefined,
    says: (count) => `${counted(count, "change")} ${count === 1 ? "stops" : "stop"} notifications`,
    word: ({ lost_notifications = [] }) => lost_notifications.join(", "),
  },
  {
    rule: "moved-notifications",
    holds: ({ moved_notifications }) => moved_notifications !== undefined,
    says: (count) => `${counted(count, "change")} ${count === 1 ? "moves" : "move"} notifications`,
    word: ({ moved_notifications = [] }) => moved_notifications.join(", "),
  },
  {
    rule: "disabled",
    holds: ({ action }) => action === "disable",
    says: (count) => `${thousands(count)} to disable`,
    word: subjectOf,
  },
  {
    rule: "exclusive",
    holds: ({ action, key }) => action === "declare" && key === "*",
    says: () => "whatever is live and not listed is removed",
    word: (change, catalogue) => sectionNameOf(catalogue, kindIn(change)),
  },
];

/** How many changes loosen a policy, stop notifications and turn things off; the gravest first. */
export function revisionEffects(changes: readonly RevisionChange[], catalogue: Catalogue): readonly Effect[] {
  return topics.flatMap(({ rule, holds, says, word }) => {
    const those = changes.filter(holds);
    if (those.length === 0) return [];
    const details = detailLines(those, (change) => word(change, catalogue));
    return [{ rule, message: `${says(those.length)}: ${details.join("; ")}` }];
  });
}

import equal from "fast-deep-equal";
import { grouped } from "../../base/grouped.ts";
import { isObject } from "../../base/json.ts";
import { hostsIn } from "../../base/origins.ts";
import { counted, firstFew } from "../../base/text-format.ts";
import type { Document } from "../../manifest/document.ts";
import type { Policy } from "../../manifest/policies.ts";
import { isSelected } from "../../manifest/selection.ts";
import { covers, type Selector } from "../../manifest/selector.ts";
import { type Workspace, workspaceFile } from "../../manifest/workspace.ts";
import { resourceName } from "../../model/address.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { isDestination } from "../../model/integration.ts";
import { fieldOf, sectionNameOf } from "../../model/kinds.ts";
import { bareName, kindIn, type Owner } from "../../model/owner.ts";
import { type FieldSchema, keyFieldsOf, keyValuesOf } from "../../model/resource-kind.ts";
import type { Place, Project, Value } from "../../model/types.ts";
import { isReference, referencesWithin } from "../../model/values.ts";
import { groupsOf } from "../groups.ts";
import { detailLines, type Highlight, highlightLine, highlightsOf } from "../highlights.ts";
import type { RevisionChange } from "./compare-projects.ts";
import type { SettingChange } from "./setting-changes.ts";

export interface Notice {
  readonly rule: "repointed" | "setting" | "widened-selector" | "unlisted" | "exclusive" | Highlight["topic"];
  readonly message: string;
  readonly place?: Place;
  readonly projects?: readonly string[];
}

interface Compared {
  readonly before: { readonly policies: readonly Policy[] };
  readonly after: {
    readonly policies: readonly Policy[];
    readonly settings?: Document | undefined;
    readonly workspace: Workspace;
  };
  readonly changes: readonly RevisionChange[];
  /** Changes of policies whose wildcards changed too, which no project's changes contain. */
  readonly hidden: readonly RevisionChange[];
  readonly settings: readonly SettingChange[];
  /** All projects, or all groups, if they are listed. */
  readonly known: (owner: Owner) => readonly Project[] | undefined;
}

export function noticesFor({ before, after, changes, hidden, settings, known }: Compared): readonly Notice[] {
  const { catalogue } = after.workspace;
  const pairs = changedPolicies(before.policies, after.policies).map((pair) => {
    return { pair, projects: known((pair.after ?? pair.before)?.of ?? "project") };
  });
  return [
    ...settings.flatMap((setting) => settingNotice(setting, after.settings)),
    ...findRepointed([...changes, ...hidden], catalogue),
    ...pairs.flatMap(({ pair, projects }) => findWidened(pair, projects)),
    ...pairs.flatMap(({ pair, projects }) => (projects ? [] : findUnseen(pair))),
    ...effectNotices(changes, catalogue),
  ];
}

function settingNotice(change: SettingChange, document: Document | undefined): readonly Notice[] {
  if (change.alarm === undefined) return [];
  const path = change.setting.split(".");
  const place = change.place ?? document?.place(path, "key") ?? { file: workspaceFile, line: 1, column: 1 };
  return [{ rule: "setting", message: `${settingText(change)}: ${change.alarm}`, place }];
}

/** A setting as part of a sentence; for a list, its removed and added items. */
export function settingText({ setting, before, after }: SettingChange): string {
  if (!Array.isArray(before) || !Array.isArray(after))
    return `${setting}: ${formatValue(before)} -> ${formatValue(after)}`;
  const lost = before.filter((each) => !after.some((other) => equal(each, other)));
  const gained = after.filter((each) => !before.some((other) => equal(each, other)));
  const words = [
    ...(lost.length > 0 ? [`without ${lost.map(formatItem).join(", ")}`] : []),
    ...(gained.length > 0 ? [`with ${gained.map(formatItem).join(", ")}`] : []),
  ];
  return `${setting}: ${words.join(", ") || "in another order"}`;
}

/** A value for people: a reference by its name, anything else as JSON. */
function formatValue(value: unknown): string {
  if (value === undefined || value === null) return "(unset)";
  if (Array.isArray(value)) return `[${value.map(formatValue).join(", ")}]`;
  return isObject(value) ? formatItem(value) : JSON.stringify(value);
}

/** An item of a list: text unchanged, an object as keys and values. */
function formatItem(value: unknown): string {
  if (!isObject(value)) return Array.isArray(value) ? value.map(formatItem).join(" and ") : String(value);
  if (typeof value.secret === "string") return `(secret ${value.secret})`;
  return `(${Object.entries(value)
    .map(([key, each]) => `${key}: ${formatItem(each)}`)
    .join("; ")})`;
}

/** Changed secrets and destinations; equal ones of many projects are joined, whichever lines declare them. */
function findRepointed(changes: readonly RevisionChange[], catalogue: Catalogue): readonly Notice[] {
  const found = [
    ...changes.flatMap((change) => listRepointings(change, catalogue)),
    ...findMovedKeys(changes, catalogue),
  ];
  const groups = groupsOf(found, ({ change: { project, kind, key }, name, before, after }) => ({
    ...{ project, subject: resourceName(kind, key), action: "edit", removes: false, sentences: [] },
    ...{ before: { [name]: before }, after: { [name]: after }, source: { file: "", line: 0, column: 0 } },
  }));
  return groups.map(({ members: [{ change, name, subject = change.key }], projects, shared }) => {
    const message = `${subject} ${name}: ${formatValue(shared.before?.[name])} -> ${formatValue(shared.after?.[name])}`;
    return { rule: "repointed", message, place: change.source, projects };
  });
}

/** A field that receives other data, or sends it elsewhere. */
interface Repointing {
  readonly change: RevisionChange;
  /** The resource, if not by its key. */
  readonly subject?: string;
  readonly name: string;
  readonly before: Value;
  readonly after: Value;
}

/** Resources whose key is a destination, in place of one of another host: `webhook url: OLD -> NEW`. */
function findMovedKeys(changes: readonly RevisionChange[], catalogue: Catalogue): readonly Repointing[] {
  const withUrls = changes.flatMap((change) => {
    const file = catalogue.kinds.get(kindIn(change))?.file;
    const name = file && keyFieldsOf(file).find((each) => isDestination(file.fields.properties[each] ?? {}));
    return file && name !== undefined ? [{ change, name, url: keyValuesOf(file, change.key)[name] ?? "" }] : [];
  });
  const pairs = grouped(withUrls, ({ change: { project, kind } }) => `${project} ${kind}`);
  return [...pairs.values()].flatMap((same) => {
    const gone = same.filter(({ change: { action } }) => action === "withdraw" || action === "disable");
    const [before] = gone;
    if (!before) return [];
    const hosts = new Set(gone.flatMap(({ url }) => hostsIn(url)));
    return same
      .filter(({ change, url }) => change.action === "declare" && !hostsIn(url).every((host) => hosts.has(host)))
      .map(({ change, name, url }) => ({ change, subject: change.kind, name, before: before.url, after: url }));
  });
}

function listRepointings(change: RevisionChange, catalogue: Catalogue): readonly Repointing[] {
  const { action, before, after } = change;
  if (action !== "edit" || !before || !after) return [];
  return Object.entries(after).flatMap(([name, value]) => {
    const was = before[name] ?? null;
    const field = fieldOf(catalogue, { ...change, kind: kindIn(change) }, name) ?? {};
    return isRepointed(field, was, value) ? [{ change, name, before: was, after: value }] : [];
  });
}

/** A new version of a secret is still the same secret. */
function isRepointed(field: FieldSchema, before: Value, after: Value): boolean {
  if (isReference(before) && isReference(after) && before.secret === after.secret)
    return before.version === after.version;
  const isSecret = [before, after].some((value) => referencesWithin(value).length > 0);
  return isSecret || (field.writeOnly === true && !field["x-returned"]) || isDestination(field);
}

/** A changed policy by name; undefined on the side that lacks it. */
interface PolicyPair {
  readonly before?: Policy | undefined;
  readonly after?: Policy | undefined;
}

export function changedPolicies(before: readonly Policy[], after: readonly Policy[]): readonly PolicyPair[] {
  const was = new Map(before.map((policy) => [policy.name, policy]));
  const is = new Map(after.map((policy) => [policy.name, policy]));
  const names = [...new Set([...was.keys(), ...is.keys()])];
  const pairs = names.map((name) => ({ before: was.get(name), after: is.get(name) }));
  return pairs.filter((pair) => pair.before !== pair.after);
}

/** A policy with wider wildcards or fewer exceptions. `projects`: all projects, if listed. */
function findWidened({ before, after }: PolicyPair, projects: readonly Project[] | undefined): readonly Notice[] {
  if (!before || !after) return [];
  const added = after.projects.flatMap((selector, index) => {
    const isNew = selector.form === "glob" && !before.projects.some((each) => covers(each, selector));
    return isNew ? [index] : [];
  });
  const released = before.except.filter(({ written }) => after.except.every((each) => each.written !== written));
  if (added.length === 0 && released.length === 0) return [];
  // One array each: the index of selectors is cached by it.
  const [was, is] = [[before], [after]];
  const more = projects?.filter((each) => isSelected(is, each) && !isSelected(was, each)).map(({ name }) => name);
  if (more?.length === 0) return [];
  const names = added.map((index) => bareName(after.projects[index]?.written ?? "")).join(", ");
  const words = [
    ...(names === "" ? [] : [`now selects ${names}`]),
    ...(released.length > 0
      ? [`excepts ${released.map(({ written }) => bareName(written)).join(", ")} no longer`]
      : []),
  ];
  const reach = more ? `: ${counted(more.length, after.of)} more (${firstFew(more)})` : "";
  const place = after.document.place(added[0] === undefined ? [after.selects] : [after.selects, added[0]]);
  return [{ rule: "widened-selector", message: `policy ${after.name} ${words.join(" and ")}${reach}`, place }];
}

/** Changes of a policy that no entry shows, and that may affect projects matched only by wildcards. */
function findUnseen({ before, after }: PolicyPair): readonly Notice[] {
  const policy = after ?? before;
  const selectors = [...(before?.projects ?? []), ...(after?.projects ?? [])];
  if (!policy || !selectors.some(({ form }) => form === "glob")) return [];
  const partsOf = (each: Policy | undefined) =>
    new Map<string, unknown>([
      ...(each?.vars ?? []).map(({ name, value }) => [`variable ${name}`, value] as const),
      ...(before && after && each
        ? Object.entries({ priority: each.priority, enforce: each.enforce, archived: each.includesArchived })
        : []),
    ]);
  const [was, is] = [partsOf(before), partsOf(after)];
  const differing = [...new Map([...was, ...is]).keys()].filter((name) => was.get(name) !== is.get(name));
  const shifts = differing.map((name) => `${name}: ${formatValue(was.get(name))} -> ${formatValue(is.get(name))}`);
  const isNew = ({ written }: Selector) => !before?.except.some((each) => each.written === written);
  const excepts = before ? (after?.except ?? []).filter(isNew).map(({ written }) => bareName(written)) : [];
  const words = [...shifts, ...(excepts.length > 0 ? [`excepts ${excepts.join(", ")}`] : [])];
  return words.map((what): Notice => {
    const message = `policy ${policy.name}: ${what}, which may change any ${policy.of} that it selects`;
    return { rule: "unlisted", message, place: policy.document.place(["name"]) };
  });
}

/** The highlights of a plan: changes that loosen a policy, stop notifications or disable resources. */
function effectNotices(changes: readonly RevisionChange[], catalogue: Catalogue): readonly Notice[] {
  const effective = changes.flatMap((each) => {
    const { action, before, after } = each;
    if (action === "withdraw" || each.key === "*") return [];
    const actions = [({ disable: "disable", edit: "update", declare: "create" } as const)[action]] as const;
    return [{ ...each, change: { actions, before, after, after_sensitive: {} } }];
  });
  const exclusive = changes.filter(({ action, key }) => action === "declare" && key === "*");
  const details = detailLines(exclusive, (change) => sectionNameOf(catalogue, kindIn(change)));
  const title = "whatever is live and not listed is removed";
  return [
    ...highlightsOf(effective, catalogue).map((each): Notice => ({ rule: each.topic, message: highlightLine(each) })),
    ...(details.length > 0 ? [{ rule: "exclusive", message: highlightLine({ title, details }) } as const] : []),
  ];
}

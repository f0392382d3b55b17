import equal from "fast-deep-equal";
import { isObject } from "../base/json.ts";
import type { Document } from "../manifest/document.ts";
import type { Policy } from "../manifest/policies.ts";
import { type Workspace, workspaceFile } from "../manifest/workspace.ts";
import { resourceName } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { Column } from "../model/integration.ts";
import { columnOf } from "../model/kinds.ts";
import { kindIn, type Owner } from "../model/owner.ts";
import type { Place, Project, Value } from "../model/types.ts";
import { isReference, referencesWithin } from "../model/values.ts";
import { type Groupable, groupsOf } from "../plan/groups.ts";
import type { RevisionChange } from "./compare-projects.ts";
import type { EffectRule } from "./effects.ts";
import { changedPolicies, type PolicyPair, unseenIn, widenedBy } from "./selector-changes.ts";
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
    return isRepointed(columnOf(catalogue, { ...change, kind: kindIn(change) }, name), was, value)
      ? [{ change, name, before: was, after: value }]
      : [];
  });
}

/** A version that is bumped sends the same secret again. */
function isRepointed(column: Column | undefined, before: Value, after: Value): boolean {
  if (isReference(before) && isReference(after) && before.secret === after.secret)
    return before.version === after.version;
  const isSecret = [before, after].some((value) => referencesWithin(value).length > 0);
  return isSecret || column?.secret === true || column?.destination === true;
}

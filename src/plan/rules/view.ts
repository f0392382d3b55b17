import { objectOf } from "../../base/json.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { defaultValue } from "../../model/field-meaning.ts";
import { fullPathOf, renamed } from "../../model/identity.ts";
import { defaultFields } from "../../model/policy-effect.ts";
import { alternativesIn, keyValuesOf, type ResourceKind } from "../../model/resource-kind.ts";
import type { Fields, Project, Value } from "../../model/types.ts";
import { definedFields, isReference, isScalar, referencesWithin } from "../../model/values.ts";
import { type PlannedChange, type Summary, visibleOf } from "../plan.ts";

/** The properties of a change in rules, with their CEL types. */
export const changeFields = {
  address: "string",
  project: "string",
  project_id: "int",
  kind: "string",
  key: "string",
  action: "string",
  before: "map<string, dyn>",
  after: "map<string, dyn>",
  texts: "list<string>",
  secrets: "list<string>",
  policy_effect: "string",
  lost_notifications: "list<string>",
  moved_notifications: "list<string>",
  reason: "string",
  action_reason: "string",
  file: "string",
} as const;

/** The properties of a plan in rules: its counts, without changes that the rule excepts. */
export const summaryFields = {
  projects: "int",
  changed_projects: "int",
  live: "int",
  create: "int",
  update: "int",
  replace: "int",
  disable: "int",
  delete: "int",
  tightened: "int",
  loosened: "int",
  lost_notifications: "int",
  unmanaged: "int",
  unverified: "int",
} as const;

export const planFields = { changes: "list<Change>", summary: "Summary" } as const;

/** The fields of a missing side: empty, and the only mapping that equals null. */
export const nothing: CelFields = {};

type CelFields = Readonly<Record<string, unknown>>;

/**
 * A change in rules. Address and project are those of the server, however manifests name the project: an ID, or a path
 * in capitals, must not bypass a rule on paths.
 */
export class ChangeView {
  readonly address: string;
  /** The full path, or the name in the plan if it is unknown. */
  readonly project: string;
  /** 0 if unknown. */
  readonly project_id: bigint;
  readonly kind: string;
  readonly key: string;
  readonly action: string;
  readonly before: CelFields;
  readonly after: CelFields;
  /** The strings in `after`, at any depth; without references to secrets. */
  readonly texts: readonly string[];
  /** The references to secrets in `after`, at any depth. */
  readonly secrets: readonly string[];
  /** Empty if the change neither tightens nor loosens. */
  readonly policy_effect: string;
  /** Lost events, in sentences; empty if none are known. */
  readonly lost_notifications: readonly string[];
  /** Moved events; empty if none are known. */
  readonly moved_notifications: readonly string[];
  /** The `reason` of the deciding policy; empty if it gives none. */
  readonly reason: string;
  readonly action_reason: string;
  readonly file: string;
  /** The planned change, which is not visible to rules. */
  readonly listed: string;
  readonly isPathKnown: boolean;

  constructor(planned: PlannedChange, { projectOf, catalogue }: ChangeContext) {
    const named = projectOf(planned.project);
    const { action, before, after, policyEffect = "", ...rest } = visibleOf(planned);
    const file = catalogue.kinds.get(rest.kind)?.file;
    const keys = file ? keyFieldsAsRead(file, rest.key) : {};
    const filledIn = file && action === "create" ? filledFields(file, after ?? {}) : {};
    const path = fullPathOf(named);
    this.listed = rest.address;
    this.isPathKnown = path !== undefined;
    this.project = path ?? planned.project;
    this.address = renamed(rest.address, this.project);
    this.project_id = BigInt(named.id ?? 0);
    this.kind = planned.kind;
    this.key = rest.key;
    this.action = action;
    this.before = celFields(before && { ...before, ...keys });
    const sent = after && { ...filledIn, ...after, ...keys };
    this.after = celFields(sent);
    this.texts = sent ? Object.values(sent).flatMap(stringsIn) : [];
    this.secrets = sent
      ? Object.values(sent)
          .flatMap(referencesWithin)
          .map(({ secret }) => secret)
      : [];
    this.policy_effect = policyEffect;
    this.lost_notifications = planned.lost_notifications ?? [];
    this.moved_notifications = planned.moved_notifications ?? [];
    this.reason = planned.policy_reason ?? "";
    this.action_reason = planned.action_reason;
    this.file = planned.source.file;
  }
}

interface ChangeContext {
  readonly projectOf: (name: string) => Project;
  readonly catalogue: Catalogue;
}

/** The key of a resource by field, numbers as numbers. */
function keyFieldsAsRead(file: ResourceKind, key: string): Fields {
  return definedFields(keyValuesOf(file, key), (name, text) =>
    file.fields.properties[name]?.type === "integer" ? Number(text) : text,
  );
}

/** The defaults that a creation leaves to the server, in the words of manifests. */
function filledFields(file: ResourceKind, declared: Fields): Fields {
  const excluded = new Set(
    alternativesIn(file.fields).flatMap((group) => (group.some((name) => name in declared) ? group : [])),
  );
  const names = Object.keys(defaultFields(file)).filter((name) => !excluded.has(name));
  return objectOf(names, (name) => defaultValue(file, name));
}

/** The counts of a plan that do not follow from its changes. */
export type CountsOfPlan = Pick<Summary, "projects" | "live" | "unmanaged" | "unverified">;

/** The counts of a plan in rules: a member for each of `summaryFields`. */
export class SummaryView {
  constructor(counts: Readonly<Record<keyof typeof summaryFields, number>>) {
    Object.assign(this, Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, BigInt(count)])));
  }
}

function summarize(counts: CountsOfPlan, changes: readonly ChangeView[]): SummaryView {
  const { projects, live, unmanaged, unverified } = counts;
  const having = (key: "action" | "policy_effect", value: string) =>
    changes.filter((change) => change[key] === value).length;
  return new SummaryView({
    ...{ projects, live, unmanaged, unverified },
    changed_projects: new Set(changes.map(({ project }) => project)).size,
    create: having("action", "create"),
    update: having("action", "update"),
    replace: having("action", "replace"),
    disable: having("action", "disable"),
    delete: having("action", "delete"),
    tightened: having("policy_effect", "tightened"),
    loosened: having("policy_effect", "loosened"),
    lost_notifications: changes.filter((change) => change.lost_notifications.length > 0).length,
  });
}

export class PlanView {
  readonly changes: readonly ChangeView[];
  readonly summary: SummaryView;

  constructor(summary: CountsOfPlan, changes: readonly ChangeView[]) {
    this.changes = changes;
    this.summary = summarize(summary, changes);
  }
}

function celFields(fields: Fields | null): CelFields {
  if (fields === null) return nothing;
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, celValue(value)]));
}

/** A whole number is an int, as in an expression; a secret is a mapping with its reference. */
function celValue(value: Value): unknown {
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  if (isScalar(value)) return value;
  if (Array.isArray(value)) return value.map(celValue);
  return celFields({ ...value } as Fields);
}

function stringsIn(value: Value): readonly string[] {
  if (typeof value === "string") return [value];
  return isScalar(value) || isReference(value) ? [] : Object.values(value).flatMap(stringsIn);
}

import { celEnvironment, type Language } from "../../base/cel.ts";
import { objectOf } from "../../base/json.ts";
import { memoized } from "../../base/memoize.ts";
import { didYouMean } from "../../base/nearest.ts";
import { hostsIn, originsIn } from "../../base/origins.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { defaultValue } from "../../model/field-meaning.ts";
import { fullPathOf, renamed } from "../../model/identity.ts";
import { defaultFields } from "../../model/policy-effect.ts";
import { alternativesIn, keyValuesOf, type ResourceKind } from "../../model/resource-kind.ts";
import type { Fields, Project, Value } from "../../model/types.ts";
import { definedFields, isReference, isScalar, referencesWithin } from "../../model/values.ts";
import { actionOf, countsOf, effectsOf, type PlannedChange, type Summary, visibleOf } from "../plan.ts";

/** The properties of a change in rules, with their CEL types. */
const changeFields = {
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
const summaryFields = {
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

const planFields = { changes: "list<Change>", summary: "Summary" } as const;

/** The fields of a missing side: empty, and the only mapping that equals null. */
const nothing: CelFields = {};

type CelFields = Readonly<Record<string, unknown>>;

/** A change in rules: a member for each of `changeFields`. */
export class ChangeView {
  constructor(members: Readonly<Record<keyof typeof changeFields, unknown>>) {
    Object.assign(this, members);
  }
}

/** A planned change, and its properties in rules. */
export interface ChangeSubject {
  readonly planned: PlannedChange;
  /** The full path; undefined if it is unknown. */
  readonly path: string | undefined;
  readonly view: ChangeView;
}

/**
 * The properties of a change in rules. Address and project are those of the server, however manifests name the project:
 * an ID, or a path in capitals, must not bypass a rule on paths.
 */
export function changeSubject(planned: PlannedChange, { projectOf, catalogue }: ChangeContext): ChangeSubject {
  const named = projectOf(planned.project);
  const { action, before, after, policyEffect = "", address, kind, key } = visibleOf(planned);
  const file = catalogue.kinds.get(kind)?.file;
  const keys = file ? keyFieldsAsRead(file, key) : {};
  const filledIn = file && action === "create" ? filledFields(file, after ?? {}) : {};
  const path = fullPathOf(named);
  const project = path ?? planned.project;
  const sent = after && { ...filledIn, ...after, ...keys };
  const values = Object.values(sent ?? {});
  const view = new ChangeView({
    address: renamed(address, project),
    project,
    project_id: BigInt(named.id ?? 0),
    kind: planned.kind,
    key,
    action,
    before: celFields(before && { ...before, ...keys }),
    after: celFields(sent),
    texts: values.flatMap(stringsIn),
    secrets: values.flatMap(referencesWithin).map(({ secret }) => secret),
    policy_effect: policyEffect,
    lost_notifications: planned.lost_notifications ?? [],
    moved_notifications: planned.moved_notifications ?? [],
    reason: planned.policy_reason ?? "",
    action_reason: planned.action_reason,
    file: planned.source.file,
  });
  return { planned, path, view };
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
class SummaryView {
  constructor(counts: Readonly<Record<keyof typeof summaryFields, number>>) {
    Object.assign(this, Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, BigInt(count)])));
  }
}

/** A plan in rules: a member for each of `planFields`. */
export class PlanView {
  readonly changes: readonly ChangeView[];
  readonly summary: SummaryView;

  constructor({ projects, live, unmanaged, unverified }: CountsOfPlan, subjects: readonly ChangeSubject[]) {
    const planned = subjects.map((subject) => subject.planned);
    this.changes = subjects.map(({ view }) => view);
    this.summary = new SummaryView({
      ...{ projects, live, unmanaged, unverified, replace: 0 },
      changed_projects: new Set(subjects.map(({ planned: { project }, path = project }) => path)).size,
      ...countsOf(planned.map(actionOf)),
      ...effectsOf(planned),
    });
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

const names = [...Object.keys(changeFields), ...Object.keys(summaryFields), ...Object.keys(planFields)];

/** The language of rules on changes or on plans. */
export const ruleLanguage = memoized((root: "change" | "plan"): Language => {
  const other = root === "plan" ? "change" : "plan";
  const fields = {
    change: Object.keys(changeFields).join(", "),
    plan: "changes, summary, the fields of a change, or a count of the summary",
  }[root];
  const environment = celEnvironment()
    .registerType("Change", { ctor: ChangeView, fields: { ...changeFields } })
    .registerType("Summary", { ctor: SummaryView, fields: { ...summaryFields } })
    .registerType("Plan", { ctor: PlanView, fields: { ...planFields } })
    .registerOperator("map == null", (fields: unknown) => fields === nothing)
    .registerFunction("string.origins(): list<string>", (text: string) => [...originsIn(text)])
    .registerFunction("string.hosts(): list<string>", (text: string) => [...hostsIn(text)])
    .registerVariable(root, root === "change" ? "Change" : "Plan");
  return {
    environment,
    explain: (code, word, isRunning) => {
      if (code === "unknown_variable" && word === other) return `${word} is only known with on: ${word}`;
      if (code === "unknown_variable")
        return `unknown name ${word}${didYouMean(word, [root]) || `; a rule on a ${root} knows ${root}`}`;
      if (code !== "no_such_key") return undefined;
      return `there is no ${word}${isRunning ? "" : didYouMean(word, names) || `; expected one of ${fields}`}`;
    },
  };
});

import { isObject, type JsonObject } from "../../base/json.ts";
import { memoized } from "../../base/memoize.ts";
import { compareTexts } from "../../base/text-format.ts";
import type { Reader } from "../../client/client.ts";
import { explainCallFailure } from "../../client/explain-failure.ts";
import { CallFailed } from "../../client/failure.ts";
import { addressOf } from "../../model/address.ts";
import { NamesNothing } from "../../model/call.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { identityOf } from "../../model/kinds.ts";
import {
  keyLookUps,
  type LookUp,
  lookUpCall,
  lookUpFields,
  lookUpsIn,
  mapFields,
  nameKey,
  withLookedUp,
} from "../../model/look-ups.ts";
import { isId, kindWord } from "../../model/owner.ts";
import { keyFieldsOf, keyTextOf, type ResourceKind, writtenCall } from "../../model/resource-kind.ts";
import type {
  Call,
  Change,
  Desired,
  DesiredProject,
  Live,
  LookUpResults,
  Plain,
  Problem,
  Scalar,
} from "../../model/types.ts";
import { isScalar } from "../../model/values.ts";
import { pick } from "../../plan/diff/changes.ts";

/** The result of a look-up: a value, or the reason why there is none. `isGone`: no such name exists on the server. */
type LookedUp = { readonly value: Scalar } | { readonly why: string; readonly isGone?: true };

/** Results of look-ups, by {@link lookUpKey}. */
export type LookedUpValues = Readonly<Record<string, LookedUp>>;

/** Identifies a look-up, and the project if its path contains it. */
function lookUpKey(project: string, lookUp: LookUp): string {
  const isOfProject = lookUp.template.includes(":id");
  return `${lookUp.template} ${lookUp.field} ${isOfProject ? project : ""} ${lookUp.value}`;
}

/** True if a declared kind has fields to look up. */
export function hasLookUps(catalogue: Catalogue, { kinds }: Pick<DesiredProject, "kinds">): boolean {
  return [...kinds].some((kind) => {
    const file = catalogue.kinds.get(kind)?.file;
    return file && lookUpFields(file).length > 0;
  });
}

/**
 * Looks up the names in declared fields: one request per distinct value and run, or project if the path contains it.
 * Undefined if there are none. @throws CallFailed if it ends the run.
 */
export async function lookUpValues(reader: Reader, desired: DesiredProject): Promise<LookedUpValues | undefined> {
  const wanted = desired.resources.flatMap(({ kind, fields, presence }) => {
    const file = presence === "present" ? reader.catalogue.kinds.get(kind)?.file : undefined;
    if (!file) return [];
    return lookUpFields(file).flatMap((name) => lookUpsIn(file.fields.properties[name] ?? {}, fields[name] ?? null));
  });
  return lookUpAll(reader, desired.project.name, wanted);
}

/**
 * Looks up the keys of desired resources that are not live or may be replaced, since a creation sends their IDs.
 * Undefined if there are none. @throws CallFailed if it ends the run.
 */
export async function lookUpKeys(
  reader: Reader,
  { project, resources }: DesiredProject,
  live: readonly Pick<Live, "kind" | "key">[],
): Promise<LookedUpValues | undefined> {
  const { catalogue } = reader;
  const identities = new Set(live.map((each) => identityOf(catalogue, each)));
  const wanted = resources.flatMap((each) => {
    const file = each.presence === "present" ? catalogue.kinds.get(each.kind)?.file : undefined;
    const isCreated = file && (file.replace === true || !identities.has(identityOf(catalogue, each)));
    return isCreated ? keyLookUps(file, each.key).map(([, lookUp]) => lookUp) : [];
  });
  return lookUpAll(reader, project.name, wanted);
}

/** Undefined if there is nothing to look up. */
async function lookUpAll(
  reader: Reader,
  project: string,
  wanted: readonly LookUp[],
): Promise<LookedUpValues | undefined> {
  if (wanted.length === 0) return undefined;
  const answers = cachedAnswers(reader);
  const distinct = new Map(wanted.map((each) => [lookUpKey(project, each), each]));
  const read = Array.from(distinct, async ([key, each]) => {
    const answer = answers.get(key) ?? lookUpValue(reader, project, each);
    answers.set(key, answer);
    return [key, await answer] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

/** Results of a run, by its connection. */
const cachedAnswers = memoized((_: Reader) => new Map<string, Promise<LookedUp>>(), new WeakMap());

/** Matches requests for a project or group by its path; a row has it under one of these names. */
const ownersByPath = /^GET \/(?:projects|groups)\/:value(?:\?|$)/;
const pathNames = ["full_path", "path_with_namespace"];

/** Looks up one value, uncached. @throws CallFailed if it ends the run. */
async function lookUpValue(reader: Reader, project: string, lookUp: LookUp): Promise<LookedUp> {
  if (isId(lookUp.value) && ownersByPath.test(lookUp.template))
    return { why: "servers take digits for an ID; write an ID as a number" };
  try {
    const asked = lookUpCall(project, lookUp);
    const { body } = await reader.get(asked);
    return readAnswer(body, asked, lookUp);
  } catch (error) {
    if (error instanceof NamesNothing) return { why: error.message };
    if (!(error instanceof CallFailed) || error.endsRun) throw error;
    return { why: explainCallFailure(error), ...(error.saysGone && { isGone: true }) };
  }
}

function readAnswer(body: unknown, { path }: Call, lookUp: LookUp): LookedUp {
  const rows = Array.isArray(body) ? body : [body];
  const [row] = rows;
  if (rows.length === 0) return { why: `GET ${path} found none`, isGone: true };
  if (rows.length > 1) return { why: `GET ${path} found ${rows.length}` };
  const { field } = lookUp;
  const value = isObject(row) ? row[field] : undefined;
  const other = isObject(row) ? otherName(row, lookUp) : undefined;
  if (other !== undefined) return { why: `GET ${path} found ${JSON.stringify(other)} instead` };
  const isValue = field === "id" ? Number.isSafeInteger(value) && Number(value) > 0 : value !== null;
  if (isScalar(value) && isValue) return { value };
  return { why: `GET ${path} answered without ${field}` };
}

/** The name of a returned row if it is not the requested one: servers may ignore a filter, or follow a former path. */
function otherName(row: JsonObject, { template, value }: LookUp): string | undefined {
  const filter = /[?&](\w+)=:value(?:&|$)/.exec(template)?.[1];
  const names = ownersByPath.test(template) ? pathNames : [filter ?? ""];
  const name = names.map((each) => row[each]).find((each) => each !== undefined);
  return typeof name === "string" && name.toLowerCase() !== value.toLowerCase() ? name : undefined;
}

/**
 * Looks up what an earlier write of the run created, right before a change is sent. Returns the change, or the reason of a failure. @throws
 * CallFailed if it ends the run.
 */
export async function lookUpPending(reader: Reader, change: Change): Promise<Change | { readonly why: string }> {
  const { kind, project, declared, pending: written } = change;
  if (!written || Object.keys(written).length === 0) return change;
  const properties = reader.catalogue.kinds.get(kind)?.file.fields.properties ?? {};
  const replaced = { ...declared };
  for (const [name, value] of Object.entries(written)) {
    const field = properties[name] ?? {};
    const values = new Map<string, Plain>();
    for (const each of lookUpsIn(field, value)) {
      const answer = await lookUpValue(reader, project, each);
      if (!("value" in answer))
        return { why: `${name}: ${JSON.stringify(each.value)} could not be looked up: ${answer.why}` };
      values.set(lookUpKey(project, each), answer.value);
    }
    replaced[name] = withLookedUp(field, value, (each) => values.get(lookUpKey(project, each)) ?? each.value);
  }
  return { ...change, declared: replaced };
}

/** Desired and live state after look-ups, without resources that cannot be compared. */
export interface LookedUpDesired {
  readonly desired: DesiredProject;
  readonly live: readonly Live[];
  readonly problems: readonly Problem[];
  /** Reasons why resources were left out, by address. */
  readonly failed: ReadonlyMap<string, string>;
}

/**
 * Replaces names with the IDs that look-ups returned. A name stays as written if this run creates or replaces its
 * resource; naming one that the run deletes is a problem. `written`: the replacements and deletions of this run.
 */
export function replaceLookedUp(
  catalogue: Catalogue,
  desired: DesiredProject,
  live: readonly Live[],
  values: LookedUpValues | undefined,
  written: readonly Written[] = [],
): LookedUpDesired {
  if (!values) return { desired, live, problems: [], failed: noFailures };
  const each = desired.resources.map((resource) =>
    replaceInResource(catalogue, desired, resource, { values, written }),
  );
  const failed = new Set(
    each.flatMap(({ problems }, index) => (problems.length > 0 ? desired.resources[index]?.identity : [])),
  );
  const isKept = (identity: string) => !failed.has(identity);
  return {
    desired: { ...desired, resources: each.map(({ resource }) => resource).filter(({ identity }) => isKept(identity)) },
    live: failed.size === 0 ? live : live.filter((one) => isKept(identityOf(catalogue, one))),
    problems: each.flatMap(({ problems }) => problems),
    failed: new Map(
      each.flatMap(({ resource: { kind, key }, problems: [first] }) =>
        first ? [[addressOf(desired.project.name, kind, key), first.message] as const] : [],
      ),
    ),
  };
}

const noFailures: ReadonlyMap<string, string> = new Map();

/** A replacement or deletion of a resource that a look-up names. */
export type Written = Pick<Change, "kind" | "key" | "action" | "address">;

function replaceInResource(
  catalogue: Catalogue,
  desired: DesiredProject,
  resource: Desired,
  { values, written }: { readonly values: LookedUpValues; readonly written: readonly Written[] },
): { readonly resource: Desired; readonly problems: readonly Problem[] } {
  const { name: project } = desired.project;
  const file = resource.presence === "present" ? catalogue.kinds.get(resource.kind)?.file : undefined;
  const fields = file ? lookUpFields(file).filter((name) => resource.fields[name] !== undefined) : [];
  if (!file) return { resource, problems: [] };
  const keys = readKeys(file, project, resource, values);
  if (keys.problems.length > 0) return { resource, problems: keys.problems };
  if (fields.length === 0 && keys.results.length === 0) return { resource, problems: [] };
  const answerTo = (lookUp: LookUp): LookedUp => values[lookUpKey(project, lookUp)] ?? { why: "it was not looked up" };
  const names: Record<string, string> = {};
  const results: Record<string, Record<string, Scalar>> = Object.fromEntries(keys.results);
  const pending = new Set<string>();
  const problems: Problem[] = [];
  for (const name of fields) {
    const field = file.fields.properties[name] ?? {};
    for (const lookUp of lookUpsIn(field, resource.fields[name] ?? null)) {
      const answer = answerTo(lookUp);
      // It exists once the manifests are applied.
      const own = desired.resources.find((each) => each.presence === "present" && isNamed(catalogue, each, lookUp));
      const change = written.find((each) => isNamed(catalogue, each, lookUp));
      const isWritten = own && (change?.action === "replace" || ("isGone" in answer && answer.isGone));
      const parameter = lookUp.parameter ?? field["x-send-as"] ?? name;
      const found = isWritten ? addressOf(project, own.kind, own.key) : "value" in answer ? answer.value : undefined;
      if (change?.action === "delete")
        problems.push(toProblem(project, resource, name, lookUp, `the plan deletes ${change.address}`));
      else if (isWritten) pending.add(name);
      else if ("value" in answer) names[nameKey(lookUp.template, answer.value)] = lookUp.value;
      else problems.push(toProblem(project, resource, name, lookUp, answer.why));
      if (found !== undefined) results[parameter] = { ...results[parameter], [lookUp.value]: found };
    }
  }
  const known = fields.filter((name) => !pending.has(name));
  const foundValue = (lookUp: LookUp): Plain => {
    const answer = answerTo(lookUp);
    return "value" in answer ? answer.value : lookUp.value;
  };
  const found = mapFields(file, resource.fields, known, (field, value) => withLookedUp(field, value, foundValue));
  const lookedUp = { names, results: sorted(results), pending: pick(resource.fields, [...pending]) };
  return { resource: { ...resource, fields: found, lookedUp }, problems };
}

/** Sorted by name, independent of the order in manifests. */
function sorted(results: Readonly<Record<string, Readonly<Record<string, Scalar>>>>): LookUpResults {
  const inOrder = <Each>(record: Readonly<Record<string, Each>>) =>
    Object.entries(record).sort(([a], [b]) => compareTexts(a, b));
  return Object.fromEntries(
    inOrder(results).map(([parameter, found]) => [parameter, Object.fromEntries(inOrder(found))]),
  );
}

/** The results of look-ups of a key, by parameter, or the reasons why the resource cannot be created. */
function readKeys(file: ResourceKind, project: string, resource: Desired, values: LookedUpValues) {
  const problems: Problem[] = [];
  const results: [parameter: string, found: Record<string, Scalar>][] = [];
  for (const [name, lookUp] of keyLookUps(file, resource.key)) {
    const answer = values[lookUpKey(project, lookUp)];
    if (!answer) continue;
    const { "x-send-as": parameter = name } = file.fields.properties[name] ?? {};
    if ("value" in answer) results.push([parameter, { [lookUp.value]: answer.value }]);
    else problems.push(toProblem(project, resource, name, lookUp, answer.why));
  }
  return { problems, results };
}

function toProblem(project: string, { kind, origin }: Desired, name: string, { value }: LookUp, why: string): Problem {
  const message = `${name}: ${JSON.stringify(value)} could not be looked up, so this ${kindWord(kind)} is left out of the plan: ${why}`;
  return { severity: "error", rule: "look-up", message, place: origin.fieldPlace?.(name) ?? origin.place(), project };
}

function isNamed({ kinds }: Catalogue, { kind, key }: Pick<Desired, "kind" | "key">, lookUp: LookUp): boolean {
  const file = kinds.get(kind)?.file;
  if (file?.calls.list === undefined) return false;
  const path = lookUp.template.slice(lookUp.template.indexOf(" ") + 1).split("?")[0] ?? "";
  const [first = ""] = keyFieldsOf(file);
  const isListed = path === `${writtenCall(file.calls.list).path.split("?")[0]}/:value`;
  return isListed && key === keyTextOf(file, { [first]: lookUp.value });
}

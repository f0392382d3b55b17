import { isObject, type JsonObject } from "../base/json.ts";
import type { Reader } from "../client/client.ts";
import { explained } from "../client/explain-failure.ts";
import { CallFailed } from "../client/failure.ts";
import { NamesNothing } from "../model/call.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { type LookUp, lookUpCall, lookUpFields, lookUpsIn, withLookedUp } from "../model/look-ups.ts";
import { isId } from "../model/project-id.ts";
import type { Call, Change, DesiredProject, Plain } from "../model/types.ts";
import { isScalar } from "../model/values.ts";

/** What a look-up gave: a value, or why there is none; `isGone`: the server knows nothing of this name. */
export type LookedUp = { readonly value: Plain } | { readonly why: string; readonly isGone?: true };

/** What look-ups gave, by {@link lookUpKey}. */
export type LookedUpValues = Readonly<Record<string, LookedUp>>;

/** Names a look-up and its answer in a project. */
export function lookUpKey(project: string, lookUp: LookUp): string {
  const isOfProject = lookUp.template.includes(":id");
  return `${lookUp.template} ${lookUp.field} ${isOfProject ? project : ""} ${lookUp.value}`;
}

/** Whether a kind that policies declare has fields that are looked up. */
export function hasLookUps(catalogue: Catalogue, { kinds }: Pick<DesiredProject, "kinds">): boolean {
  for (const kind of kinds) {
    const file = catalogue.kinds.get(kind)?.file;
    if (file && lookUpFields(file).length > 0) return true;
  }
  return false;
}

/**
 * What people wrote for what the server takes, looked up: one request for each distinct value and run, or project where
 * the path names it. Undefined where nothing is to be looked up. @throws CallFailed where it ends the run.
 */
export async function lookUpValues(reader: Reader, desired: DesiredProject): Promise<LookedUpValues | undefined> {
  const { name: project } = desired.project;
  const wanted = new Map<string, LookUp>();
  for (const { kind, fields, presence } of desired.resources) {
    const file = presence === "present" ? reader.catalogue.kinds.get(kind)?.file : undefined;
    if (!file) continue;
    for (const name of lookUpFields(file)) {
      const found = lookUpsIn(file.fields.properties[name] ?? {}, fields[name] ?? null);
      for (const each of found) wanted.set(lookUpKey(project, each), each);
    }
  }
  if (wanted.size === 0) return undefined;
  const answers = answersOf(reader);
  const read = Array.from(wanted, async ([key, each]) => {
    const answer = answers.get(key) ?? lookUpValue(reader, project, each);
    answers.set(key, answer);
    return [key, await answer] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

/** Answers of a run, by the connection that it reads with. */
const known = new WeakMap<Reader, Map<string, Promise<LookedUp>>>();

function answersOf(reader: Reader): Map<string, Promise<LookedUp>> {
  const answers = known.get(reader) ?? new Map<string, Promise<LookedUp>>();
  known.set(reader, answers);
  return answers;
}

/** Requests for a project or a group by its path. */
const ownersByPath = /^GET \/(?:projects|groups)\/:value(?:\?|$)/;

/** Looks one value up now. @throws CallFailed where it ends the run. */
async function lookUpValue(reader: Reader, project: string, lookUp: LookUp): Promise<LookedUp> {
  if (isId(lookUp.value) && ownersByPath.test(lookUp.template))
    return { why: "servers take digits for an ID; write an ID as a number" };
  try {
    const asked = lookUpCall(project, lookUp);
    const { body } = await reader.get(asked);
    return answerIn(body, asked, lookUp);
  } catch (error) {
    if (error instanceof NamesNothing) return { why: error.message };
    if (!(error instanceof CallFailed) || error.endsRun) throw error;
    return { why: explained(error), ...(error.saysGone && { isGone: true }) };
  }
}

function answerIn(body: unknown, { path }: Call, lookUp: LookUp): LookedUp {
  const rows = Array.isArray(body) ? body : [body];
  const [row] = rows;
  if (rows.length === 0) return { why: `GET ${path} found none`, isGone: true };
  if (rows.length > 1) return { why: `GET ${path} found ${rows.length}` };
  const { field } = lookUp;
  const value = isObject(row) ? row[field] : undefined;
  const other = isObject(row) ? otherName(row, lookUp) : undefined;
  if (other !== undefined) return { why: `GET ${path} found ${JSON.stringify(other)} instead` };
  if (isScalar(value) && value !== null) return { value };
  return { why: `GET ${path} answered without ${field}` };
}

/** What a row is called, where that is not what was asked for: a server may ignore a filter that it does not know. */
function otherName(row: JsonObject, { template, value }: LookUp): string | undefined {
  const name = row[/[?&](\w+)=:value(?:&|$)/.exec(template)?.[1] ?? ""];
  return typeof name === "string" && name.toLowerCase() !== value.toLowerCase() ? name : undefined;
}

/** A change with what look-ups give right before it is sent; or why they give nothing. @throws CallFailed where it ends the run. */
export async function lookUpAgain(reader: Reader, change: Change): Promise<Change | { readonly why: string }> {
  const { kind, project, declared, lookUpAgain: written } = change;
  if (!written || Object.keys(written).length === 0) return change;
  const properties = reader.catalogue.kinds.get(kind)?.file?.fields.properties ?? {};
  const found = { ...declared };
  for (const [name, value] of Object.entries(written)) {
    const field = properties[name] ?? {};
    const values = new Map<string, Plain>();
    for (const each of lookUpsIn(field, value)) {
      const answer = await lookUpValue(reader, project, each);
      if (!("value" in answer))
        return { why: `${name}: ${JSON.stringify(each.value)} could not be looked up: ${answer.why}` };
      values.set(lookUpKey(project, each), answer.value);
    }
    found[name] = withLookedUp(field, value, (each) => values.get(lookUpKey(project, each)) ?? each.value);
  }
  return { ...change, declared: found };
}

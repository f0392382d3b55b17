import { UserError } from "../base/exit.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import { firstFew } from "../base/text-format.ts";
import type { Answer, Reader, Writer } from "../client/client.ts";
import { explained } from "../client/explain-failure.ts";
import type { CallFailed } from "../client/failure.ts";
import type { Settled } from "../client/reader.ts";
import { readLive } from "../live/read-live.ts";
import { reportedFields } from "../live/resource-rows.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { KindRow } from "../model/kind-row.ts";
import { fieldOf, kindOf } from "../model/kinds.ts";
import { compareField, isOff } from "../model/normalise.ts";
import { fieldInRow } from "../model/read-field.ts";
import { isRemoval } from "../model/removal-changes.ts";
import { keyFieldsOf, keyTextOf } from "../model/resource-kind.ts";
import { preservedValue, requiredByServer } from "../model/server-required.ts";
import type { Call, Change, Fields, Outcome, Value } from "../model/types.ts";
import { isApplied, isVisible, subjectsOf } from "./verify-write.ts";

/** The outcome of a change, and the response or the failure of its request. */
export interface SentChange {
  readonly outcome: Outcome;
  readonly answer?: Answer;
  readonly failure?: CallFailed;
}

/** Sends a change. Failed requests are outcomes, never exceptions. */
export async function sendChange(writer: Writer, change: Change, call: Call): Promise<SentChange> {
  try {
    const settled = await sendOrRewrite(writer, change, call);
    if ("answer" in settled)
      return { answer: settled.answer, outcome: answered(writer.catalogue, change, settled.answer) };
    if ("found" in settled) return { outcome: { status: "applied" } };
    return withAdvice(unanswered(settled, call), adviceOn(writer.catalogue, change, settled.failure));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { outcome: { status: "failed", error: error.message } };
  }
}

function withAdvice(result: SentChange, advice: string | undefined): SentChange {
  const { outcome } = result;
  if (!advice || outcome.status !== "failed") return result;
  return { ...result, outcome: { ...outcome, error: `${outcome.error}; ${advice}` } };
}

/** If the server rejects the call, sends it once more as the server requires. */
async function sendOrRewrite(writer: Writer, change: Change, call: Call): Promise<Settled> {
  const probe = isVisible(change) ? (reader: Reader) => isInPlace(reader, change) : undefined;
  const settled = await writer.settle(call, probe);
  const other =
    "failure" in settled && !settled.unknown
      ? rewriteRejectedCall(writer.catalogue, change, call, settled.failure)
      : undefined;
  return other ? writer.settle(other, probe) : settled;
}

function unanswered({ failure, unknown, lookUp }: Extract<Settled, { failure: unknown }>, call: Call): SentChange {
  if (unknown) return { outcome: { status: "unknown", error: unknownOutcomeText(failure, lookUp) }, failure };
  if (isUnsent(failure, call)) return { outcome: { status: "skipped", error: "the run ended before it was sent" } };
  return { outcome: { status: "failed", error: explained(failure) }, failure };
}

function unknownOutcomeText(failure: CallFailed, lookUp: CallFailed | undefined): string {
  if (lookUp) return `${explained(failure)}; looking it up failed too: ${lookUp.message}`;
  return `${explained(failure)}; the server may or may not have acted`;
}

/** Whether the run ended before a call was sent, by a signal or by the failure of another call. */
function isUnsent(failure: CallFailed, { method, path }: Call): boolean {
  if (!failure.endsRun) return false;
  return failure.path !== path || failure.method !== method || (failure.kind === "aborted" && failure.attempts === 0);
}

/** Reads whether a change was applied. Only for one that {@link isVisible}. @throws CallFailed. */
export async function isInPlace(reader: Reader, change: Change): Promise<boolean> {
  return isApplied(
    reader.catalogue,
    change,
    await readLive(reader, subjectsOf(reader.catalogue, change.project, [change])),
  );
}

/** The outcome according to the response (docs/servers.md): servers may keep other values. */
function answered(catalogue: Catalogue, change: Change, { body }: Answer): Outcome {
  if (!isObject(body) || isRemoval(change)) return { status: "applied" };
  const kind = kindOf(catalogue, change.kind);
  const error = kind.file.off === undefined ? otherKeyText(kind, change, body) : inheritedText(body);
  if (error !== undefined) return { status: "failed", error };
  const notKept = [
    ...differing(catalogue, change, reportedFields(catalogue, { ...change, fields: change.declared }, body)),
    ...(kind.file.off === undefined ? [] : offIn(change, body)),
  ];
  return { status: "applied", ...(notKept.length > 0 && { not_kept: notKept }) };
}

function inheritedText({ inherited }: JsonObject): string | undefined {
  return inherited === true ? "inherited from the group, nothing was changed" : undefined;
}

/** Servers name some resources themselves: what is declared is then not there, and would be created again for ever. */
function otherKeyText(kind: KindRow, { key }: Change, row: JsonObject): string | undefined {
  const told = keyFieldsOf(kind.file).map((name) => [name, fieldInRow(kind, name, row)] as const);
  if (told.length === 0 || told.some(([, value]) => value === undefined || value === null)) return undefined;
  const answered = keyTextOf(kind.file, Object.fromEntries(told));
  if (kind.identity(answered) === kind.identity(key)) return undefined;
  return `the server keeps it as ${JSON.stringify(answered)}, not as ${JSON.stringify(key)}: declare it under that name`;
}

/** A write activates a resource unless it declares `active`. */
function offIn({ declared }: Change, { active }: Readonly<Record<string, unknown>>): string[] {
  return isOff(active) && !("active" in declared) ? ["active"] : [];
}

function differing(catalogue: Catalogue, change: Change, live: Fields): string[] {
  const isDifferent = ([name, value]: readonly [string, Value]) =>
    compareField(catalogue, change, name, value, live[name]) === "different";
  return Object.entries(change.declared)
    .filter(isDifferent)
    .map(([name]) => name);
}

/** Adds the parameters that a server reports as missing to the call; undefined unless all of their values are known. */
function rewriteRejectedCall(catalogue: Catalogue, change: Change, call: Call, failure: CallFailed): Call | undefined {
  if (failure.status !== 400) return undefined;
  const missing = missingIn(catalogue, change, failure) ?? [];
  const known = missing.flatMap((name) => {
    const value = preservedValue(name, change.live);
    return value === undefined ? [] : [[name, value] as const];
  });
  if (missing.length === 0 || known.length < missing.length) return undefined;
  return { ...call, parameters: { ...call.parameters, ...Object.fromEntries(known) } };
}

/** Advice on a rejected change; undefined if the server's message suffices. */
function adviceOn(catalogue: Catalogue, change: Change, failure: CallFailed): string | undefined {
  const { status, method, serverMessage = "" } = failure;
  if (method === "POST" && isTaken(failure)) return takenAdvice;
  if (status !== 400 || method !== "PUT") return undefined;
  const blind =
    missingIn(catalogue, change, failure)?.filter((name) => preservedValue(name, change.live) === undefined) ?? [];
  if (blind.length > 0)
    return `declare ${firstFew(blind)}: its current value cannot be read, so it cannot be preserved`;
  if (!/^(400 )?(bad request)?$/i.test(serverMessage)) return undefined;
  const addresses = Object.keys(change.declared).filter((name) => fieldOf(catalogue, change, name)?.["x-url"]);
  if (addresses.length === 0) return undefined;
  return `the server gives no reason; many servers reject addresses in a local network: check ${firstFew(addresses)}`;
}

const refusals: ReadonlySet<number | undefined> = new Set([400, 409, 422]);

/** Whether the server refuses to create what it has already: releases and kinds differ in the status. */
function isTaken({ status, serverMessage = "" }: CallFailed): boolean {
  return (
    refusals.has(status) &&
    /\b(?:already (?:exists?|been taken|taken|protected)|has already been)\b/i.test(serverMessage)
  );
}

const takenAdvice =
  "the server has one that its list does not show under this name, such as one of a group above or one created since; " +
  "look for it there, and plan again";

/** Parameters that the server reports as missing; undefined unless all of them are known to be required. */
function missingIn(catalogue: Catalogue, change: Change, { serverMessage = "" }: CallFailed): string[] | undefined {
  const missing = Array.from(serverMessage.matchAll(/(\w+) is missing/g), ([, name = ""]) => name);
  const required = new Set(requiredByServer(catalogue, { ...change, fields: change.declared }).map(({ name }) => name));
  return missing.length > 0 && missing.every((name) => required.has(name)) ? missing : undefined;
}

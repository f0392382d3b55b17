import { onError, UserError } from "../../base/exit.ts";
import { isObject, type JsonObject } from "../../base/json.ts";
import { firstFew } from "../../base/text-format.ts";
import type { Answer, Reader, Writer } from "../../client/client.ts";
import { explainCallFailure } from "../../client/explain-failure.ts";
import { CallFailed } from "../../client/failure.ts";
import type { Settled } from "../../client/reader.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import type { KindRow } from "../../model/kind-row.ts";
import { fieldOf, kindOf } from "../../model/kinds.ts";
import { compareField, isOff } from "../../model/normalise.ts";
import { fieldInRow } from "../../model/read-field.ts";
import { isRemoval } from "../../model/removal-changes.ts";
import { keyFieldsOf, keyTextOf } from "../../model/resource-kind.ts";
import { preservedValue, requiredByServer } from "../../model/server-required.ts";
import type { Call, Change, Outcome } from "../../model/types.ts";
import { callsOf, itemRequestsOf, partsOfChange } from "../../plan/requests.ts";
import type { Journal, JournalEntry } from "../../state/journal.ts";
import { reportedFields } from "../live/kind-resources.ts";
import { lookUpPending } from "../live/look-up-values.ts";
import {
  answeredResource,
  isInPlace,
  isVisible,
  probeItem,
  readChanged,
  restorationOf,
  withoutItems,
} from "./live-effect.ts";

interface SentChange {
  readonly outcome: Outcome;
  readonly answer?: Answer;
  readonly failure?: CallFailed;
}

/** Sends a change. Failed requests are outcomes, never exceptions. */
async function sendChange(writer: Writer, change: Change, call: Call): Promise<SentChange> {
  try {
    const settled = await sendOrRewrite(writer, change, call);
    if ("answer" in settled)
      return { answer: settled.answer, outcome: readOutcome(writer.catalogue, change, settled.answer) };
    if ("found" in settled) return { outcome: { status: "applied" } };
    const sent = describeUnanswered(settled, call);
    const advice = sent.outcome.status === "failed" && adviseOn(writer.catalogue, change, settled.failure);
    return advice ? { ...sent, outcome: { ...sent.outcome, error: `${sent.outcome.error}; ${advice}` } } : sent;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { outcome: { status: "failed", error: error.message } };
  }
}

/** Sends a call; if the server rejects it, repeats it once with the parameters that the server requires. */
async function sendOrRewrite(writer: Writer, change: Change, call: Call): Promise<Settled> {
  const probe = isVisible(change) ? (reader: Reader) => isInPlace(reader, change) : undefined;
  const settled = await writer.settle(call, probe);
  const other =
    "failure" in settled && !settled.unknown
      ? rewriteRejectedCall(writer.catalogue, change, call, settled.failure)
      : undefined;
  return other ? writer.settle(other, probe) : settled;
}

function describeUnanswered(
  { failure, unknown, lookUp }: Extract<Settled, { failure: unknown }>,
  call: Call,
): SentChange {
  const doubt = lookUp ? `looking it up failed too: ${lookUp.message}` : "the server may or may not have acted";
  if (unknown) return { outcome: { status: "unknown", error: `${explainCallFailure(failure)}; ${doubt}` }, failure };
  if (isUnsent(failure, call)) return { outcome: skippedOutcome(failure) };
  return { outcome: { status: "failed", error: explainCallFailure(failure) }, failure };
}

/** The outcome of a change that was not sent; a pause that the server asked for explains it. */
function skippedOutcome({ facts: { pause } }: CallFailed): Outcome {
  const ended = "the run ended before it was sent";
  return { status: "skipped", error: pause === undefined ? ended : `${ended}: ${pause}` };
}

/** True if the run ended before a call was sent, by a signal or by the failure of another call. */
function isUnsent(failure: CallFailed, { method, path }: Call): boolean {
  if (!failure.endsRun) return false;
  return failure.path !== path || failure.method !== method || (failure.kind === "aborted" && failure.attempts === 0);
}

/** The outcome according to the response (docs/comparing.md): servers may keep other values. */
function readOutcome(catalogue: Catalogue, change: Change, { body }: Answer): Outcome {
  if (!isObject(body) || isRemoval(change)) return { status: "applied" };
  const kind = kindOf(catalogue, change.kind);
  const { declared } = change;
  const canBeOff = kind.file.off !== undefined;
  const inherited = body.inherited === true ? "inherited from the group, nothing was changed" : undefined;
  const error = canBeOff ? inherited : otherKeyText(kind, change, body);
  if (error !== undefined) return { status: "failed", error };
  const live = reportedFields(catalogue, { ...change, fields: declared }, body);
  const notKept = Object.keys(declared).filter(
    (name) => compareField(catalogue, change, name, declared[name] ?? null, live[name]) === "different",
  );
  // A write activates a resource unless it declares `active`.
  if (canBeOff && isOff(body.active) && !("active" in declared)) notKept.push("active");
  return { status: "applied", ...(notKept.length > 0 && { not_kept: notKept }) };
}

/**
 * Servers choose the names of some resources: the declared one is then missing, and every apply would create it again.
 */
function otherKeyText(kind: KindRow, { key }: Change, row: JsonObject): string | undefined {
  const reported = keyFieldsOf(kind.file).map((name) => [name, fieldInRow(kind, name, row)] as const);
  if (reported.length === 0 || reported.some(([, value]) => value === undefined || value === null)) return undefined;
  const answered = keyTextOf(kind.file, Object.fromEntries(reported));
  if (kind.identity(answered) === kind.identity(key)) return undefined;
  return `the server keeps it as ${JSON.stringify(answered)}, not as ${JSON.stringify(key)}: declare it under that name`;
}

/** Adds the parameters that a server reports as missing to the call; undefined unless all of their values are known. */
function rewriteRejectedCall(catalogue: Catalogue, change: Change, call: Call, failure: CallFailed): Call | undefined {
  if (failure.status !== 400) return undefined;
  const missing = findMissing(catalogue, change, failure) ?? [];
  const values = missing.flatMap((name) => {
    const value = preservedValue(name, change.live);
    return value === undefined ? [] : [[name, value] as const];
  });
  if (missing.length === 0 || values.length < missing.length) return undefined;
  return { ...call, parameters: { ...call.parameters, ...Object.fromEntries(values) } };
}

/** Advice on a rejected change; undefined if the server's message suffices. */
function adviseOn(catalogue: Catalogue, change: Change, failure: CallFailed): string | undefined {
  const { status, method, serverMessage = "" } = failure;
  // The status of a creation whose resource exists depends on release and kind.
  const isTaken =
    [400, 409, 422].includes(status ?? 0) &&
    /\b(?:already (?:exists?|been taken|taken|protected)|has already been)\b/i.test(serverMessage);
  if (method === "POST" && isTaken) return takenAdvice;
  if (status !== 400 || method !== "PUT") return undefined;
  const blind =
    findMissing(catalogue, change, failure)?.filter((name) => preservedValue(name, change.live) === undefined) ?? [];
  if (blind.length > 0)
    return `declare ${firstFew(blind)}: its current value cannot be read, so it cannot be preserved`;
  if (!/^(400 )?(bad request)?$/i.test(serverMessage)) return undefined;
  const addresses = Object.keys(change.declared).filter((name) => fieldOf(catalogue, change, name)?.["x-url"]);
  if (addresses.length === 0) return undefined;
  return `the server gives no reason; many servers reject addresses in a local network: check ${firstFew(addresses)}`;
}

const takenAdvice =
  "the server has one that its list does not show under this name, such as one of a group above or one created since; " +
  "look for it there, and plan again";

/** Parameters that the server reports as missing; undefined unless all of them are known to be required. */
function findMissing(catalogue: Catalogue, change: Change, { serverMessage = "" }: CallFailed): string[] | undefined {
  const missing = Array.from(serverMessage.matchAll(/(\w+) is missing/g), ([, name = ""]) => name);
  const required = new Set(requiredByServer(catalogue, { ...change, fields: change.declared }).map(({ name }) => name));
  return missing.length > 0 && missing.every((name) => required.has(name)) ? missing : undefined;
}

/**
 * Sends the requests of a change, each recorded before. All are made before the first is sent, so that a replacement
 * deletes nothing that could not be created again for want of a parameter.
 */
export async function sendRecorded(writer: Writer, planned: Change, watchers: readonly Watcher[]): Promise<SentChange> {
  const change = await lookUpPending(writer, planned).catch(
    onError(CallFailed, (failure): SentChange => ({ outcome: skippedOutcome(failure), failure })),
  );
  if ("outcome" in change) return change;
  if ("why" in change) return { outcome: { status: "failed", error: `not sent: ${change.why}` } };
  const calls = makeCalls(writer, change);
  if (calls instanceof UserError) return { outcome: { status: "failed", error: `not sent: ${calls.message}` } };
  const [first, second] = partsOfChange(change);
  const sent = await sendOne(writer, first, calls[0], watchers);
  if (!second || !calls[1] || sent.outcome.status !== "applied") return sent;
  const http = sent.answer?.status;
  const entry = { event: "deleted", address: change.address, ...(http !== undefined && { http }) } as const;
  for (const watcher of watchers) await watcher.noted?.(entry);
  const created = await sendOne(writer, second, { ...calls[1], finishes: true }, watchers);
  return created.outcome.status === "failed"
    ? restore(writer, change, created, watchers)
    : explainAfterDeletion(change, created);
}

/** Creates a resource again as it was read, whose new values the server refused after it was deleted. */
async function restore(
  writer: Writer,
  change: Change,
  refused: SentChange,
  watchers: readonly Watcher[],
): Promise<SentChange> {
  const [, creation = change] = partsOfChange(change);
  const restoration = restorationOf(writer.catalogue, creation, change);
  const calls = restoration && makeCalls(writer, restoration);
  if (!restoration || !calls || calls instanceof UserError) return explainAfterDeletion(change, refused);
  const { outcome } = await sendOne(writer, restoration, { ...calls[0], finishes: true }, watchers);
  if (outcome.status !== "applied") return explainAfterDeletion(change, refused);
  return {
    ...refused,
    outcome: { ...refused.outcome, error: `${refused.outcome.error}; it was created again as it was` },
  };
}

function makeCalls({ catalogue }: Writer, change: Change): ReturnType<typeof callsOf> | UserError {
  try {
    return callsOf(change, catalogue);
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}

async function sendOne(writer: Writer, change: Change, call: Call, watchers: readonly Watcher[]): Promise<SentChange> {
  for (const each of call.before ? [call.before, call] : [call]) {
    const unrecorded = await announce(watchers, change, each);
    if (unrecorded) return { outcome: { status: "skipped", error: unrecorded } };
    if (each === call) break;
    const settled = await writer.settle(each);
    if ("failure" in settled) return describeUnanswered(settled, each);
  }
  const sent = await sendChange(writer, withoutItems(writer.catalogue, change), call);
  return sent.outcome.status === "applied" ? completeItems(writer, change, sent, watchers) : sent;
}

/** Writes the items of a resource that was created or changed, until one of them fails. */
async function completeItems(
  writer: Writer,
  change: Change,
  sent: SentChange,
  watchers: readonly Watcher[],
): Promise<SentChange> {
  const { catalogue } = writer;
  const fields = isRemoval(change) ? [] : itemRequestsOf(change, catalogue).map(({ field }) => field);
  if (fields.length === 0) return sent;
  const unfinished = ({ outcome: { status, error = "" }, failure }: SentChange): SentChange => {
    const rest = `it was written, and not all of its ${[...new Set(fields)].join(" and ")}: ${error}; plan again`;
    return { ...(failure && { failure }), outcome: { status: status === "unknown" ? status : "failed", error: rest } };
  };
  const failed = (error: string) => unfinished({ outcome: { status: "failed", error } });
  try {
    const live = answeredResource(catalogue, change, sent.answer?.body) ?? (await readChanged(writer, change));
    if (!live) return failed("its response has no ID, and reading does not show it");
    for (const request of itemRequestsOf({ ...change, live }, catalogue)) {
      const call: Call = { ...request.call, finishes: true };
      const unrecorded = await announce(watchers, change, call);
      if (unrecorded) return failed(unrecorded);
      const settled = await writer.settle(call, probeItem(change, request));
      if ("failure" in settled) return unfinished(describeUnanswered(settled, call));
    }
    return sent;
  } catch (error) {
    if (!(error instanceof UserError || error instanceof CallFailed)) throw error;
    return { ...failed(error.message), ...(error instanceof CallFailed && { failure: error }) };
  }
}

/** Explains a replacement whose second request failed: the effect on the resource, and what to do. */
function explainAfterDeletion({ address }: Change, sent: SentChange): SentChange {
  const { status, error = "" } = sent.outcome;
  if (status === "applied") return sent;
  const again = `run evenkeel apply --target "${address}"`;
  const outcome: Outcome =
    status === "unknown"
      ? { status, error: `it was deleted, and perhaps not created again: ${error}; ${again}` }
      : { status: "failed", error: `it is deleted now and was not created again: ${error}; ${again} to create it` };
  return { ...sent, outcome };
}

/** Notified of each step as it happens; the journal, the ledger and a progress bar are watchers. */
export interface Watcher {
  /** Awaited before each request, so that the intent is durable before the server acts. A message prevents the request. */
  readonly intent?: (change: Change, call: Call) => Promise<string | undefined>;
  readonly noted?: (entry: JournalEntry) => Promise<void>;
  /** True if it writes the journal; workers write their own. */
  readonly isJournal?: true;
  /** Awaited after each step, before the next step of the project. */
  readonly outcome?: (event: ChangeEvent) => Promise<void>;
}

export interface ChangeEvent extends SentChange {
  readonly address: string;
  readonly change?: Change;
}

/** Announces a request before it is sent. Returns the reason why it must not be sent, if a watcher cannot record it. */
export async function announce(watchers: readonly Watcher[], change: Change, call: Call): Promise<string | undefined> {
  for (const watcher of watchers) {
    const reason = await watcher.intent?.(change, call);
    if (reason) return reason;
  }
  return undefined;
}

/** Writes intents and outcomes to the journal. A request without a stored intent is not sent. */
export function journalling(journal: Journal): Watcher {
  return {
    isJournal: true,
    intent: ({ address, action }, { method, path }) =>
      journal.write({ event: "intent", address, action, method, path }),
    noted: async (entry) => void (await journal.write(entry)),
    outcome: async ({ address, outcome, answer, failure }) => {
      const http = answer?.status ?? failure?.status;
      await journal.write({
        event: "result",
        address,
        status: outcome.status,
        ...(http !== undefined && { http }),
        ...(answer?.requestId !== undefined && { request_id: answer.requestId }),
        ...(outcome.error !== undefined && { error: outcome.error }),
      });
    },
  };
}

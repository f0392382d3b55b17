import { isObject, type JsonObject, parsedJson } from "../base/json.ts";
import { printable } from "../base/printable.ts";
import { version } from "../base/version.ts";
import { dialectNames } from "../model/dialect-names.ts";
import { resourceKindFaults, unchecked } from "../model/resource-kind-faults.ts";
import { isRunName } from "../state/claim.ts";
import type { WorkerStore } from "../state/worker-store.ts";
import type { Work } from "./chunks.ts";
import { sharedKeyWords, type WorkKey, withoutMark } from "./work-key.ts";

/** Work of this version; or why it cannot be processed here, and the run that it belongs to. */
export type QueuedWork = { readonly work: Work } | { readonly why: string; readonly run: string | undefined };

/** Parses and checks what was in the queue: other versions, other programs and other people may write to it too. */
export function receivedIn(text: string, key: WorkKey): QueuedWork {
  const signed = key.open(["work"], text);
  const value = parsedJson(signed ?? withoutMark(text));
  if (!isObject(value)) return { why: "it is not a JSON object", run: undefined };
  const run = isText(value.run) && isRunName(value.run) ? value.run : undefined;
  if (isText(value.version) && value.version !== version) {
    return { why: `it is from evenkeel ${shown(value.version)}, and this worker is ${version}`, run };
  }
  if (signed === undefined) return { why: `it is not signed with this worker's ${sharedKeyWords}`, run: undefined };
  return isWork(value) ? { work: value } : { why: "its format is unknown", run };
}

/** Milliseconds. */
const longestAge = 24 * 3_600_000;

/** Why work must not be processed: it may be a copy of what was done long ago. Undefined if it may. */
export function lateness({ made }: Pick<Work, "made">, now: number): string | undefined {
  if (Math.abs(now - Date.parse(made)) < longestAge) return undefined;
  return `the work of ${made} is more than a day from the time of this machine, ${new Date(now).toISOString()}`;
}

/** Decides on work that cannot be processed here, and prints a warning once: it is left to others while its run is alive. */
export function rejectWork(store: Pick<WorkerStore, "members">, say: (sentence: string) => void) {
  const reported = new Set<string>();
  return async ({ why, run }: Extract<QueuedWork, { readonly why: string }>): Promise<"done" | "delay"> => {
    const isAlive = run !== undefined && (await store.members()).some(({ id, role }) => id === run && role === "run");
    const whose = run === undefined ? "work of no run" : `work of run ${run}`;
    const end = isAlive ? "it is left to other workers" : "it is removed, because no such run is active";
    const sentence = `the queue contains ${whose} that this worker cannot process: ${why}; ${end}`;
    if (!reported.has(sentence) && reported.size < maxReports) say(sentence);
    reported.add(sentence);
    return isAlive ? "delay" : "done";
  };
}

/** Distinct warnings that a worker prints. */
const maxReports = 100;

function shown(text: string): string {
  return printable(text.slice(0, 40));
}

const isText = (value: unknown): value is string => typeof value === "string" && !value.includes("\0");
const isUndefined = (value: unknown) => value === undefined;

const isKind = (value: unknown) => resourceKindFaults(value, [], unchecked).length === 0;

const fields: Readonly<Record<keyof Work, (value: unknown) => boolean>> = {
  version: (value) => value === version,
  made: isText,
  workspace: isText,
  run: (value) => isText(value) && isRunName(value),
  part: (value) => isText(value) && isRunName(value),
  requestTimeout: (value) => Number.isFinite(value) && Number(value) > 0,
  allowInsecure: (value) => typeof value === "boolean",
  dialect: (value) => isUndefined(value) || dialectNames.some((name) => name === value),
  kinds: (value) => isUndefined(value) || (Array.isArray(value) && value.every(isKind)),
  rateLimit: (value) => isUndefined(value) || (isObject(value) && Number(value.requests) > 0 && Number(value.per) > 0),
  chunk: isChunk,
};

function isWork(value: JsonObject): value is JsonObject & Work {
  return Object.entries(fields).every(([name, isRight]) => isRight(value[name]));
}

function isChunk(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (!isText(value.sealFor)) return false;
  if (value.kind === "read") return Array.isArray(value.wants) && Array.isArray(value.projects);
  const { token, batches, inFlight } = value;
  const isHeld = isObject(token) && isText(token.run) && Number.isSafeInteger(token.fence);
  return (
    value.kind === "write" &&
    isHeld &&
    Array.isArray(inFlight) &&
    Array.isArray(batches) &&
    batches.every(Array.isArray)
  );
}

import { AsyncLocalStorage } from "node:async_hooks";

/** Attributes of a span. None of them may be a secret. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** A part of a run, from begin to end, as a child of the part around it. */
export interface OpenSpan {
  /** As the header `traceparent` names it (W3C Trace Context). */
  readonly traceparent: string;
  readonly set: (attributes: Attributes) => void;
  readonly begin: (name: string, attributes: Attributes) => OpenSpan;
  /** `error`: the kind of the error, if there was one. */
  readonly end: (error: string | undefined) => void;
}

/** Where spans are recorded. */
export interface Tracing {
  /** The first span of this process: below the one that another process has begun, or of a trace of its own. */
  readonly begin: (name: string, attributes: Attributes, traceparent: string | undefined) => OpenSpan;
}

type RecordedSpan = Pick<OpenSpan, "set">;

const under = new AsyncLocalStorage<OpenSpan>();
const unrecorded: RecordedSpan = { set: () => {} };

/** Runs `work` in a child span of the current one; without a current span, just runs it. */
export function inSpan<Result>(
  name: string,
  attributes: Attributes,
  work: (span: RecordedSpan) => Promise<Result>,
): Promise<Result> {
  const parent = under.getStore();
  return parent ? recorded(parent.begin(name, attributes), work) : work(unrecorded);
}

/** Runs `work` in the first span of this process. */
export function inTrace<Result>(
  tracing: Tracing,
  traceparent: string | undefined,
  [name, attributes]: readonly [name: string, attributes: Attributes],
  work: (span: RecordedSpan) => Promise<Result>,
): Promise<Result> {
  return recorded(tracing.begin(name, attributes, traceparent), work);
}

async function recorded<Result>(span: OpenSpan, work: (span: RecordedSpan) => Promise<Result>): Promise<Result> {
  let failed: string | undefined;
  try {
    return await under.run(span, () => work(span));
  } catch (error) {
    failed = kindOfError(error);
    throw error;
  } finally {
    span.end(failed);
  }
}

/** What a span tells of an error: never its message, which may repeat what a server said. */
export function kindOfError(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "kind" in error ? String(error.kind) : error.name;
}

/** The span around the caller; undefined if nothing is traced. */
export function currentSpan(): OpenSpan | undefined {
  return under.getStore();
}

/** The same, in the form that other processes take. */
export function currentTraceparent(): string | undefined {
  return under.getStore()?.traceparent;
}

const written = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** The parts of a `traceparent`; undefined where the text is none. */
export function traceparentIn(text: string) {
  const [, traceId, spanId, flags = ""] = written.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The trace around the caller: 32 hexadecimal digits. */
export function currentTrace(): string | undefined {
  return traceparentIn(currentTraceparent() ?? "")?.traceId;
}

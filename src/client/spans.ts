import { AsyncLocalStorage } from "node:async_hooks";

/** What is told of a span. None of it may be a secret. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** A part of what a run does, from its begin to its end, below the part that it belongs to. */
export interface OpenSpan {
  /** As the header `traceparent` names it (W3C Trace Context). */
  readonly traceparent: string;
  readonly set: (attributes: Attributes) => void;
  readonly begin: (name: string, attributes: Attributes) => OpenSpan;
  /** `trouble`: the kind of what went wrong. */
  readonly end: (trouble: string | undefined) => void;
}

/** Where spans are recorded. */
export interface Tracing {
  /** The first span of this process: below the one that another process has begun, or of a trace of its own. */
  readonly begin: (name: string, attributes: Attributes, traceparent: string | undefined) => OpenSpan;
}

type Told = Pick<OpenSpan, "set">;

const under = new AsyncLocalStorage<OpenSpan>();
const nowhere: Told = { set: () => {} };

/** Does something as a part of what is traced around it; where nothing is, just does it. */
export function inSpan<Result>(
  name: string,
  attributes: Attributes,
  work: (span: Told) => Promise<Result>,
): Promise<Result> {
  const parent = under.getStore();
  return parent ? recorded(parent.begin(name, attributes), work) : work(nowhere);
}

/** Does something as the first span of this process. */
export function inTrace<Result>(
  tracing: Tracing,
  traceparent: string | undefined,
  [name, attributes]: readonly [name: string, attributes: Attributes],
  work: (span: Told) => Promise<Result>,
): Promise<Result> {
  return recorded(tracing.begin(name, attributes, traceparent), work);
}

async function recorded<Result>(span: OpenSpan, work: (span: Told) => Promise<Result>): Promise<Result> {
  let trouble: string | undefined;
  try {
    return await under.run(span, () => work(span));
  } catch (error) {
    trouble = kindOf(error);
    throw error;
  } finally {
    span.end(trouble);
  }
}

/** Never its message, which may repeat what a server said. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "kind" in error ? String(error.kind) : error.name;
}

/** The span that is open around whoever asks, for other processes; undefined where nothing is traced. */
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

/** The trace that is open around whoever asks: 32 hexadecimal digits. */
export function currentTrace(): string | undefined {
  return traceparentIn(currentTraceparent() ?? "")?.traceId;
}

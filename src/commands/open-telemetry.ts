import { readFileSync } from "node:fs";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { hostname } from "node:os";
import { pid } from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { context, type Span, SpanKind, SpanStatusCode, TraceFlags, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace-base";
import { knownSecrets } from "../base/known-secrets.ts";
import { describeSystemError } from "../base/system-errors.ts";
import { version } from "../base/version.ts";
import { type Attributes, type OpenSpan, type Tracing, traceparentIn } from "../client/spans.ts";

/** The limit of queued spans; further ones are dropped. */
const mostWaiting = 8192;

/** The default of OTEL_EXPORTER_OTLP_TIMEOUT in milliseconds; a run waits at most this long at its end. */
const patience = 2000;

/** The endpoint for traces, the name of its setting, and a callback for an error. */
export interface Destination {
  readonly url: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeout: number | undefined;
  readonly warn: (sentence: string) => void;
}

/**
 * Sends spans to a collector by OTLP over HTTP in the background; errors never fail a run. Disposing sends the rest,
 * within the timeout of one attempt.
 */
export function openTelemetry({ url, env, timeout = patience, warn }: Destination): Tracing & AsyncDisposable {
  const counts = { begun: 0, tried: 0, sent: 0 };
  let firstError: string | undefined;
  const agent = traceAgent(url, env, warn);
  const sender = new OTLPTraceExporter({ url, timeoutMillis: timeout, httpAgentOptions: () => agent });
  const exporter = counting(sender, counts, (why) => {
    firstError ??= why;
  });
  const processor = new BatchSpanProcessor(exporter, { maxQueueSize: mostWaiting, exportTimeoutMillis: timeout });
  const provider = new BasicTracerProvider({ resource: resource(), spanProcessors: [processor] });
  const tracer = provider.getTracer("evenkeel", version);
  const begin = (name: string, attributes: Attributes, around: ReturnType<typeof context.active>): OpenSpan => {
    const kind = "http.request.method" in attributes ? SpanKind.CLIENT : SpanKind.INTERNAL;
    const span = tracer.startSpan(name, { kind, attributes: cleaned(attributes) }, around);
    if (span.isRecording()) counts.begun++;
    const inside = trace.setSpan(around, span);
    return {
      traceparent: traceparentOf(span),
      set: (more) => void span.setAttributes(cleaned(more)),
      begin: (child, more) => begin(child, more, inside),
      end: (error) => end(span, error),
    };
  };
  return {
    begin: (name, attributes, traceparent) => begin(name, attributes, contextOf(traceparent)),
    [Symbol.asyncDispose]: async () => {
      await within(timeout, provider.shutdown());
      // An answer that never ends would keep the process alive.
      agent.destroy();
      const lost = counts.begun - counts.sent;
      if (lost === 0) return;
      const why = counts.tried > counts.sent ? "no answer in time" : "they came faster than they could be sent";
      warn(`${lost} of ${counts.begun} spans could not be sent to ${new URL(url).host}: ${firstError ?? why}`);
    },
  };
}

/** Waits for the last spans, at most this many milliseconds. */
async function within(milliseconds: number, ending: Promise<void>): Promise<void> {
  const timer = new AbortController();
  const late = pause(milliseconds, undefined, { signal: timer.signal }).catch(() => {});
  await Promise.race([ending.catch(() => {}), late]);
  timer.abort();
}

/** Counts exported spans, and reports errors. */
function counting(
  exporter: SpanExporter,
  counts: { tried: number; sent: number },
  failed: (why: string) => void,
): SpanExporter {
  return {
    export: (spans, done) => {
      counts.tried += spans.length;
      exporter.export(spans, (result) => {
        if (result.code === 0) counts.sent += spans.length;
        else failed(describeExportError(result.error));
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

/** Describes an error without text of the collector. */
function describeExportError(error: (Error & { readonly code?: string | number }) | undefined): string {
  if (typeof error?.code === "number") return `it answered ${error.code}`;
  if (error?.code === "ECONNREFUSED") return "connection refused";
  return error?.code ?? "no answer in time";
}

function resource() {
  const own = { "service.name": "evenkeel", "service.version": version };
  const instance = { "service.instance.id": `${hostname()}/${pid}` };
  return resourceFromAttributes({ ...own, ...instance }).merge(detectResources({ detectors: [envDetector] }));
}

/** Redacts attributes, in case one contains a secret. */
function cleaned(attributes: Attributes): Record<string, string | number> {
  const known = Object.entries(attributes).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [[name, typeof value === "string" ? knownSecrets.clean(value) : value] as const];
  });
  return Object.fromEntries(known);
}

function end(span: Span, error: string | undefined): void {
  if (error !== undefined) span.setAttribute("error.type", error).setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

function contextOf(traceparent = "") {
  const parent = traceparentIn(traceparent);
  if (!parent) return context.active();
  const { traceId, spanId, isSampled } = parent;
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(context.active(), { traceId, spanId, traceFlags, isRemote: true });
}

type Environment = Readonly<Record<string, string | undefined>>;

const files = { ca: "CERTIFICATE", cert: "CLIENT_CERTIFICATE", key: "CLIENT_KEY" } as const;

/**
 * The connections to a collector of traces, which can be cut: an answer that never ends would keep the process alive.
 * Certificates are those of the variables of OpenTelemetry.
 */
function traceAgent(url: string, env: Environment, warn: (sentence: string) => void): HttpAgent {
  if (new URL(url).protocol === "http:") return new HttpAgent({ keepAlive: true });
  const read = Object.entries(files).flatMap(([use, name]) => {
    const content = contentOf(env, name, warn);
    return content ? [[use, content]] : [];
  });
  return new HttpsAgent({ keepAlive: true, ...Object.fromEntries(read) });
}

function contentOf(env: Environment, name: string, warn: (sentence: string) => void): Buffer | undefined {
  const names = [`OTEL_EXPORTER_OTLP_TRACES_${name}`, `OTEL_EXPORTER_OTLP_${name}`];
  const variable = names.find((each) => env[each]);
  const file = variable && env[variable];
  if (!file) return undefined;
  try {
    return readFileSync(file);
  } catch (error) {
    warn(`${variable} names ${file}, which cannot be read: ${describeSystemError(error)}`);
    return undefined;
  }
}

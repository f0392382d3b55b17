import type { ExitCode } from "../base/exit.ts";
import { systemCode } from "../base/system-errors.ts";
import { inTrace, type Tracing, traceparentIn } from "../client/spans.ts";
import type { Terminal } from "./terminal.ts";

/** The supported versions: later ones of the exporter need a later Node. */
export const tracingPackages = [
  "@opentelemetry/api@1",
  "@opentelemetry/resources@2",
  "@opentelemetry/sdk-trace-base@2",
  "@opentelemetry/exporter-trace-otlp-http@0.223",
] as const;

type Environment = Terminal["env"];

/** Runs a command as a trace, as a child of TRACEPARENT, if the environment configures an exporter. */
export function traced(
  terminal: Pick<Terminal, "env" | "warn">,
  command: string,
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  return tracedAs(terminal, command, work, (code) => code);
}

/** The same for a result with an exit code. */
export async function tracedAs<Result>(
  terminal: Pick<Terminal, "env" | "warn">,
  command: string,
  work: () => Promise<Result>,
  codeOf: (result: Result) => ExitCode,
): Promise<Result> {
  await using tracing = await openTracing(terminal);
  if (!tracing) return work();
  const { TRACEPARENT: traceparent } = terminal.env;
  if (traceparent && !traceparentIn(traceparent)) {
    terminal.warn("warning: TRACEPARENT is no trace context; expected 00-TRACE-SPAN-FLAGS; a new trace begins");
  }
  return await inTrace(tracing, traceparent, [`evenkeel ${command}`, { "evenkeel.command": command }], async (span) => {
    const result = await work();
    span.set({ "process.exit.code": codeOf(result) });
    return result;
  });
}

/**
 * The exporter of this process; undefined if the environment configures none. Its packages are loaded on demand. An error
 * is a warning and never fails a run.
 */
export async function openTracing({
  env,
  warn,
}: Pick<Terminal, "env" | "warn">): Promise<(Tracing & AsyncDisposable) | undefined> {
  const url = tracesUrl(env);
  if (url === undefined) return undefined;
  const tell = (sentence: string) => warn(`warning: ${sentence}`);
  if (!isHttp(url)) {
    tell(`${variableOf(env)} is no http or https URL; nothing is traced`);
    return undefined;
  }
  try {
    const { openTelemetry } = await import("./open-telemetry.ts");
    return openTelemetry({ url, env, timeout: timeoutOf(env), warn: tell });
  } catch (error) {
    if (!["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"].includes(systemCode(error) ?? "")) throw error;
    tell(`traces need packages that are not installed: npm install ${tracingPackages.join(" ")}; nothing is traced`);
    return undefined;
  }
}

/** By the specification of OpenTelemetry: the general endpoint is a base URL, that of traces is used unchanged. */
function tracesUrl(env: Environment): string | undefined {
  const { OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER } = env;
  if (OTEL_SDK_DISABLED?.toLowerCase() === "true" || OTEL_TRACES_EXPORTER === "none") return undefined;
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own, OTEL_EXPORTER_OTLP_ENDPOINT: base } = env;
  return own || (base ? `${base.replace(/\/$/, "")}/v1/traces` : undefined);
}

function variableOf({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own }: Environment): string {
  return own ? "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" : "OTEL_EXPORTER_OTLP_ENDPOINT";
}

function isHttp(url: string): boolean {
  return URL.canParse(url) && ["http:", "https:"].includes(new URL(url).protocol);
}

function timeoutOf(env: Environment): number | undefined {
  const milliseconds = Number(env.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT || env.OTEL_EXPORTER_OTLP_TIMEOUT);
  return Number.isInteger(milliseconds) && milliseconds > 0 ? milliseconds : undefined;
}

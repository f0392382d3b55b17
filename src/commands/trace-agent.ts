import { readFileSync } from "node:fs";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { describeSystemError } from "../base/system-errors.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const files = { ca: "CERTIFICATE", cert: "CLIENT_CERTIFICATE", key: "CLIENT_KEY" } as const;

/**
 * The connections to a collector of traces, which can be cut: an answer that never ends would keep the process alive.
 * Certificates are those of the variables of OpenTelemetry.
 */
export function traceAgent(url: string, env: Environment, warn: (sentence: string) => void): HttpAgent {
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

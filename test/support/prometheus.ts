import { createRequire } from "node:module";

export interface PrometheusSample {
  readonly value: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Reads Prometheus' text format. The package has no types. */
export const parsePrometheus: (
  text: string,
) => readonly { readonly name: string; readonly metrics: readonly PrometheusSample[] }[] = createRequire(
  import.meta.url,
)("parse-prometheus-text-format");

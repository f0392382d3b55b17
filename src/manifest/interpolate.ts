import { checkParameters } from "../model/parameter-check.ts";
import type { Desired, Problem, Value } from "../model/types.ts";
import type { PolicyEntry } from "./entries.ts";
import { parameterProblem, type WrittenIntegration } from "./parameters.ts";
import type { VariableScope } from "./scope.ts";

interface Filled {
  readonly desired: Desired;
  readonly problems: readonly Problem[];
}

/**
 * An entry with its fields interpolated and their types checked. A field without a value is left out, and the entry
 * stays: what is listed must not look unlisted.
 */
export function fill({ desired, written, templates }: PolicyEntry, scope: VariableScope): Filled {
  if (!written || templates.length === 0) return { desired, problems: [] };
  const fields: Record<string, Value> = { ...desired.fields };
  for (const name of templates) {
    const text = String(fields[name]);
    const resolved = scope.interpolate(text, { document: written.document, path: [...written.path, name] });
    if (typeof resolved === "string") delete fields[name];
    else fields[name] = resolved.value;
  }
  return { desired: { ...desired, fields }, problems: faultsOf(written, templates, fields) };
}

function faultsOf(
  written: WrittenIntegration,
  templates: readonly string[],
  fields: Readonly<Record<string, Value>>,
): readonly Problem[] {
  return checkParameters(written.integration.slug, fields)
    .filter(({ parameter, fault }) => fault !== "missing" && templates.includes(parameter))
    .map((fault) => parameterProblem(fault, written, fields));
}

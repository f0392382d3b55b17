import { printable } from "../base/printable.ts";
import type { Call } from "../model/types.ts";
import { shown } from "./text-changes.ts";

/** What a dry run prints: every request that would be sent, secrets as references. */
export function requestsText(calls: readonly Call[]): string {
  return calls.map(requestText).join("\n");
}

function requestText({ method, path, parameters }: Call): string {
  const lines = Object.entries(parameters ?? {}).map(([name, value]) => `    ${printable(name)}: ${shown(value)}`);
  return [printable(`${method} ${path}`), ...lines].join("\n");
}

import { compile } from "../base/schema.ts";
import { type Fault, parseChecked } from "../model/checked-yaml.ts";
import type { Problem } from "../model/types.ts";
import { type ChaosRule, regexMark } from "./chaos.ts";

export type ParsedChaos = { readonly chaos: readonly ChaosRule[] } | { readonly problems: readonly Problem[] };

const ways = ["status", "reset", "hang", "truncate", "html"] as const;
const flag = { type: "boolean" };

const chaosShape = compile({
  type: "array",
  items: {
    type: "object",
    additionalProperties: false,
    properties: {
      match: { type: "string", minLength: 1 },
      method: { enum: ["GET", "PUT", "POST", "PATCH", "DELETE"] },
      status: { type: "integer", minimum: 200, maximum: 599 },
      reset: flag,
      hang: flag,
      truncate: flag,
      html: flag,
      skip: { type: "integer", minimum: 0 },
      times: { type: "integer", minimum: 1 },
      probability: { type: "number", minimum: 0, maximum: 1 },
      seed: { type: "integer" },
      acted: flag,
      retry_after: { type: "integer", minimum: 0 },
    },
  },
});

/** Reads a list of chaos rules from YAML or JSON. Every mistake is a problem with its place in `file`. */
export function parseChaos(text: string, file = "chaos"): ParsedChaos {
  const checks = { rule: "chaos", shape: chaosShape, empty: [], faults: chaosFaults };
  const parsed = parseChecked<readonly ChaosRule[]>(text, file, checks);
  return "value" in parsed ? { chaos: parsed.value } : parsed;
}

function chaosFaults(rules: readonly ChaosRule[]): Fault[] {
  return rules.flatMap((rule, index) => [...wayFaults(rule, index), ...matchFaults(rule, index)]);
}

/** html may stand beside a status: a page of that status. */
function wayFaults(rule: ChaosRule, index: number): Fault[] {
  const given = ways.filter((way) => rule[way] !== undefined && rule[way] !== false);
  if (given.length === 1 || given.join() === "status,html") return [];
  const problem = given.length === 0 ? "no fault is given" : `${given.join(" and ")} cannot be combined`;
  return [{ path: [index], message: `${problem}; expected one of ${ways.join(", ")}` }];
}

function matchFaults({ match }: ChaosRule, index: number): Fault[] {
  if (!match?.startsWith(regexMark)) return [];
  try {
    new RegExp(match.slice(regexMark.length));
    return [];
  } catch {
    return [{ path: [index, "match"], message: "not a regular expression" }];
  }
}

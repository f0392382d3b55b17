import type { Place, Problem, Severity } from "../model/types.ts";
import type { Path } from "./positions.ts";

/**
 * Every rule that a manifest can break, with what it asks for. A rule is an error unless it says otherwise; rules that
 * change with the release say so where they are checked.
 */
export const rules = {
  "api-version": { asks: "every document says apiVersion: evenkeel/v1" },
  kind: { asks: "every document says what kind it is" },
  yaml: { asks: "a manifest is YAML 1.2" },
  binary: { asks: "a manifest is text in UTF-8" },
  "too-large": { asks: "a manifest is no larger than 4 MiB" },
  symlink: { asks: "a symbolic link stays inside the workspace" },
  "linked-folder": { asks: "manifests do not lie behind a linked folder", severity: "warning" },
  unreadable: { asks: "every manifest can be read" },
  outside: { asks: "manifest patterns stay inside the workspace" },
  ledger: { asks: "the ledger is a file of its own inside the workspace" },
  certificates: { asks: "server.ca names a file of certificates in PEM" },
  "no-manifest": { asks: "every manifest pattern matches a file", severity: "warning" },
  "alias-cycle": { asks: "an alias does not stand inside its own anchor" },
  "alias-bomb": { asks: "aliases do not multiply a document beyond measure" },
  "unknown-key": { asks: "every key is one that this kind of document has" },
  "missing-key": { asks: "a document has the keys that it needs" },
  "wrong-type": { asks: "a value has the type that its key takes" },
  "wrong-value": { asks: "a value is one that its key takes" },
  "unused-setting": { asks: "a setting has an effect", severity: "warning" },
  "unknown-integration": { asks: "a slug is one that the catalogue lists" },
  "unknown-parameter": { asks: "a parameter is one that its integration takes" },
  "required-parameter": { asks: "an integration has the parameters that it needs" },
  "parameter-type": { asks: "a parameter has the type that the API takes" },
  "parameter-enum": { asks: "a parameter is one of the values that the API takes" },
  "parameter-pattern": { asks: "a parameter contains what the API asks for" },
  "plaintext-secret": { asks: "a secret is named, not written" },
  "secret-reference": { asks: "a secret is named as env:NAME or file:PATH" },
  "secret-version": { asks: "a secret has a version only where a ledger remembers it" },
  deprecated: { asks: "no parameter is deprecated", severity: "warning" },
  inactive: { asks: "an integration that can be off says whether it is", severity: "warning" },
  release: { asks: "the release has what is declared" },
  tier: { asks: "the tier has what is declared" },
  environment: { asks: "the environment has what is declared" },
  "legacy-status": { asks: "a license is allowed or denied" },
  "duplicate-license": { asks: "a policy lists a license once, whatever its case" },
  "duplicate-name": { asks: "no two migrations have one name" },
  "duplicate-move": { asks: "what lies on a storage is moved by one migration" },
  "duplicate-policy": { asks: "no two policies have one name" },
  contradiction: { asks: "a policy does not declare what it disables" },
  "no-project": { asks: "every glob matches a project", severity: "warning" },
  "idle-protection": { asks: "every protected glob protects something", severity: "warning" },
  tie: { asks: "policies that are equally specific agree, or have a priority" },
  "undefined-variable": { asks: "every interpolation is defined" },
  "variable-cycle": { asks: "no variable is made of itself" },
  "variable-size": { asks: "variables stay within measure" },
} as const satisfies Readonly<Record<string, { readonly asks: string; readonly severity?: Severity }>>;

export type Rule = keyof typeof rules;

/** Anything that knows the places of its values. */
export interface Placed {
  place(path: Path, of?: "key" | "value"): Place;
}

/** A problem at a value, or at its key, with the rule's own severity. */
export function problemAt(
  rule: Rule,
  message: string,
  { document, path, of = "value" }: { document: Placed; path: Path; of?: "key" | "value" | undefined },
): Problem {
  const place = document.place(path, of);
  return { severity: severityOf(rule), rule, message, place, ...(path.length > 0 && { path: dotted(path) }) };
}

/** A problem of a whole file, at its first character. */
export function problemIn(file: string, rule: Rule, message: string, line = 1, column = 1): Problem {
  return { severity: severityOf(rule), rule, message, place: { file, line, column } };
}

function severityOf(rule: Rule): Severity {
  const row: { readonly asks: string; readonly severity?: Severity } = rules[rule];
  return row.severity ?? "error";
}

/** `projects[0]`, `integrations.irc-gateway.server_port`. */
function dotted(path: Path): string {
  return path.map((part, i) => (typeof part === "number" ? `[${part}]` : i > 0 ? `.${part}` : part)).join("");
}

/** By file, line, column, then rule and message, each told once. */
export function sortedProblems(problems: readonly Problem[]): readonly Problem[] {
  const told = new Map(problems.toReversed().map((problem) => [JSON.stringify(orderOf(problem)), problem]));
  return [...told.values()].sort(compareProblems);
}

function compareProblems(a: Problem, b: Problem): number {
  const left = orderOf(a);
  const right = orderOf(b);
  const i = left.findIndex((part, index) => part !== right[index]);
  return i < 0 ? 0 : (left[i] ?? "") < (right[i] ?? "") ? -1 : 1;
}

function orderOf({ place, rule, message }: Problem): readonly (string | number)[] {
  return [place?.file ?? "", place?.line ?? 0, place?.column ?? 0, rule, message];
}

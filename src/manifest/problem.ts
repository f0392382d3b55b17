import type { ExpressionFault } from "../base/cel.ts";
import { grouped } from "../base/grouped.ts";
import type { Place, Problem, Severity } from "../model/types.ts";
import type { Path } from "./positions.ts";

/**
 * All rules that manifests are checked against, with their requirements. The severity is error unless stated. Rules that
 * depend on the release set their severity where they are checked.
 */
export const rules = {
  "api-version": { asks: "every document has apiVersion: evenkeel/v1" },
  kind: { asks: "every document has a known kind" },
  yaml: { asks: "a manifest is YAML 1.2" },
  binary: { asks: "a manifest is text in UTF-8" },
  "empty-file": { asks: "a manifest declares something", severity: "warning" },
  "too-large": { asks: "a manifest is no larger than 4 MiB" },
  symlink: { asks: "a symbolic link stays inside the workspace" },
  "linked-folder": { asks: "manifests are not in a linked folder", severity: "warning" },
  submodule: { asks: "manifests are in no submodule", severity: "warning" },
  unreadable: { asks: "every manifest can be read" },
  outside: { asks: "manifest patterns stay inside the workspace" },
  ledger: { asks: "the ledger is a separate file inside the workspace" },
  certificates: { asks: "server.ca names a file of certificates in PEM" },
  "no-manifest": { asks: "every manifest pattern matches a file", severity: "warning" },
  "alias-cycle": { asks: "an alias does not refer to the anchor that contains it" },
  "alias-bomb": { asks: "aliases do not expand a document beyond its limit" },
  "merge-key": { asks: "no mapping has a merge key, which YAML 1.2 does not have" },
  "unknown-key": { asks: "every key is known for this kind of document" },
  "missing-key": { asks: "a document has the keys that it needs" },
  "wrong-type": { asks: "a value has the type that its key expects" },
  "wrong-value": { asks: "a value is one that its key allows" },
  "workspace-name": { asks: "a workspace with a shared state has a name" },
  "unused-setting": { asks: "a setting has an effect", severity: "warning" },
  "unknown-integration": { asks: "every slug is in the catalogue" },
  "unknown-parameter": { asks: "every parameter belongs to its integration" },
  "required-parameter": { asks: "an integration has its required parameters" },
  "parameter-type": { asks: "a parameter has the type that the API expects" },
  "parameter-enum": { asks: "a parameter is one of the values that the API allows" },
  "parameter-pattern": { asks: "a parameter matches the pattern that the API requires" },
  "plaintext-secret": { asks: "a secret is a reference, not a literal" },
  "secret-reference": { asks: "a secret reference is env:NAME, file:PATH or PROVIDER:NAME" },
  "secret-form": { asks: "a secret whose value is at hand has a form that the server takes" },
  "secret-provider": { asks: "every provider of a secret is defined" },
  "secret-providers": { asks: "the file of providers is outside the workspace", severity: "warning" },
  "secret-version": { asks: "a secret has a version only if there is a ledger" },
  deprecated: { asks: "no parameter is deprecated", severity: "warning" },
  inactive: { asks: "an integration that can be off sets active", severity: "warning" },
  release: { asks: "the release supports what is declared" },
  "other-release": { asks: "server.release is the release of the server", severity: "warning" },
  tier: { asks: "the tier supports what is declared" },
  environment: { asks: "the environment supports what is declared" },
  "legacy-status": { asks: "a license is allowed or denied" },
  "duplicate-license": { asks: "a policy lists a license once, ignoring case" },
  "duplicate-resource": { asks: "a policy lists a resource once" },
  "duplicate-name": { asks: "migrations, and tests, have different names" },
  "duplicate-move": { asks: "repositories of a storage are moved by only one migration" },
  "duplicate-policy": { asks: "policies have different names" },
  "resource-kind": { asks: "a kind of resource is described by its schema, and its expressions are CEL" },
  "duplicate-rule": { asks: "rules have different names" },
  "rule-expression": { asks: "a rule's when is CEL that knows its names and is true or false" },
  "rules-folder": { asks: "EVENKEEL_RULES names a folder with rules" },
  where: { asks: "where of a policy is CEL that knows its names and is true or false" },
  expiry: { asks: "nothing has expired or is about to", severity: "warning" },
  contradiction: { asks: "a policy does not declare what it disables" },
  "no-project": { asks: "every glob and every exception matches a project", severity: "warning" },
  "idle-protection": { asks: "every protected glob protects something", severity: "warning" },
  tie: { asks: "policies that are equally specific agree, or have a priority" },
  narrowed: { asks: "an entry that overrides another has its fields, or inherits them", severity: "warning" },
  overridden: { asks: "no other policy enforces a different value", severity: "warning" },
  "undefined-variable": { asks: "every interpolation is defined" },
  "variable-cycle": { asks: "no variable refers to itself" },
  "variable-size": { asks: "variables stay within their limits" },
} as const satisfies Readonly<Record<string, { readonly asks: string; readonly severity?: Severity }>>;

export type Rule = keyof typeof rules;

export interface Placed {
  place(path: Path, of?: "key" | "value"): Place;
}

export function problemAt(
  rule: Rule,
  message: string,
  { document, path, of = "value" }: { document: Placed; path: Path; of?: "key" | "value" | undefined },
): Problem {
  const place = document.place(path, of);
  return { severity: findSeverity(rule), rule, message, place, ...(path.length > 0 && { path: joinPath(path) }) };
}

interface Commented {
  isCommented(path: Path): boolean;
}

/** A hint for an empty value whose text `#` turned into a comment: `channel: #x`. */
export function commentHint(document: Commented, path: Path, value: unknown): string {
  const isComment = (value === null || value === undefined) && document.isCommented(path);
  return isComment ? ": what follows # is a comment; a value that begins with # needs quotes" : "";
}

interface WrittenExpression {
  readonly document: Placed & { within(path: Path, text: string, offset: number): Place };
  readonly key: string;
  readonly text: string;
}

export function expressionProblem(
  rule: Rule,
  { document, key, text }: WrittenExpression,
  { message, offset }: ExpressionFault,
): Problem {
  const problem = problemAt(rule, message, { document, path: [key] });
  return { ...problem, place: document.within([key], text, offset), excerpt: createExcerpt(text, offset) };
}

function createExcerpt(text: string, offset: number): string {
  const start = Math.max(text.lastIndexOf("\n", offset - 1) + 1, offset - 60);
  const line = text.slice(start, start + 100).split("\n")[0] ?? "";
  return `${line.trimEnd()}\n${" ".repeat(offset - start)}^`;
}

export function problemIn(file: string, rule: Rule, message: string, line = 1, column = 1): Problem {
  return { severity: findSeverity(rule), rule, message, place: { file, line, column } };
}

function findSeverity(rule: Rule): Severity {
  const row: { readonly asks: string; readonly severity?: Severity } = rules[rule];
  return row.severity ?? "error";
}

/** A path as text: `projects[0]`, `integrations.irc-gateway.server_port`. */
function joinPath(path: Path): string {
  return path.map((part, i) => (typeof part === "number" ? `[${part}]` : i > 0 ? `.${part}` : part)).join("");
}

/** Sorts by file, line, column, rule and message, and merges duplicates. A merged problem names its first project. */
export function sortedProblems(problems: readonly Problem[]): readonly Problem[] {
  const duplicates = grouped(problems, (problem) => JSON.stringify(sortKey(problem)));
  return [...duplicates.values()].flatMap(inProjects).sort(compareProblems);
}

/** The position is in a policy, which may select thousands of projects. */
function inProjects([problem, ...others]: readonly Problem[]): readonly Problem[] {
  if (!problem?.project || problem.rule !== lacking) return problem ? [problem] : [];
  const more = new Set(others.map(({ project }) => project).filter((project) => project !== problem.project)).size;
  const named = `${problem.project}${more > 0 ? ` and ${more} more` : ""}`;
  return [{ ...problem, message: problem.message.replace("this project", named) }];
}

const lacking: Rule = "undefined-variable";

function compareProblems(a: Problem, b: Problem): number {
  const left = sortKey(a);
  const right = sortKey(b);
  const i = left.findIndex((part, index) => part !== right[index]);
  return i < 0 ? 0 : (left[i] ?? "") < (right[i] ?? "") ? -1 : 1;
}

function sortKey({ place, rule, message }: Problem): readonly (string | number)[] {
  return [place?.file ?? "", place?.line ?? 0, place?.column ?? 0, rule, message];
}

export function duplicateNames(
  rule: Rule,
  noun: string,
  named: readonly { readonly name: string; readonly document: Placed }[],
): readonly Problem[] {
  const first = new Map<string, Placed>();
  return named.flatMap(({ name, document }) => {
    const other = first.get(name);
    first.set(name, other ?? document);
    if (!other || name === "") return [];
    const { file, line } = other.place(["name"]);
    return [problemAt(rule, `${noun} named ${name} is also defined at ${file}:${line}`, { document, path: ["name"] })];
  });
}

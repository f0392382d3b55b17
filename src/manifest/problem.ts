import severities from "../../schemas/problem-rules.json" with { type: "json" };
import type { ExpressionFault } from "../base/cel.ts";
import { type Group, grouped } from "../base/grouped.ts";
import type { Place, Problem, Severity } from "../model/types.ts";
import type { Path } from "./positions.ts";

/** The rules that manifests are checked against. Those that depend on the release set their severity themselves. */
export type Rule = keyof typeof severities;

export const rules: ReadonlySet<string> = new Set(Object.keys(severities));

export interface Placed {
  place(path: Path, of?: "key" | "value"): Place;
}

/** A value in a manifest, by its path in the document. */
export interface ManifestLocation {
  readonly document: Placed;
  readonly path: Path;
}

export function problemAt(
  rule: Rule,
  message: string,
  { document, path, of = "value" }: { document: Placed; path: Path; of?: "key" | "value" | undefined },
): Problem {
  // `projects[0]`, `integrations.irc-gateway.server_port`.
  const parts = path.map((part, i) => (typeof part === "number" ? `[${part}]` : i > 0 ? `.${part}` : part));
  return {
    severity: severities[rule] as Severity,
    rule,
    message,
    place: document.place(path, of),
    ...(path.length > 0 && { path: parts.join("") }),
  };
}

/** A hint for an empty value whose text `#` turned into a comment: `channel: #x`. */
export function commentHint(document: { isCommented(path: Path): boolean }, path: Path, value: unknown): string {
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
  const start = Math.max(text.lastIndexOf("\n", offset - 1) + 1, offset - 60);
  const line = text.slice(start, start + 100).split("\n")[0] ?? "";
  const excerpt = `${line.trimEnd()}\n${" ".repeat(offset - start)}^`;
  const problem = problemAt(rule, message, { document, path: [key] });
  return { ...problem, place: document.within([key], text, offset), excerpt };
}

export function problemIn(file: string, rule: Rule, message: string, line = 1, column = 1): Problem {
  return { severity: severities[rule] as Severity, rule, message, place: { file, line, column } };
}

/** Sorts by file, line, column, rule and message, and merges duplicates. A merged problem names its first project. */
export function sortedProblems(problems: readonly Problem[]): readonly Problem[] {
  const duplicates = grouped(problems, (problem) => JSON.stringify(sortKey(problem)));
  return [...duplicates.values()].map(inProjects).sort(compareProblems);
}

/** The position is in a policy, which may select thousands of projects. */
function inProjects([problem, ...others]: Group<Problem>): Problem {
  if (!problem.project || problem.rule !== "undefined-variable") return problem;
  const more = new Set(others.map(({ project }) => project).filter((project) => project !== problem.project)).size;
  const named = `${problem.project}${more > 0 ? ` and ${more} more` : ""}`;
  return { ...problem, message: problem.message.replace("this project", named) };
}

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

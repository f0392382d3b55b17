import { isDay } from "../base/day.ts";
import { isObject } from "../base/json.ts";
import { byName } from "../base/text-format.ts";
import { addressGlobFault } from "../model/address.ts";
import type { Problem, Severity } from "../model/types.ts";
import type { Document } from "./document.ts";
import { readHead, readKind } from "./document-head.ts";
import { problemAt } from "./problem.ts";
import { listed } from "./shape.ts";

export interface PlanRule {
  readonly name: string;
  readonly severity: Severity;
  readonly on: "change" | "plan";
  /** CEL. */
  readonly when: string;
  readonly message: string;
  readonly except: readonly string[];
  readonly until?: string;
  readonly document: Document;
}

export function readRules(documents: readonly Document[]) {
  const { items, problems } = readKind(documents, "Rule", "a rule", readRule);
  return { rules: items.toSorted(byName), problems };
}

/** All rules from outside the workspace, where authors of manifests cannot edit them. Other kinds are not allowed there. */
export function readOutsideRules(documents: readonly Document[]) {
  const strays = documents.flatMap((document) => {
    const { kind, problem } = readHead(document);
    if (problem || kind === "Rule") return problem ?? [];
    return problemAt("kind", "expected kind: Rule; a folder of rules holds nothing else", { document, path: ["kind"] });
  });
  const { rules, problems } = readRules(documents);
  return { rules, problems: [...strays, ...problems] };
}

/** A rule of the workspace never replaces one from outside. If both have the same name, both apply, with a warning. */
export function shadowed(rules: readonly PlanRule[], outside: readonly PlanRule[]): readonly Problem[] {
  const names = new Map(outside.map((rule) => [rule.name, rule]));
  return rules.flatMap(({ name, document }) => {
    const other = name === "" ? undefined : names.get(name)?.document.place(["name"]);
    if (!other) return [];
    const message = `a rule named ${name} is also defined outside the workspace, at ${other.file}:${other.line}; both hold`;
    return [{ ...problemAt("duplicate-rule", message, { document, path: ["name"] }), severity: "warning" as const }];
  });
}

type RuleText = Omit<PlanRule, "document"> & { readonly reason: string };

function readRule(text: Partial<RuleText>, document: Document) {
  const { name = "", severity = "error", on = "change", when, message = "", until } = text;
  const problems = [...undated(document, until), ...faultyGlobs(document, text), ...unusedKeys(document, text)];
  const { value } = document;
  // If `on` is invalid, it is unknown which variables the expression may use.
  const isUnscoped = text.on === undefined && isObject(value) && Object.hasOwn(value, "on");
  if (when === undefined || isUnscoped) return { problems };
  const except = listed(text.except).map(([glob]) => glob);
  const end = until !== undefined && isDay(until) && { until };
  return { problems, item: { name, severity, on, when, message, except, ...end, document } };
}

export function undated(document: Document, date: string | undefined, key = "until"): readonly Problem[] {
  if (date === undefined || isDay(date)) return [];
  return [problemAt("wrong-value", `there is no ${date}; expected a date that exists`, { document, path: [key] })];
}

function faultyGlobs(document: Document, { except }: Partial<RuleText>): readonly Problem[] {
  return listed(except).flatMap(([glob, index]) => {
    const fault = addressGlobFault(glob);
    return fault ? [problemAt("wrong-value", `expected ${fault}`, { document, path: ["except", index] })] : [];
  });
}

function unusedKeys(document: Document, { except, until, reason }: Partial<RuleText>): readonly Problem[] {
  if (except !== undefined) return [];
  const idle = [...(until === undefined ? [] : ["until"]), ...(reason === undefined ? [] : ["reason"])];
  return idle.map((key) =>
    problemAt("unused-setting", `${key} has no effect without except`, { document, path: [key], of: "key" }),
  );
}

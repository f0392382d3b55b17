import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { UserError } from "../base/exit.ts";
import { describeSystemError } from "../base/system-errors.ts";
import { type CheckedYaml, parseChecked } from "../model/checked-yaml.ts";
import { compileKindExpression } from "../model/kind-expressions.ts";
import type { ResourceKind } from "../model/resource-kind.ts";
import { resourceKindFaults } from "../model/resource-kind-faults.ts";
import type { Problem } from "../model/types.ts";

/** The kinds of resources in a folder, or the problems that they have. */
export type KindsRead = { readonly kinds: readonly ResourceKind[] } | { readonly problems: readonly Problem[] };

/**
 * Reads the `ResourceKind` documents of a folder and of those below it; other documents, such as policies of a workspace,
 * are left alone. `known` are the kinds whose names are taken.
 */
export function readKinds(cwd: string, folder: string, known: readonly ResourceKind[]): KindsRead {
  const kinds: ResourceKind[] = [];
  const problems: Problem[] = [];
  for (const { file, text } of documentsIn(cwd, folder)) {
    const parsed = parseKind(text, file, [...known, ...kinds]);
    if ("value" in parsed) kinds.push(parsed.value);
    else problems.push(...parsed.problems);
  }
  return problems.length > 0 ? { problems } : { kinds };
}

function parseKind(text: string, file: string, others: readonly ResourceKind[]): CheckedYaml<ResourceKind> {
  return parseChecked<ResourceKind>(text, file, {
    rule: "resource-kind",
    shape: () => [],
    empty: {} as ResourceKind,
    faults: (value) => resourceKindFaults(value, others, compileKindExpression),
  });
}

interface DocumentText {
  readonly file: string;
  /** With empty lines in place of what comes before it in the file, so that locations are those of the file. */
  readonly text: string;
}

function documentsIn(cwd: string, folder: string): readonly DocumentText[] {
  return filesIn(resolve(cwd, folder)).flatMap((path) => {
    const file = relative(cwd, path);
    return documentsOf(readFileSync(path, "utf8"))
      .filter((text) => /^kind: *["']?ResourceKind["']?\s*(#.*)?$/m.test(text))
      .map((text) => ({ file, text }));
  });
}

function filesIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return entries.flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return isIgnored(entry.name) ? [] : filesIn(path);
      return /\.ya?ml$/.test(entry.name) ? [path] : [];
    });
  } catch (error) {
    throw new UserError(`cannot read ${folder}: ${describeSystemError(error)}`);
  }
}

function isIgnored(name: string): boolean {
  return name.startsWith(".") || name === "node_modules";
}

function documentsOf(text: string): readonly string[] {
  const lines = text.split("\n");
  const starts = lines.flatMap((line, index) => (/^---(\s|$)/.test(line) ? [index + 1] : []));
  const bounds = [0, ...starts];
  return bounds.map((start, index) => {
    const end = (bounds[index + 1] ?? lines.length + 1) - 1;
    return "\n".repeat(start) + lines.slice(start, end).join("\n");
  });
}

import { closeSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { describeSystemError } from "../base/system-errors.ts";
import { type Placed, problemAt } from "../manifest/problem.ts";
import type { Problem } from "../model/types.ts";
import { isLedger } from "../plan/diff/ledger-line.ts";
import { isThere } from "./durable-file.ts";
import { linesOf, openRegular } from "./file-lines.ts";
import { outputAt } from "./output-file.ts";

/**
 * Problems of the ledger path of a workspace, because an apply would overwrite an existing file there. `workspace` is its
 * document; without a ledger path there are none.
 */
export function ledgerProblems(
  root: string,
  ledger: string | undefined,
  workspace: Placed | undefined,
): readonly Problem[] {
  if (ledger === undefined || ledger === "state" || workspace === undefined) return [];
  const fault = faultOf(root, ledger);
  return fault ? [problemAt("ledger", fault, { document: workspace, path: ["ledger"] })] : [];
}

function faultOf(root: string, ledger: string): string | undefined {
  if (/^(?:[/\\]|[A-Za-z]:)/.test(ledger) || isOutside(join(root, ledger), root)) return outside;
  try {
    const output = outputAt(join(root, ledger));
    if (!("file" in output)) return `expected a regular file, and ${ledger} is not one`;
    const home = realpathSync(root);
    const file = resolved(output.file);
    if (isOutside(file, home)) return outside;
    return nameFault(join(root, ledger), root) ?? nameFault(file, home) ?? contentFault(file);
  } catch (error) {
    return `${ledger} cannot be read: ${describeSystemError(error)}`;
  }
}

const outside = "expected a path inside the workspace, links followed";

function isOutside(path: string, folder: string): boolean {
  return !path.startsWith(folder === sep ? folder : folder + sep);
}

/** Resolves links in the existing parent folders. */
function resolved(path: string): string {
  if (isThere(path) || dirname(path) === path) return realpathSync(path);
  return join(resolved(dirname(path)), basename(path));
}

const taken: readonly (readonly [RegExp, string])[] = [
  [/\.ya?ml$/i, "a name that does not end in .yaml or .yml"],
  [/(?:^|\/)\.git(?:\/|$)/i, "a path outside .git"],
  [
    /^\.evenkeel\/(?:lock|watch\.lock|journal|runs|plans|notes|snapshots|\.gitignore)(?:[./]|$)|\.key$/i,
    "a path that is not used for other state",
  ],
];

function nameFault(path: string, root: string): string | undefined {
  const name = relative(root, path).split(sep).join("/");
  const [, expected] = taken.find(([pattern]) => pattern.test(name)) ?? [];
  return expected && `expected ${expected}, such as .evenkeel/ledger.ndjson`;
}

function contentFault(file: string): string | undefined {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) return undefined;
  if (!stat.isFile()) return "expected a file, got a folder";
  const opened = openRegular(file);
  try {
    return isLedger(textsIn(opened)) ? undefined : "expected a ledger or a new file; this file has other content";
  } finally {
    closeSync(opened);
  }
}

function* textsIn(file: number): Iterable<string> {
  for (const { text } of linesOf(file)) yield text;
}

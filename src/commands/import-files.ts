import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { type Draft, policyText } from "../import/policy.ts";
import { validate } from "../manifest/validate.ts";
import type { Problem } from "../model/types.ts";
import { loadWorkspace, workspaceAbove } from "../workspace/load.ts";
import { save } from "./emit.ts";
import type { Terminal } from "./terminal.ts";

/** A draft and the path of its file, as seen from the terminal's folder. */
export type ImportedFile = readonly [path: string, draft: Draft];

/** Where drafts go: to a folder that was named, or to `policies/` of the workspace around `around`. */
export function placed(
  { cwd }: Terminal,
  drafts: readonly Draft[],
  around: string,
  out?: string,
): readonly ImportedFile[] {
  const folder = out === undefined ? join(rootOf(around), "policies") : resolve(cwd, out);
  return drafts.map((draft) => [relative(cwd, join(folder, draft.file)), draft]);
}

function rootOf(around: string): string {
  const workspace = workspaceAbove(around);
  return workspace ? dirname(workspace) : around;
}

/** Undefined where none of the files exists. */
export function takenProblem({ cwd }: Terminal, written: readonly ImportedFile[]): Problem | undefined {
  const [first, ...others] = written.filter(([path]) => existsSync(resolve(cwd, path)));
  if (!first) return undefined;
  const which = others.length > 0 ? `${first[0]} and ${others.length} more exist` : `${first[0]} exists`;
  const message = `${which} already; nothing was written. Move what is there away, or give another --out`;
  return { severity: "error", rule: "exists", message };
}

/** Writes the policies. @throws Refusal where one cannot be written. */
export function write(terminal: Terminal, written: readonly ImportedFile[], around: string): void {
  for (const [path, draft] of written) {
    const folder = dirname(resolve(terminal.cwd, path));
    save(terminal, path, policyText(draft, schemaFrom(folder, around)));
  }
}

const modeline = /^# *yaml-language-server: *\$schema=(\S+)/m;

/** Where the manifests' schema lies, as seen from a folder: where evenkeel.yaml says, else where init puts it. */
function schemaFrom(folder: string, around: string): string {
  const workspace = workspaceAbove(around);
  const told = workspace && modeline.exec(readFileSync(workspace, "utf8"))?.[1];
  if (told && /^\w+:\/\//.test(told)) return told;
  const schema = resolve(rootOf(around), told ?? ".evenkeel/schemas/manifest.schema.json");
  return relative(folder, schema).replaceAll(sep, "/");
}

/** What a person would find out only later: files that the workspace does not look at, and policies that do not go together. */
export function tellDoubts({ cwd, note }: Terminal, written: readonly ImportedFile[], around: string): void {
  if (!workspaceAbove(around) || written.length === 0) return;
  const loaded = loadWorkspace(around);
  const listed = new Set(loaded.documents.map(({ file }) => resolve(loaded.root, file)));
  const unlisted = written.find(([path]) => !listed.has(resolve(cwd, path)));
  if (unlisted) note(`note: ${unlisted[0]} is not among the manifests of evenkeel.yaml`);
  const problems = validate(loaded).problems.filter(({ severity }) => severity === "error");
  if (problems.length > 0) note(`note: the workspace is not valid with it; evenkeel validate says why`);
}

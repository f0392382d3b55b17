import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { format } from "../author/format/format.ts";
import type { ImportResult } from "../author/import/import-projects.ts";
import { listVariables, withOwnNames } from "../author/import/names.ts";
import { type Draft, policyFileText } from "../author/import/policy.ts";
import { UserError } from "../base/exit.ts";
import { groupedAs } from "../base/grouped.ts";
import { isObject } from "../base/json.ts";
import { hasErrors, validate } from "../manifest/validate.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { Problem } from "../model/types.ts";
import type { ImportReport } from "../report/import.ts";
import { loadedAt } from "../run/context.ts";
import { isThere } from "../workspace/durable-file.ts";
import { loadWorkspace, workspaceAbove } from "../workspace/load.ts";
import { linkFault, makeFiles } from "../workspace/output-file.ts";
import type { Terminal } from "./terminal.ts";

type ImportedFile = readonly [path: string, draft: Draft];

/** Writes all files, or none if one exists or cannot be written. */
export function writeDrafts(
  terminal: Terminal,
  { drafts, idle, archived = 0, problems }: ImportResult,
  out: string | undefined,
  catalogue: Catalogue,
): ImportReport {
  const { folder } = terminal;
  const named = withOwnNames(drafts, listNames(folder));
  const place = out === undefined ? join(findRoot(folder), "policies") : resolve(terminal.cwd, out);
  const written = named.map((draft): ImportedFile => [relative(terminal.cwd, join(place, draft.file)), draft]);
  const taken = describeTaken(terminal, written);
  const fault = taken ?? describeLink(folder, out) ?? write(terminal, written, catalogue);
  if (fault === undefined) return { written, idle, archived, problems, catalogue };
  const problem: Problem = { severity: "error", rule: taken === undefined ? "unwritable" : "exists", message: fault };
  return { written: [], idle: [], archived, problems: [...problems, problem], catalogue };
}

/** The names of the workspace's policies, since several imports may cover the same projects. */
function listNames(folder: string): readonly string[] {
  if (!workspaceAbove(folder)) return [];
  return loadWorkspace(folder).documents.flatMap(({ value }) =>
    isObject(value) && typeof value.name === "string" ? [value.name] : [],
  );
}

/** Names of variables that the manifests of a workspace refer to; other secrets must not share them. */
export function takenVariables(folder: string): readonly string[] {
  return workspaceAbove(folder) ? listVariables(loadWorkspace(folder).documents) : [];
}

/** A folder that the user names may be outside the workspace; the default one may not. */
function describeLink(around: string, out: string | undefined): string | undefined {
  const fault = out === undefined ? linkFault(findRoot(around), "policies") : undefined;
  return fault && `cannot write policies/: ${fault}, or give another --out`;
}

function findRoot(around: string): string {
  const workspace = workspaceAbove(around);
  return workspace ? dirname(workspace) : around;
}

function describeTaken({ cwd }: Terminal, written: readonly ImportedFile[]): string | undefined {
  const [first, ...others] = [...draftsByFile(written).keys()].filter((path) => isThere(resolve(cwd, path)));
  if (first === undefined) return undefined;
  const which = others.length > 0 ? `${first} and ${others.length} more exist` : `${first} exists`;
  return `${which} already; nothing was written. Move ${others.length > 0 ? "them" : "it"} away, or give another --out`;
}

/** Returns the reason if the files cannot be written. */
function write({ cwd, folder }: Terminal, written: readonly ImportedFile[], catalogue: Catalogue): string | undefined {
  const files = [...draftsByFile(written)].map(([name, drafts]) => {
    const path = resolve(cwd, name);
    const text = policyFileText(drafts, schemaFrom(dirname(path), folder), catalogue);
    const result = format(name, text, catalogue);
    return { name, path, text: "text" in result ? result.text : text };
  });
  try {
    makeFiles(files);
    return undefined;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.message;
  }
}

function draftsByFile(written: readonly ImportedFile[]): ReadonlyMap<string, readonly Draft[]> {
  return groupedAs(written, (pair) => pair);
}

const modeline = /^# *yaml-language-server: *\$schema=(\S+)/m;

/** The path of the manifest schema relative to a folder: as in evenkeel.yaml, or else as written by `init`. */
export function schemaFrom(folder: string, around: string): string {
  const workspace = workspaceAbove(around);
  const schemaPath = workspace && modeline.exec(readFileSync(workspace, "utf8"))?.[1];
  if (schemaPath && /^\w+:\/\//.test(schemaPath)) return schemaPath;
  const schema = resolve(findRoot(around), schemaPath ?? ".evenkeel/schemas/manifest.schema.json");
  return relative(folder, schema).replaceAll(sep, "/");
}

/** Returns true if the workspace is valid for this release of the server. */
export function checkImported({ cwd, folder, note }: Terminal, written: readonly ImportedFile[], release?: string) {
  if (!workspaceAbove(folder) || written.length === 0) return true;
  const loaded = loadWorkspace(folder);
  const listed = new Set(loaded.documents.map(({ file }) => resolve(loaded.root, file)));
  const unlisted = written.find(([path]) => !listed.has(resolve(cwd, path)));
  if (unlisted) note(`note: ${unlisted[0]} is not among the manifests of evenkeel.yaml`);
  if (!hasErrors(validate(loaded).problems)) return true;
  const isValid = release !== undefined && !hasErrors(validate(loadedAt(loaded, release)).problems);
  const assumed = loaded.workspace.server.release;
  const known = `set server.release: ${JSON.stringify(release)} in evenkeel.yaml for evenkeel validate, which works offline and assumes ${assumed}`;
  note(`note: ${isValid ? known : "the workspace is not valid with it; evenkeel validate says why"}`);
  return isValid;
}

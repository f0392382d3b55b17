import { createHash, type Hash } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { UserError } from "../base/exit.ts";
import { type Document, type Parsed, parseManifest } from "../manifest/document.ts";
import { withKindsOf, withOwnKinds } from "../manifest/own-kinds.ts";
import { problemAt, problemIn } from "../manifest/problem.ts";
import {
  defaultWorkspace,
  expectedWorkspace,
  type Loaded,
  type ReadWorkspace,
  readWorkspace,
  type Workspace,
  workspaceFile,
} from "../manifest/workspace.ts";
import { type Catalogue, catalogueOf } from "../model/catalogue.ts";
import { bySeverity, reportedLine } from "../model/problem-line.ts";
import type { Problem } from "../model/types.ts";
import { readCertificates } from "../secrets/certificates.ts";
import { loadProviders, providersPath } from "../secrets/providers-file.ts";
import { discover } from "./discover.ts";
import { ledgerProblems } from "./ledger-place.ts";
import { type ReadText, textReader } from "./read-manifest.ts";

export type { Document } from "../manifest/document.ts";
export type { Loaded, Workspace } from "../manifest/workspace.ts";

/** Parses a manifest. */
export type ParseManifest = (file: string, text: string) => Parsed;

/**
 * Reads the workspace that contains a folder: `evenkeel.yaml`, in the folder or above it, its manifests, and the providers
 * file that `env` names. Errors in files are problems.
 * @throws UserError if there is no workspace.
 */
export function loadWorkspace(
  folder: string,
  env: Readonly<Record<string, string | undefined>> = {},
  parse: ParseManifest = parseManifest,
): Loaded {
  const root = dirname(findWorkspace(folder));
  const digest = createHash("sha256");
  const read = textReader(root);
  const head = load(read, workspaceFile, digest, parse);
  const { authorities, ...settings } = readSettings(root, head);
  const found = findManifests(root, head, settings);
  const ledger = ledgerProblems(root, settings.workspace.ledger, head.documents[0]);
  const providers = providersPath(env);
  const files = found.files.filter((file) => join(root, file) !== providers);
  const manifests = files.map((file) => load(read, file, digest, parse));
  const workspace = joined(found, [{ documents: [], problems: ledger }, ...manifests]);
  return {
    root,
    authorities,
    providers: loadProviders(env, root),
    ...workspace,
    digest: `sha256:${digest.digest("hex")}`,
  };
}

/** A workspace whose manifests are not read yet. */
export interface FoundManifests extends ReadWorkspace {
  readonly settings?: Document;
  /** Sorted paths relative to the workspace. */
  readonly files: readonly string[];
}

/** Finds the manifests of the workspace with the parsed `evenkeel.yaml` `head` and its settings `read`. */
export function findManifests(root: string, head: Parsed, read = readWorkspace(head)): FoundManifests {
  const [settings] = head.documents;
  const { files, problems } = discover(root, read.workspace.manifests, settings);
  return { ...read, files, ...(settings && { settings }), problems: [...read.problems, ...problems] };
}

/** Completes a workspace with its parsed manifests. */
export function joined(
  { files: _, problems, ...found }: FoundManifests,
  manifests: readonly Parsed[],
): Omit<Loaded, "root" | "digest"> {
  return withOwnKinds({
    ...found,
    documents: manifests.flatMap(({ documents }) => documents),
    problems: [...problems, ...manifests.flatMap((each) => each.problems)],
  });
}

/**
 * The settings of the workspace that contains a folder, without its manifests; without a workspace the defaults.
 * @throws UserError if `evenkeel.yaml` is not valid, with one line per error.
 */
export function loadSettings(folder: string): Workspace & Pick<Loaded, "authorities"> {
  const file = workspaceAbove(folder);
  if (!file) return defaultWorkspace;
  const root = dirname(file);
  const { workspace, authorities, problems } = readSettings(root, loadHead(root));
  const { problems: mistakes } = bySeverity(problems);
  if (mistakes.length > 0) throw new UserError(mistakes.map(reportedLine).join("\n"));
  return { ...workspace, authorities };
}

/** The dialect of the workspace that contains a folder, even if it is not valid; without one the specification's. */
export function dialectAround(folder: string): string {
  const file = workspaceAbove(folder);
  if (!file) return defaultWorkspace.server.dialect;
  const head = loadHead(dirname(file));
  return readWorkspace(head).workspace.server.dialect;
}

/**
 * The catalogue of a dialect, by default that of the workspace that contains a folder, with the kinds of resources that
 * this workspace describes, even if it is not valid. Reads only manifests that can describe a kind.
 */
export function catalogueAround(folder: string, dialect: string = dialectAround(folder)): Catalogue {
  const file = workspaceAbove(folder);
  const documents = file ? loadWorkspace(dirname(file), {}, parseKinds).documents : [];
  return withKindsOf(documents, catalogueOf(dialect));
}

const parseKinds: ParseManifest = (file, text) =>
  file === workspaceFile || text.includes("ResourceKind") ? parseManifest(file, text) : { documents: [], problems: [] };

/** `evenkeel.yaml` with the content of its `server.ca`. */
function readSettings(root: string, head: Parsed): Pick<Loaded, "workspace" | "authorities" | "problems"> {
  const read = readWorkspace(head);
  const { ca } = read.workspace.server;
  const [document] = head.documents;
  if (ca === undefined || !document) return read;
  const pem = readCertificates(resolve(root, ca));
  if ("text" in pem) return { ...read, authorities: pem.text };
  const problem = problemAt("certificates", `${ca} ${pem.why}`, { document, path: ["server", "ca"] });
  return { ...read, problems: [...read.problems, problem] };
}

/**
 * The absolute path of the `evenkeel.yaml` in a folder or above it.
 * @throws UserError if there is none, or the folder does not exist.
 */
export function findWorkspace(folder: string): string {
  if (!existsSync(folder)) throw new UserError(`there is no folder ${resolve(folder)}`);
  const found = workspaceAbove(folder);
  if (found) return found;
  throw new UserError(`no ${workspaceFile} in ${resolve(folder)} or above it; evenkeel init writes one`);
}

/** The absolute path of the `evenkeel.yaml` in a folder or above it; undefined if there is none. */
export function workspaceAbove(folder: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (existsSync(join(at, workspaceFile))) return join(at, workspaceFile);
    if (dirname(at) === at) return undefined;
  }
}

function loadHead(root: string): Parsed {
  return load(textReader(root), workspaceFile, createHash("sha256"), parseManifest);
}

function load(readText: ReadText, file: string, digest: Hash, parse: ParseManifest): Parsed {
  const read = readText(file);
  digest.update(`${file}\0${"text" in read ? read.bytes.length : read.problem.rule}\0`);
  if ("problem" in read) return { documents: [], problems: [read.problem] };
  digest.update(read.text);
  const { documents, problems } = parse(file, read.text);
  return { documents, problems: [...problems, ...emptied(file, read.text)] };
}

/** A file without a single character may have been emptied by mistake, and with it all that it declared. */
function emptied(file: string, text: string): readonly Problem[] {
  if (text.trim() !== "") return [];
  if (file === workspaceFile) return [problemIn(file, "kind", `${expectedWorkspace}; this file is empty`)];
  return [problemIn(file, "empty-file", "this file is empty and declares nothing; delete it if that is intended")];
}

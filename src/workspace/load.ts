import { isUtf8 } from "node:buffer";
import { createHash, type Hash } from "node:crypto";
import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { UserError } from "../base/exit.ts";
import { lazy, memoized } from "../base/memoize.ts";
import { describeSystemError } from "../base/system-errors.ts";
import { type Document, type Parsed, parseManifest } from "../manifest/document.ts";
import { withOwnKinds } from "../manifest/own-kinds.ts";
import { type Placed, problemAt, problemIn } from "../manifest/problem.ts";
import { withoutSeeds } from "../manifest/tests.ts";
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
import { ledgerFault } from "../plan/diff/ledger-line.ts";
import { readCertificates } from "../secrets/certificates.ts";
import { loadProviders, providersPath } from "../secrets/providers-file.ts";
import { discover } from "./discover.ts";
import { inFile, splitLines } from "./durable-file.ts";
import { linkFault, outputAt } from "./output-file.ts";

export type { Document } from "../manifest/document.ts";
export type { Loaded, Workspace } from "../manifest/workspace.ts";

export type ParseManifest = (file: string, text: string) => Parsed;

/** Errors in files are problems. @throws UserError if there is no workspace. */
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
  readonly files: readonly string[];
}

/** Finds the manifests of the workspace with the parsed `evenkeel.yaml` `head` and its settings `read`. */
export function findManifests(root: string, head: Parsed, read = readWorkspace(head)): FoundManifests {
  const [settings] = head.documents;
  const { files, problems } = discover(root, read.workspace.manifests, settings);
  return { ...read, files, ...(settings && { settings }), problems: [...read.problems, ...problems] };
}

export function joined(
  { files: _, problems, ...found }: FoundManifests,
  manifests: readonly Parsed[],
): Omit<Loaded, "root" | "digest"> {
  return withOwnKinds({
    ...found,
    documents: withoutSeeds(manifests.flatMap(({ documents }) => documents)),
    problems: [...problems, ...manifests.flatMap((each) => each.problems)],
  });
}

/** Without a workspace the defaults. @throws UserError if `evenkeel.yaml` is not valid, with one line per error. */
export function loadSettings(folder: string): Workspace & Pick<Loaded, "authorities"> {
  const file = workspaceAbove(folder);
  if (!file) return defaultWorkspace;
  const root = dirname(file);
  const { workspace, authorities, problems } = readSettings(root, loadHead(root));
  const { problems: mistakes } = bySeverity(problems);
  if (mistakes.length > 0) throw new UserError(mistakes.map(reportedLine).join("\n"));
  return { ...workspace, authorities };
}

export function dialectAround(folder: string): string {
  const file = workspaceAbove(folder);
  return (file ? readWorkspace(loadHead(dirname(file))).workspace : defaultWorkspace).server.dialect;
}

/** A dialect's catalogue with the workspace's own kinds. Reads only manifests that can have one. */
export function catalogueAround(folder: string, dialect: string = dialectAround(folder)): Catalogue {
  const file = workspaceAbove(folder);
  const documents = file ? loadWorkspace(dirname(file), {}, parseKinds).documents : [];
  const workspace = { ...defaultWorkspace, catalogue: catalogueOf(dialect) };
  return withOwnKinds({ workspace, documents, problems: [] }).workspace.catalogue;
}

const parseKinds: ParseManifest = (file, text) =>
  file === workspaceFile || text.includes("ResourceKind") ? parseManifest(file, text) : { documents: [], problems: [] };

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

/** @throws UserError if there is none, or the folder does not exist. */
export function findWorkspace(folder: string): string {
  if (!existsSync(folder)) throw new UserError(`there is no folder ${resolve(folder)}`);
  const found = workspaceAbove(folder);
  if (found) return found;
  const lacking = `no ${workspaceFile} in ${resolve(folder)} or above it`;
  const other = ["evenkeel.yml", ".evenkeel.yaml", ".evenkeel.yml"].find((name) => existsSync(join(folder, name)));
  if (other) throw new UserError(`${lacking}; rename ${other} to ${workspaceFile}`);
  throw new UserError(`${lacking}; evenkeel init writes one`);
}

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
  return { documents, problems: [...problems, ...warnEmptied(file, read.text)] };
}

/** A file without any character was probably emptied by mistake, together with its declarations. */
function warnEmptied(file: string, text: string): readonly Problem[] {
  if (text.trim() !== "") return [];
  if (file === workspaceFile) return [problemIn(file, "kind", `${expectedWorkspace}; this file is empty`)];
  return [problemIn(file, "empty-file", "this file is empty and declares nothing; delete it if that is intended")];
}

/** `bytes`: the content of the file, including a byte order mark. */
type Read = { readonly text: string; readonly bytes: Buffer } | { readonly problem: Problem };

type ReadText = (file: string) => Read;

/** Reads the manifests of a workspace, and resolves the links to their folders once. */
export function textReader(root: string): ReadText {
  const top = lazy(() => realpathSync.native(root));
  const isInside = (real: string) => real.startsWith(top() + sep);
  const isInFolder = memoized((folder: string) => isInside(join(realpathSync.native(join(root, folder)), sep)));
  const path = join(root, sep);
  return (file) => {
    try {
      const found = lstatSync(path + file);
      const isLink = found.isSymbolicLink();
      if (!(isLink ? isInside(realpathSync.native(path + file)) : isInFolder(posix.dirname(file))))
        return { problem: problemIn(file, "symlink", "a symbolic link that leads out of the workspace") };
      const stat = isLink ? statSync(path + file) : found;
      if (!stat.isFile()) return { problem: problemIn(file, "unreadable", "expected a file") };
      if (stat.size > 4 * 1024 * 1024) return { problem: problemIn(file, "too-large", "larger than 4 MiB") };
      return decodeManifest(file, readFileSync(path + file));
    } catch (error) {
      return { problem: problemIn(file, "unreadable", `cannot be read (${describeSystemError(error)})`) };
    }
  };
}

/** Problems are located at the first unreadable character, or at the start for 16-bit encodings. */
function decodeManifest(file: string, bytes: Buffer): Read {
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  const fault = findUnreadable(text, bytes);
  if (!fault) return { text, bytes };
  const lines = text.slice(0, fault.at).split("\n");
  return { problem: problemIn(file, "binary", fault.message, lines.length, (lines.at(-1)?.length ?? 0) + 1) };
}

function findUnreadable(text: string, bytes: Buffer): { readonly at: number; readonly message: string } | undefined {
  if (isUtf8(bytes)) {
    const at = controlCharacter.exec(text)?.index;
    const message = "a control character, which YAML does not allow; is this a binary file?";
    return at === undefined ? undefined : { at, message };
  }
  if (/^(?:\xff\xfe|\xfe\xff)/.test(bytes.toString("latin1", 0, 2)))
    return { at: 0, message: "not UTF-8 text, but UTF-16; save the file as UTF-8" };
  const message = "not UTF-8 text: here is a character in another encoding, such as Latin-1; save the file as UTF-8";
  return { at: text.indexOf("\ufffd"), message };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point.
const controlCharacter = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]/;

/** Problems of the ledger's path, because an apply would overwrite an existing file there. */
function ledgerProblems(root: string, ledger: string | undefined, workspace: Placed | undefined): readonly Problem[] {
  if (ledger === undefined || ledger === "state" || workspace === undefined) return [];
  const fault = checkLedgerPath(root, ledger);
  return fault ? [problemAt("ledger", fault, { document: workspace, path: ["ledger"] })] : [];
}

function checkLedgerPath(root: string, ledger: string): string | undefined {
  const path = join(root, ledger);
  const isInside = path.startsWith(root === sep ? root : root + sep) && !/^(?:[/\\]|[A-Za-z]:)/.test(ledger);
  if (!isInside) return "expected a path inside the workspace";
  const name = relative(root, path).split(sep).join("/");
  try {
    return nameFault(name) ?? linkFault(root, name) ?? nameFault(realName(root, path)) ?? contentFault(path);
  } catch (error) {
    return `${ledger} cannot be read: ${describeSystemError(error)}`;
  }
}

/** The path in the workspace of the file behind links. */
function realName(root: string, path: string): string {
  const output = outputAt(path);
  return "file" in output ? relative(realpathSync(root), output.file).split(sep).join("/") : path;
}

function nameFault(name: string): string | undefined {
  const [, expected] = taken.find(([pattern]) => pattern.test(name)) ?? [];
  return expected && `expected ${expected}, such as .evenkeel/ledger.ndjson`;
}

const taken: readonly (readonly [RegExp, string])[] = [
  [/\.ya?ml$/i, "a name that does not end in .yaml or .yml"],
  [/(?:^|\/)\.git(?:\/|$)/i, "a path outside .git"],
  [
    /^\.evenkeel\/(?:lock|watch\.lock|journal|runs|plans|notes|snapshots|\.gitignore)(?:[./]|$)|\.key$/i,
    "a path that is not used for other state",
  ],
];

function contentFault(file: string): string | undefined {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) return undefined;
  if (!stat.isFile()) return `expected a regular file${stat.isDirectory() ? ", got a folder" : ""}`;
  return inFile(file, (fd) => ledgerFault(splitLines(fd)));
}

import { closeSync, fstatSync, lstatSync, openSync, readdirSync, readSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { ifPossible, UserError } from "../base/exit.ts";
import { attempt, describeSystemError, systemCode } from "../base/system-errors.ts";
import {
  appendDurably,
  folderError,
  isFolder,
  isThere,
  makeFolder,
  readRegular,
  replaceFile,
} from "../workspace/durable-file.ts";
import { outputError } from "../workspace/output-file.ts";
import { checkHeld, folderLeases } from "./folder-lease.ts";
import { isRunName, type LeaseToken } from "./lease.ts";
import { ledgerFile } from "./ledger/ledger-file.ts";
import { type Documents, type Log, processRates, type WorkspaceState } from "./state.ts";
import { refuseLinks, stateFolder } from "./state-folder.ts";

/** Folder and extension of files. The ledger is one file, which git can merge; a run has no workers here. */
const places: Readonly<Record<Documents | Log, readonly [folder: string, extension: string]>> = {
  journals: ["journal", ".ndjson"],
  signatures: ["plans", ".sig"],
  runs: ["runs", ".json"],
  plans: ["plans", ".json"],
  notes: ["notes", ".txt"],
  snapshots: ["snapshots", ".json"],
  ledger: ["ledger", ".json"],
  work: ["work", ".json"],
};

const lockFiles: Readonly<Record<string, string>> = { watch: "watch.lock", snapshots: "snapshots/lock" };

/** The state in `.evenkeel`, which the first write creates. @throws UserError if a link leads out of the workspace. */
export function folderState(root: string): WorkspaceState {
  refuseLinks(root);
  const home = join(root, ".evenkeel");
  const check = (token: LeaseToken | undefined) => token && checkHeld(join(home, "lock"), token);
  const put = (file: string, text: string | undefined) => {
    const path = join(root, file);
    if (text === undefined) return attempt(`cannot remove ${file}`, () => rmSync(path, { force: true }));
    stateFolder(root);
    attempt(`cannot write ${file}`, () => {
      makeFolder(join(path, ".."));
      replaceFile(path, text);
    });
  };
  const read = (of: Documents | Log, names: readonly string[]) =>
    new Map(names.flatMap((name) => readFile(root, of, name).map((text) => [name, text] as const)));
  const list = (of: Documents | Log) => listNames(root, of);
  const lines = (log: Log, names: readonly string[]) =>
    new Map(Array.from(read(log, names), ([name, text]) => [name, text.split("\n")] as const));
  return {
    place: home,
    isShared: false,
    writeError: () => {
      stateFolder(root);
      const why = folderError(join(home, "journal")) ?? outputError(join(root, fileOf("journals", "new")));
      return why && `cannot write a journal in ${join(".evenkeel", "journal")}: ${why}`;
    },
    get: async (from, names) => read(from, names),
    put: async (into, texts, token) => {
      check(token);
      for (const [name, text] of texts) put(fileOf(into, name), text);
    },
    marks: async (of, names) => new Map(names.flatMap((name) => readMark(root, of, name))),
    append: async (log, name, added, token) => {
      check(token);
      await appendLines(root, fileOf(log, name), added);
    },
    lines: async (log, names) => lines(log, names),
    lastLines: async (log) => {
      const all = lines(log, list(log));
      return new Map(Array.from(all, ([name, own]) => [name, own.findLast((line) => line !== "") ?? ""] as const));
    },
    forget: async (from, names) => {
      if (from !== "leases") for (const name of names) put(fileOf(from, name), undefined);
    },
    list: async (of) => list(of),
    leases: (name) =>
      folderLeases(join(home, lockFiles[name] ?? "lock"), () => {
        stateFolder(root);
        if (name === "snapshots") attempt("cannot write .evenkeel/snapshots", () => makeFolder(join(home, name)));
      }),
    holders: async () => [],
    rates: processRates,
    ledger: ledgerFile(root, ".evenkeel/ledger.ndjson", check),
    bytes: async () => ifPossible(() => measureFolder(home)) ?? 0,
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Path in the workspace. @throws UserError for a name that could lead out of the folder. */
function fileOf(of: Documents | Log, name: string): string {
  const [folder, extension] = places[of];
  if (isRunName(name)) return join(".evenkeel", folder, `${name}${extension}`);
  const shown = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
  throw new UserError(`${shown} is not a valid name of a run or a note; nothing is written under it`);
}

function readFile(root: string, of: Documents | Log, name: string): readonly string[] {
  if (!isRunName(name)) return [];
  const file = fileOf(of, name);
  return isThere(join(root, file)) ? [attempt(`cannot read ${file}`, () => readRegular(join(root, file)))] : [];
}

/** Files are replaced, never edited, so a new text has a new inode. */
function readMark(root: string, of: Documents, name: string): (readonly [string, string])[] {
  const stat = isRunName(name) && statSync(join(root, fileOf(of, name)), { throwIfNoEntry: false, bigint: true });
  return stat ? [[name, [stat.ino, stat.size, stat.mtimeNs].join(" ")]] : [];
}

async function appendLines(root: string, file: string, lines: readonly string[]): Promise<void> {
  const path = join(root, file);
  stateFolder(root);
  folderError(join(path, ".."));
  const text = lines.map((line) => `${line}\n`).join("");
  try {
    await appendDurably(path, endsInLine(path) ? text : `\n${text}`);
  } catch (error) {
    const why = systemCode(error) === "ELOOP" ? "it is a symbolic link" : describeSystemError(error);
    throw new UserError(`cannot write ${file}: ${why}`);
  }
}

/** False if a kill or a full disk cut the last line short. */
function endsInLine(path: string): boolean {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return true;
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const last = Buffer.alloc(1);
    return size === 0 || readSync(file, last, 0, 1, size - 1) === 0 || last.toString() === "\n";
  } finally {
    closeSync(file);
  }
}

function listNames(root: string, of: Documents | Log): string[] {
  const [name, extension] = places[of];
  const folder = join(".evenkeel", name);
  return attempt(`cannot read ${folder}`, () => {
    if (!isFolder(join(root, folder))) return [];
    const files = readdirSync(join(root, folder)).filter((file) => file.endsWith(extension));
    return files
      .map((file) => file.slice(0, -extension.length))
      .filter(isRunName)
      .sort();
  });
}

function measureFolder(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files.reduce((sum, file) => sum + (statSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0), 0);
}

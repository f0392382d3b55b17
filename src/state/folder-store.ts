import { closeSync, fstatSync, lstatSync, openSync, readdirSync, readSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../base/exit.ts";
import { describeSystemError, systemCode } from "../base/system-errors.ts";
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
import {
  type Documents,
  type LeaseName,
  type Log,
  processRates,
  type StateStore,
  type WorkspaceState,
} from "./state.ts";
import { refuseLinks, stateFolder } from "./state-folder.ts";
import { stateOver } from "./workspace-state.ts";

/** Folder below `.evenkeel`, and the extension of its files. */
const places: Readonly<Record<Documents | Log, readonly [folder: string, extension: string]>> = {
  journals: ["journal", "ndjson"],
  signatures: ["plans", "sig"],
  runs: ["runs", "json"],
  plans: ["plans", "json"],
  notes: ["notes", "txt"],
  snapshots: ["snapshots", "json"],
  // Unused: the ledger of `ledger: state` is one file, which git can merge.
  ledger: ["ledger", "json"],
};

const lockFiles: Readonly<Record<LeaseName, string>> = {
  apply: "lock",
  watch: "watch.lock",
  snapshots: "snapshots/lock",
};

/** The state in `.evenkeel`, which the first write creates. @throws UserError if a link leads out of the workspace. */
export function folderState(root: string): WorkspaceState {
  return stateOver(folderStore(root));
}

function folderStore(root: string): StateStore {
  refuseLinks(root);
  const home = join(root, ".evenkeel");
  const check = (token: LeaseToken | undefined) => token && checkHeld(join(home, lockFiles.apply), token);
  return {
    place: home,
    writeError: () => {
      stateFolder(root);
      const { folder, file } = collectionPlace("journals");
      const why = folderError(join(root, folder)) ?? outputError(join(root, file("new")));
      return why && `cannot write a journal in ${folder}: ${why}`;
    },
    get: async (from, names) => new Map(names.flatMap((name) => readFile(root, collectionPlace(from), name))),
    put: async (into, texts, token) => {
      check(token);
      for (const [name, text] of texts) putFile(root, collectionPlace(into), name, text);
    },
    marks: async (of, names) => new Map(names.flatMap((name) => readMark(root, collectionPlace(of), name))),
    append: async (log, name, lines, token) => {
      check(token);
      await appendLines(root, collectionPlace(log).file(name), lines);
    },
    lines: async (log, names) => new Map(names.flatMap((name) => readLines(root, collectionPlace(log), name))),
    lastLines: async (log) => {
      const all = listNames(root, collectionPlace(log)).flatMap((name) => readLines(root, collectionPlace(log), name));
      return new Map(all.map(([name, lines]) => [name, lines.findLast((line) => line !== "") ?? ""]));
    },
    forget: async (log, names) => {
      for (const name of names) putFile(root, collectionPlace(log), name, undefined);
    },
    list: async (of) => listNames(root, collectionPlace(of)),
    leases: (name) =>
      folderLeases(join(home, lockFiles[name]), () => {
        stateFolder(root);
        if (name === "snapshots")
          attempt(`cannot write ${collectionPlace(name).folder}`, () => makeFolder(join(home, name)));
      }),
    rates: processRates,
    ledger: ledgerFile(root, ".evenkeel/ledger.ndjson", check),
    size: async () => measureFolder(home),
    [Symbol.asyncDispose]: async () => {},
  };
}

interface Place {
  readonly folder: string;
  readonly extension: string;
  /** @throws UserError for a name that could lead out of the folder. */
  readonly file: (name: string) => string;
}

function collectionPlace(collection: Documents | Log): Place {
  const [name, extension] = places[collection];
  const folder = join(".evenkeel", name);
  return { folder, extension: `.${extension}`, file: (each) => join(folder, `${checkedName(each)}.${extension}`) };
}

function checkedName(name: string): string {
  if (isRunName(name)) return name;
  const shown = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
  throw new UserError(`${shown} is not a valid name of a run or a note; nothing is written under it`);
}

function readFile(root: string, { file }: Place, name: string): (readonly [string, string])[] {
  if (!isRunName(name) || !isThere(join(root, file(name)))) return [];
  return [[name, attempt(`cannot read ${file(name)}`, () => readRegular(join(root, file(name))))]];
}

function readLines(root: string, place: Place, name: string): (readonly [string, readonly string[]])[] {
  return readFile(root, place, name).map(([, text]) => [name, text.split("\n")] as const);
}

function putFile(root: string, { folder, file }: Place, name: string, text: string | undefined): void {
  const path = join(root, file(name));
  if (text === undefined) {
    attempt(`cannot remove ${file(name)}`, () => rmSync(path, { force: true }));
    return;
  }
  stateFolder(root);
  attempt(`cannot write ${file(name)}`, () => {
    makeFolder(join(root, folder));
    replaceFile(path, text);
  });
}

/** Files are replaced, never edited, so a new text has a new inode. */
function readMark(root: string, { file }: Place, name: string): (readonly [string, string])[] {
  const stat = isRunName(name) && statSync(join(root, file(name)), { throwIfNoEntry: false, bigint: true });
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

function listNames(root: string, { folder, extension }: Place): string[] {
  return attempt(`cannot read ${folder}`, () => {
    if (!isFolder(join(root, folder))) return [];
    const files = readdirSync(join(root, folder)).filter((name) => name.endsWith(extension));
    return files
      .map((name) => name.slice(0, -extension.length))
      .filter(isRunName)
      .sort();
  });
}

function attempt<Result>(sentence: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new UserError(`${sentence}: ${describeSystemError(error)}`);
  }
}

function measureFolder(folder: string): number {
  try {
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    return files.reduce((sum, file) => sum + (statSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0), 0);
  } catch {
    return 0;
  }
}

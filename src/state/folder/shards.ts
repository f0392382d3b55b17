import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { UserError } from "../../base/exit.ts";
import { describeSystemError } from "../../base/system-errors.ts";
import { isFolder, isThere, makeFolder, replaceFile } from "../../workspace/durable-file.ts";
import { claimFor, isRunName } from "../claim.ts";
import type { Leases, LeaseToken } from "../lease-store.ts";
import type { Shards } from "../state.ts";
import { unzippedPieces } from "../unzipped.ts";
import { stateFile } from "./file-name.ts";
import { folderLeases } from "./lease.ts";

const home = ".evenkeel/snapshots";
const ending = "json.gz";

/** Milliseconds. */
const [leaseDuration, patience, retryInterval] = [30_000, 60_000, 20];

/** Shards as compressed files below `.evenkeel`. A lock serializes changes. */
export function folderShards(root: string, ready: () => void): Shards {
  const folder = join(root, home);
  const locks = folderLeases(folder, () => create(folder, ready), "lock");
  const read = async (names: readonly string[]) => new Map(names.flatMap((name) => textOf(folder, name)));
  return {
    read,
    pieces: (name) => unzippedPieces(bytesOf(folder, name)),
    change: async (names, edit) => {
      const token = await lock(locks);
      try {
        for (const [name, text] of edit(await read(names))) store(folder, name, text);
      } finally {
        await locks.giveBack(token);
      }
    },
    list: async () => namesIn(folder),
  };
}

/** @throws UserError if another process holds the lock for too long. */
async function lock(locks: Leases): Promise<LeaseToken> {
  const claim = claimFor(`snapshots-${randomBytes(6).toString("hex")}`, {});
  for (const began = performance.now(); ; ) {
    const taken = await locks.take(claim, leaseDuration);
    if (!("heldBy" in taken)) return taken;
    const { host, pid } = taken.heldBy;
    if (performance.now() - began > patience)
      throw new UserError(`cannot write ${home}: process ${pid} on ${host} has been writing it for a minute`);
    await pause(retryInterval);
  }
}

function create(folder: string, ready: () => void): void {
  ready();
  try {
    makeFolder(folder);
  } catch (error) {
    throw new UserError(`cannot write ${home}: ${describeSystemError(error)}`);
  }
}

function textOf(folder: string, name: string): (readonly [string, string])[] {
  const bytes = bytesOf(folder, name);
  return bytes ? [[name, unzipped(bytes)]] : [];
}

function bytesOf(folder: string, name: string): Buffer | undefined {
  const file = join(folder, stateFile(name, ending));
  try {
    return isThere(file) ? readFileSync(file) : undefined;
  } catch (error) {
    throw new UserError(`cannot read ${home}/${name}.${ending}: ${describeSystemError(error)}`);
  }
}

/** A damaged file counts as empty: the next check writes it again. */
function unzipped(bytes: Buffer): string {
  try {
    return gunzipSync(bytes).toString();
  } catch {
    return "";
  }
}

function store(folder: string, name: string, text: string): void {
  const file = join(folder, stateFile(name, ending));
  try {
    replaceFile(file, gzipSync(text, { level: 3 }));
  } catch (error) {
    throw new UserError(`cannot write ${home}/${name}.${ending}: ${describeSystemError(error)}`);
  }
}

function namesIn(folder: string): string[] {
  if (!isFolder(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(`.${ending}`))
    .map((name) => name.slice(0, -ending.length - 1))
    .filter(isRunName)
    .sort();
}

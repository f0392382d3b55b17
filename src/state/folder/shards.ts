import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { UserError } from "../../base/exit.ts";
import { describeSystemError } from "../../base/system-errors.ts";
import { isFolder, isThere, makeFolder, replaceFile } from "../../workspace/durable-file.ts";
import { claimFor } from "../claim.ts";
import type { Leases, LeaseToken } from "../lease-store.ts";
import type { Shards } from "../state.ts";
import { folderLeases } from "./lease.ts";

const home = ".evenkeel/snapshots";
const ending = ".json.gz";

/** Milliseconds for which a change may hold the others up, for which one waits, and after which it asks again. */
const [lease, patience, pace] = [30_000, 60_000, 20];

/** Shards as compressed files below `.evenkeel`. Who changes some keeps others waiting meanwhile, so that nothing is lost. */
export function folderShards(root: string, ready: () => void): Shards {
  const folder = join(root, home);
  const turns = folderLeases(folder, () => made(folder, ready), "lock");
  const read = async (names: readonly string[]) => new Map(names.flatMap((name) => parseShard(folder, name)));
  return {
    read,
    change: async (names, edit) => {
      const turn = await turnOf(turns);
      try {
        for (const [name, text] of edit(await read(names))) store(folder, name, text);
      } finally {
        await turns.giveBack(turn);
      }
    },
    list: async () => namesIn(folder),
  };
}

/** @throws UserError if another process holds the lock for too long. */
async function turnOf(turns: Leases): Promise<LeaseToken> {
  const claim = claimFor(`look-${randomBytes(6).toString("hex")}`, {});
  for (const began = performance.now(); ; ) {
    const taken = await turns.take(claim, lease);
    if (!("heldBy" in taken)) return taken;
    const { host, pid } = taken.heldBy;
    if (performance.now() - began > patience)
      throw new UserError(`cannot write ${home}: process ${pid} on ${host} has been writing it for a minute`);
    await pause(pace);
  }
}

function made(folder: string, ready: () => void): void {
  ready();
  try {
    makeFolder(folder);
  } catch (error) {
    throw new UserError(`cannot write ${home}: ${describeSystemError(error)}`);
  }
}

function parseShard(folder: string, name: string): (readonly [string, string])[] {
  const file = join(folder, `${name}${ending}`);
  try {
    return isThere(file) ? [[name, unzipped(readFileSync(file))]] : [];
  } catch (error) {
    throw new UserError(`cannot read ${home}/${name}${ending}: ${describeSystemError(error)}`);
  }
}

/** What was broken off is as good as nothing: the next look writes it anew. */
function unzipped(bytes: Buffer): string {
  try {
    return gunzipSync(bytes).toString();
  } catch {
    return "";
  }
}

function store(folder: string, name: string, text: string): void {
  try {
    replaceFile(join(folder, `${name}${ending}`), gzipSync(text, { level: 3 }));
  } catch (error) {
    throw new UserError(`cannot write ${home}/${name}${ending}: ${describeSystemError(error)}`);
  }
}

function namesIn(folder: string): string[] {
  if (!isFolder(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
    .sort();
}

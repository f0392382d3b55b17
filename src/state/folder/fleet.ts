import { createHash } from "node:crypto";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../../base/system-errors.ts";
import type { Outcome } from "../../model/types.ts";
import { makeFolder, readRegular, replaceFile } from "../../workspace/durable-file.ts";
import type { FleetState, Intent, LeaseToken, Member, Sender } from "../state.ts";
import { checkHeld } from "./lock-file.ts";

/** What the workers of a workspace share, as files. `ready` makes sure that the folder is there. */
export function folderFleet(folder: string, ready: () => void): FleetState {
  const home = join(folder, "fleet");
  const { isGone, ...members } = membersIn(join(home, "members"), ready);
  const checkWrite = (token: LeaseToken) => {
    checkHeld(folder, token);
    ready();
  };
  const { forget: forgetIntents, ...intents } = intentsIn(join(home, "intents"), checkWrite, isGone);
  const { forget: forgetResults, ...results } = resultsIn(join(home, "parts"), ready);
  const forget = async (run: string) => {
    forgetIntents(run);
    forgetResults(run);
  };
  return { ...members, ...intents, ...results, forget };
}

interface MemberFile extends Member {
  readonly deadline: number;
}

/** `isGone`: nothing of a member can be under way any more. */
type Members = Pick<FleetState, "present" | "leave" | "members"> & {
  readonly isGone: (id: string, grace: number) => boolean;
};

function membersIn(home: string, ready: () => void): Members {
  const fileOf = (id: string) => join(home, `${hashed(id)}.json`);
  return {
    isGone: (id, grace) => {
      const member = readJson<MemberFile>(fileOf(id));
      return member === undefined || member.deadline + grace <= Date.now();
    },
    present: async (member, milliseconds) => {
      ready();
      makeFolder(home);
      replaceFile(fileOf(member.id), JSON.stringify({ ...member, deadline: Date.now() + milliseconds }));
    },
    leave: async (id) => rmSync(fileOf(id), { force: true }),
    members: async () =>
      filesIn(home).flatMap((file) => {
        const { deadline = 0, ...member } = readJson<MemberFile>(file) ?? { deadline: 0 };
        return "id" in member && deadline > Date.now() ? [member] : [];
      }),
  };
}

interface IntentFile {
  readonly address: string;
  readonly sender: Sender;
}

type Intents = Pick<FleetState, "claim" | "takeOver" | "settle" | "intents"> & {
  readonly forget: (run: string) => void;
};

/**
 * An intent is a file that only one can make; who takes it over makes the next of its number; its outcome stands beside it.
 */
function intentsIn(home: string, checkWrite: (token: LeaseToken) => void, isGone: Members["isGone"]): Intents {
  const folderOf = (run: string) => join(home, hashed(run));
  const find = (run: string, address: string, { name }: Sender, grace: number): Intent | undefined => {
    const { base, number } = newest(folderOf(run), address);
    const found = number === 0 ? undefined : readJson<IntentFile>(`${base}.${number}`);
    if (!found) return undefined;
    const outcome = readJson<Outcome>(`${base}.${number}.outcome`);
    if (outcome) return { outcome };
    const { sender: pending } = found;
    return pending.name === name ? { mine: true } : { pending, abandoned: isGone(pending.member, grace) };
  };
  const store = (token: LeaseToken, address: string, sender: Sender, number: number): boolean => {
    checkWrite(token);
    makeFolder(folderOf(token.run));
    return create(`${newest(folderOf(token.run), address).base}.${number}`, { address, sender });
  };
  return {
    claim: async (token, address, sender, grace) => {
      store(token, address, sender, 1);
      return find(token.run, address, sender, grace) ?? { pending: sender, abandoned: true };
    },
    takeOver: async (token, address, { from, to }, grace) => {
      const found = find(token.run, address, to, grace);
      if (found && "mine" in found) return true;
      if (!found || !("pending" in found) || found.pending.name !== from.name || !found.abandoned) return false;
      return store(token, address, to, newest(folderOf(token.run), address).number + 1);
    },
    settle: async (run, address, sender, outcome) => {
      const found = find(run, address, sender, 0);
      if (!found || !("mine" in found)) return;
      const { base, number } = newest(folderOf(run), address);
      if (outcome) replaceFile(`${base}.${number}.outcome`, JSON.stringify(outcome));
      else for (let each = 1; each <= number; each++) rmSync(`${base}.${each}`, { force: true });
    },
    intents: async (run) => {
      const stored = filesIn(folderOf(run)).filter((file) => /\.\d+$/.test(file));
      const found = stored.map((file) => [readJson<IntentFile>(file), readJson<Outcome>(`${file}.outcome`)] as const);
      return new Map(found.flatMap(([intent, outcome]) => (intent ? [[intent.address, outcome] as const] : [])));
    },
    forget: (run) => rmSync(folderOf(run), { recursive: true, force: true }),
  };
}

type Results = Pick<FleetState, "keep" | "collect"> & { readonly forget: (run: string) => void };

function resultsIn(home: string, ready: () => void): Results {
  const folderOf = (run: string) => join(home, hashed(run));
  const fileOf = (run: string, part: string) => join(folderOf(run), `${encodeURIComponent(part)}.json`);
  const partIn = (run: string, file: string) =>
    decodeURIComponent(file.slice(folderOf(run).length + 1, -".json".length));
  return {
    keep: async (run, part, result) => {
      ready();
      makeFolder(folderOf(run));
      create(fileOf(run, part), result);
    },
    collect: async (run, taken) => {
      for (const part of taken) rmSync(fileOf(run, part), { force: true });
      const files = filesIn(folderOf(run));
      return new Map(files.map((file) => [partIn(run, file), readJson<string>(file) ?? ""]));
    },
    forget: (run) => rmSync(folderOf(run), { recursive: true, force: true }),
  };
}

function hashed(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 40);
}

/** The intents of an address lie beside each other, numbered from 1. */
function newest(folder: string, address: string): { readonly base: string; readonly number: number } {
  const base = join(folder, hashed(address));
  let number = 0;
  while (existsSync(`${base}.${number + 1}`)) number++;
  return { base, number };
}

/** False where the file is there already. */
function create(file: string, content: unknown): boolean {
  try {
    writeFileSync(file, JSON.stringify(content), { flag: "wx" });
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

function readJson<Content>(file: string): Content | undefined {
  try {
    return JSON.parse(readRegular(file));
  } catch {
    return undefined;
  }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

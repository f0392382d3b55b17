import { createHash } from "node:crypto";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemCode } from "../../base/system-errors.ts";
import type { Outcome } from "../../model/types.ts";
import { makeFolder, readRegular, replaceFile } from "../../workspace/durable-file.ts";
import type { FleetState, Intent, LeaseToken, Member, Sender } from "../state.ts";
import { checkHeld } from "./lock-file.ts";

interface MemberFile extends Member {
  readonly deadline: number;
}

interface IntentFile {
  readonly address: string;
  readonly sender: Sender;
}

/**
 * What the workers of a workspace share, as files. An intent is one that only one can make; who takes it over makes the
 * next of its number; its outcome stands beside it.
 */
export function folderFleet(folder: string, ready: () => void): FleetState {
  const home = join(folder, "fleet");
  const memberFile = (id: string) => join(home, "members", `${hashed(id)}.json`);
  const intents = (run: string) => join(home, "intents", hashed(run));
  const partFile = (run: string, part: string) => join(home, "parts", hashed(run), `${encodeURIComponent(part)}.json`);
  const isGone = (id: string, grace: number) => {
    const member = readJson<MemberFile>(memberFile(id));
    return member === undefined || member.deadline + grace <= Date.now();
  };
  const look = (run: string, address: string, { name }: Sender, grace: number): Intent | undefined => {
    const { base, number } = newest(intents(run), address);
    const found = number === 0 ? undefined : readJson<IntentFile>(`${base}.${number}`);
    if (!found) return undefined;
    const outcome = readJson<Outcome>(`${base}.${number}.outcome`);
    if (outcome) return { outcome };
    const { sender: pending } = found;
    return pending.name === name ? { mine: true } : { pending, abandoned: isGone(pending.member, grace) };
  };
  const store = (token: LeaseToken, address: string, sender: Sender, number: number): boolean => {
    checkHeld(folder, token);
    ready();
    makeFolder(intents(token.run));
    return create(`${newest(intents(token.run), address).base}.${number}`, { address, sender });
  };
  return {
    present: async (member, milliseconds) => {
      ready();
      makeFolder(dirname(memberFile(member.id)));
      replaceFile(memberFile(member.id), JSON.stringify({ ...member, deadline: Date.now() + milliseconds }));
    },
    leave: async (id) => rmSync(memberFile(id), { force: true }),
    members: async () =>
      filesIn(join(home, "members")).flatMap((file) => {
        const { deadline = 0, ...member } = readJson<MemberFile>(file) ?? { deadline: 0 };
        return "id" in member && deadline > Date.now() ? [member] : [];
      }),
    claim: async (token, address, sender, grace) => {
      store(token, address, sender, 1);
      return look(token.run, address, sender, grace) ?? { pending: sender, abandoned: true };
    },
    takeOver: async (token, address, { from, to }, grace) => {
      const found = look(token.run, address, to, grace);
      if (found && "mine" in found) return true;
      if (!found || !("pending" in found) || found.pending.name !== from.name || !found.abandoned) return false;
      return store(token, address, to, newest(intents(token.run), address).number + 1);
    },
    settle: async (run, address, sender, outcome) => {
      const found = look(run, address, sender, 0);
      if (!found || !("mine" in found)) return;
      const { base, number } = newest(intents(run), address);
      if (outcome) replaceFile(`${base}.${number}.outcome`, JSON.stringify(outcome));
      else for (let each = 1; each <= number; each++) rmSync(`${base}.${each}`, { force: true });
    },
    intents: async (run) => {
      const stored = filesIn(intents(run)).filter((file) => /\.\d+$/.test(file));
      const found = stored.map((file) => [readJson<IntentFile>(file), readJson<Outcome>(`${file}.outcome`)] as const);
      return new Map(found.flatMap(([intent, outcome]) => (intent ? [[intent.address, outcome] as const] : [])));
    },
    keep: async (run, part, result) => {
      ready();
      makeFolder(dirname(partFile(run, part)));
      create(partFile(run, part), result);
    },
    collect: async (run, taken) => {
      for (const part of taken) rmSync(partFile(run, part), { force: true });
      const files = filesIn(join(home, "parts", hashed(run)));
      return new Map(
        files.map((file) => [
          decodeURIComponent(file.slice(dirname(file).length + 1, -".json".length)),
          readJson<string>(file) ?? "",
        ]),
      );
    },
    forget: async (run) => {
      for (const each of [intents(run), join(home, "parts", hashed(run))])
        rmSync(each, { recursive: true, force: true });
    },
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

import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { pid, ppid } from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { folderState } from "../../src/state/folder.ts";
import { takeLease } from "../../src/state/lease.ts";
import { folder } from "../support/folder.ts";
import { claim } from "./laws.ts";

function left(text: string) {
  const { root } = folder({ ".evenkeel/lock": text });
  const file = join(root, ".evenkeel/lock");
  const mine = { ...claim("mine"), host: hostname() };
  return { file, take: () => takeLease(folderState(root).leases, mine, { duration: 60_000 }) };
}

const owner = { host: hostname(), since: "2026-01-01T00:00:00Z" };
const lockOf = (more: object) => left(JSON.stringify({ ...owner, ...more }));

test.each<[string, object]>([
  ["of a run with this process's own number", { pid }],
  ["of another boot of this machine", { pid: ppid, boot: "another" }],
  ["whose number has gone to a later process", { pid: ppid, started: "1" }],
  ["that names no process", { pid: 0 }],
])("a lock %s is taken over", async (_, more) => {
  const { take, file } = lockOf(more);
  const lease = await take();
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ pid, host: hostname(), run: "mine" });
  await lease[Symbol.asyncDispose]();
  expect(() => readFileSync(file)).toThrow("ENOENT");
});

test.each(["", "null", "{"])("a lock that holds %j is none of a living run", async (text) => {
  await (await left(text).take())[Symbol.asyncDispose]();
});

test("a lock that was not renewed is taken over, on whichever machine its process lives", async () => {
  for (const host of [hostname(), "another"]) {
    const { take, file } = lockOf({ pid: ppid, host, run: "theirs", fence: 7, milliseconds: 60_000 });
    await expect(take()).rejects.toThrow("run theirs of somebody on");
    const before = Date.now() / 1000 - 61;
    utimesSync(file, before, before);
    await (await take())[Symbol.asyncDispose]();
  }
});

describe("a lock is not taken", () => {
  test.each<[string, object]>([
    ["from a process that lives", { pid: ppid }],
    ["from another machine", { pid, host: "another" }],
  ])("%s", async (_, more) => {
    await expect(lockOf(more).take()).rejects.toThrow("another apply holds this workspace since 2026-01-01");
  });

  test("twice by one process, and given back only by its owner", async () => {
    const { take, file } = left("");
    const lease = await take();
    await expect(take()).rejects.toThrow(`process ${pid}`);
    writeFileSync(file, "another's");
    await lease[Symbol.asyncDispose]();
    expect(readFileSync(file, "utf8")).toBe("another's");
  });

  test("where its place is taken by something else", async () => {
    const { take, file } = left("");
    rmSync(file);
    mkdirSync(file);
    await expect(take()).rejects.toThrow(/cannot take the lock .*: it is a folder/);
  });
});

test("a look waits for the end of another process's look, and takes over that of a dead one", async () => {
  const held = { ...owner, pid: ppid, run: "look-1", fence: 7, milliseconds: 60_000 };
  const { root } = folder({ ".evenkeel/sightings/lock": JSON.stringify(held) });
  const file = join(root, ".evenkeel/sightings/lock");
  const { sightings } = folderState(root);
  const theirs = new Map([["fleet", "theirs"]]);
  const seen: (string | undefined)[] = [];
  const change = sightings.change(["fleet"], (before) => {
    seen.push(before.get("fleet"));
    return theirs;
  });
  await pause(100);
  expect(seen).toEqual([]);
  await folderState(folder().root).sightings.change(["fleet"], () => theirs);
  rmSync(file);
  await change;
  expect(seen).toEqual([undefined]);
  writeFileSync(file, JSON.stringify({ ...held, started: "1" }));
  await sightings.change(["fleet"], (before) => new Map([["fleet", `${before.get("fleet")}, mine`]]));
  expect((await sightings.read(["fleet"])).get("fleet")).toBe("theirs, mine");
  expect(() => readFileSync(file)).toThrow("ENOENT");
});

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { pid, ppid } from "node:process";
import { describe, expect, test } from "vitest";
import { takeLock } from "../../src/state/lock.ts";
import { folder } from "../support/folder.ts";

function left(text: string) {
  const { root } = folder({ ".evenkeel/lock": text });
  const file = join(root, ".evenkeel/lock");
  return { file, take: () => takeLock(root, () => new Date()) };
}

const owner = { host: hostname(), since: "2026-01-01T00:00:00Z" };
const lockOf = (more: object) => left(JSON.stringify({ ...owner, ...more }));

test.each<[string, object]>([
  ["of a run with this process's own number", { pid }],
  ["of another boot of this machine", { pid: ppid, boot: "another" }],
  ["whose number has gone to a later process", { pid: ppid, started: "1" }],
  ["that names no process", { pid: 0 }],
])("a lock %s is taken over", (_, more) => {
  const { take, file } = lockOf(more);
  const lock = take();
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ pid, host: hostname() });
  lock[Symbol.dispose]();
  expect(() => readFileSync(file)).toThrow("ENOENT");
});

test.each(["", "null", "{"])("a lock that holds %j is none of a living run", (text) => {
  left(text).take()[Symbol.dispose]();
});

describe("a lock is not taken", () => {
  test.each<[string, object]>([
    ["from a process that lives", { pid: ppid }],
    ["from another machine", { pid, host: "another" }],
  ])("%s", (_, more) => {
    expect(lockOf(more).take).toThrow("another apply holds this workspace since 2026-01-01");
  });

  test("twice by one process, and given back only by its owner", () => {
    const { take, file } = left("");
    const lock = take();
    expect(take).toThrow(`process ${pid}`);
    writeFileSync(file, "another's");
    lock[Symbol.dispose]();
    expect(readFileSync(file, "utf8")).toBe("another's");
  });

  test("where its place is taken by something else", () => {
    const { take, file } = left("");
    rmSync(file);
    mkdirSync(file);
    expect(take).toThrow(/cannot take the lock .*: it is a folder/);
  });
});

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { cwd, execPath, pid, platform, ppid } from "node:process";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { ownMark } from "../../src/state/folder-lease.ts";
import { folderState } from "../../src/state/folder-store.ts";
import { takeLease } from "../../src/state/lease.ts";
import { recordObservation } from "../../src/state/snapshots/record.ts";
import { folder } from "../support/folder.ts";
import { runProcess } from "../support/processes.ts";
import { claim } from "./laws.ts";
import { allSnapshots, look, looked } from "./observations.ts";

function left(text: string) {
  const { root } = folder({ ".evenkeel/lock": text });
  const file = join(root, ".evenkeel/lock");
  const mine = { ...claim("mine"), host: hostname() };
  return { file, take: () => takeLease(folderState(root).leases("apply"), mine, { duration: 60_000 }) };
}

const here = ownMark();
const owner = {
  host: hostname(),
  since: "2026-01-01T00:00:00Z",
  run: "theirs",
  who: "ada",
  fence: 7,
  milliseconds: 60_000,
};
const lockOf = (more: object) => left(JSON.stringify({ ...owner, ...more }));

test("a lock that names no process is taken over", async () => {
  const { take, file } = lockOf({ pid: 0 });
  const lease = await take();
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ pid, host: hostname(), run: "mine" });
  await lease[Symbol.asyncDispose]();
  expect(() => readFileSync(file)).toThrow("ENOENT");
});

test.each(["", "null", "{", '{"pid":1,"host":"h"}'])("a lock that holds %j is none of a living run", async (text) => {
  await (await left(text).take())[Symbol.asyncDispose]();
});

/** Whether this user may make PID namespaces. */
const hasNamespaces = spawnSync("unshare", ["--pid", "--fork", "true"]).status === 0;

describe("a lease that says who holds it", () => {
  test.skipIf(platform !== "linux").each<[string, object]>([
    ["to this process, which does not hold it", { pid }],
    ["to nobody", { pid: 2 ** 22 + 1 }],
  ])("is taken over at once where its number has gone %s", async (_, more) => {
    await (await lockOf({ ...here, ...more }).take())[Symbol.asyncDispose]();
  });

  test.each<[string, object]>([
    ["of another boot or PID namespace, with this process's own number", { system: "another" }],
    ["of another boot or PID namespace, whose number nobody has here", { system: "another", pid: 2 ** 22 + 1 }],
    ["of another host", { host: "another" }],
    ["of another platform", { system: undefined }],
  ])("is not taken from a process %s before its time is over", async (_, more) => {
    const { take, file } = lockOf({ ...here, ...more });
    await expect(take()).rejects.toThrow("another apply holds this workspace");
    const over = Date.now() / 1000 - 61;
    utimesSync(file, over, over);
    await (await take())[Symbol.asyncDispose]();
  });

  test.skipIf(!hasNamespaces)("is not given to another container over the same volume", async () => {
    const { root } = folder();
    const lease = await takeLease(
      folderState(root).leases("apply"),
      { ...claim("mine"), host: hostname() },
      { duration: 60_000 },
    );
    const script = join(root, "take.mjs");
    await build({
      stdin: {
        contents: `import { folderState } from "./src/state/folder-store.ts";
          const claim = { run: "theirs", who: "eve", host: process.argv[3], pid: process.pid };
          console.log(JSON.stringify(await folderState(process.argv[2]).leases("apply").take(claim, 1000)));`,
        resolveDir: cwd(),
      },
      outfile: script,
      ...({ bundle: true, platform: "node", format: "esm", packages: "external", logLevel: "silent" } as const),
    });
    const ways = [["--pid", "--fork", "--mount-proc"], ["--pid", "--fork"], []];
    for (const way of ways) {
      const [program = "", ...args] = [
        ...(way.length > 0 ? ["unshare", ...way] : []),
        execPath,
        script,
        root,
        hostname(),
      ];
      const { stdout } = await runProcess(program, args).ended;
      expect(JSON.parse(stdout)).toMatchObject({ heldBy: { run: "mine" } });
    }
    expect(lease.lost()).toBeUndefined();
    await lease[Symbol.asyncDispose]();
  });
});

test("a lock that was not renewed is taken over, on whichever machine its process lives", async () => {
  for (const host of [hostname(), "another"]) {
    const { take, file } = lockOf({ pid: ppid, host });
    await expect(take()).rejects.toThrow("run theirs of ada on");
    const before = Date.now() / 1000 - 61;
    utimesSync(file, before, before);
    await (await take())[Symbol.asyncDispose]();
  }
});

describe("a lock is not taken", () => {
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

test("a run that records snapshots waits for another one, and takes over the lock of a dead one", async () => {
  const held = { ...here, ...owner, pid: ppid, run: "look-1" };
  const { root } = folder({ ".evenkeel/snapshots/lock": JSON.stringify(held) });
  const file = join(root, ".evenkeel/snapshots/lock");
  const state = folderState(root);
  const waiting = recordObservation(state, look("r1", [looked("p")]));
  await recordObservation(folderState(folder().root), look("r1", [looked("p")]));
  expect(await allSnapshots(state)).toEqual([]);
  rmSync(file);
  await waiting;
  writeFileSync(file, JSON.stringify({ ...held, pid: 2 ** 22 + 1, ...(platform !== "linux" && { milliseconds: 1 }) }));
  await recordObservation(state, look("r2", [looked("q")]));
  expect((await allSnapshots(state)).map(({ project }) => project)).toEqual(["q"]);
  expect(() => readFileSync(file)).toThrow("ENOENT");
});

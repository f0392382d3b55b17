import { mkdirSync, readdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { serve } from "../client/scripted.ts";
import { type Folder, folder } from "../support/folder.ts";
import { type Ended, runProcess } from "../support/processes.ts";
import { runProgram } from "./program.ts";
import { outcomes, policyText, scene, token, workspaceText } from "./workspace.ts";

const program = `"${process.execPath}" "${join(inject("build"), "cli.js")}"`;

/** Runs a line of shell in which `evenkeel` is the program. */
async function shell(line: string, { root }: Folder): Promise<Ended> {
  const env = { PATH: process.env.PATH, HOME: root, EVENKEEL_TOKEN: token };
  return runProcess("bash", ["-c", `evenkeel() { ${program} "$@"; }; ${line}`], { cwd: root, env }).ended;
}

const licenses = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`L${index}`, "allowed"]));
const projects = [{ path: "p" }, { path: "q" }];
const policy = { projects: ["p", "q"], licenses };

test("where the disk is full in the middle, nothing is sent without its intent, and all is told", async () => {
  const made = await scene({ projects, policy, workspace: { concurrency: 2 } });
  made.server.requests.reset();
  const ran = await shell("ulimit -f 1; evenkeel apply --yes --report json --report markdown=small", made);
  expect(ran.code).toBe(1);
  expect(ran.stderr).not.toContain("defect");
  expect(ran.stderr).toMatch(/cannot write \.evenkeel\/journal\/\S+: the file is too large/);
  expect(ran.stderr).toMatch(/^error: cannot write small: the file is too large$/m);
  const plan = JSON.parse(ran.stdout);
  const applied = outcomes(plan).filter((line) => line.startsWith("applied")).length;
  expect(plan.summary.outcomes).toEqual({ applied, failed: 0, skipped: 24 - applied, stale: 0, unknown: 0 });
  const journal = readdirSync(join(made.root, ".evenkeel/journal")).find((name) => name.endsWith(".ndjson"));
  const intents = made.read(`.evenkeel/journal/${journal}`).match(/^\{.*"intent".*\}$/gm) ?? [];
  expect(made.server.requests.writes).toBe(intents.length);
  expect(applied).toBe(intents.length);
  expect(applied).toBeGreaterThan(0);
  expect(Object.keys(made.files())).not.toContain("small");
  expect(await made.evenkeel("apply", "--yes")).toMatchObject({ code: 0, writes: 24 - applied });
});

test("a ledger that can no longer be written ends the sending, and is told with the outcomes", async () => {
  const site = await serve(({ method, body }) => {
    if (method === "GET") return { body: [] };
    renameSync(join(files.root, "ledger.ndjson"), join(files.root, "away"));
    mkdirSync(join(files.root, "ledger.ndjson"));
    return { status: 201, body: { id: 1, name: new URLSearchParams(body).get("name"), approval_status: "allowed" } };
  });
  const files = folder({
    "evenkeel.yaml": workspaceText({ url: site.url }, { ledger: "ledger.ndjson" }),
    "all.yaml": policyText({ projects: ["p"], licenses: { MIT: "allowed" } }),
    "ledger.ndjson": "\n",
  });
  const ran = await runProgram(["apply", "--yes"], files.root, { EVENKEEL_TOKEN: token });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toBe("error: the ledger ledger.ndjson cannot be written: it is a folder  (ledger)\n");
  expect(ran.stdout).toContain("Apply: 1 applied.");
});

describe("what stands in the way of the record is one sentence, before anything is read", () => {
  test.each<[string, (root: string) => void, RegExp]>([
    ["a journal", (root) => symlinkSync("/dev/null", join(root, ".evenkeel/journal")), /cannot write a journal/],
    ["a lock", (root) => mkdirSync(join(root, ".evenkeel/lock")), /cannot take the lock .*: it is a folder/],
    [
      "a key",
      (root) => symlinkSync("nowhere", join(root, ".evenkeel/ledger.key")),
      /ledger\.key cannot be read: no such/,
    ],
    [
      "a ledger",
      (root) => symlinkSync("/dev/full", join(root, "ledger.ndjson")),
      /^evenkeel\.yaml:4:9 .*workspace|regular/,
    ],
  ])("%s", async (_, prepare, words) => {
    const made = await scene({ projects, policy, workspace: { ledger: "ledger.ndjson" } });
    mkdirSync(join(made.root, ".evenkeel"));
    prepare(made.root);
    const ran = await made.evenkeel("apply", "--yes", "--report", "json=out.json");
    expect(ran).toMatchObject({ code: 1, stdout: "", reads: 0, writes: 0 });
    expect(ran.stderr).toMatch(words);
    expect(ran.stderr.trim().split("\n")).toHaveLength(1);
    expect(JSON.parse(made.read("out.json")).problems).toHaveLength(1);
  });
});

describe("stdout", () => {
  test("that is full is one sentence, and an error", async () => {
    const made = await scene({ projects, policy });
    const full = { code: 1, stdout: "", stderr: "error: cannot write to stdout: no space left on the device\n" };
    expect(await shell("evenkeel plan > /dev/full", made)).toEqual(full);
    const short = await shell("ulimit -f 4; evenkeel plan --report json > out", made);
    expect(short).toEqual({ ...full, stderr: "error: cannot write to stdout: the file is too large\n" });
  });
});

describe("outputs", () => {
  test("are written into what stands there, and name it before anything is read where they cannot", async () => {
    const made = await scene({ projects, policy });
    const reports = '--report json=/dev/stdout --report sarif=fifo --report terraform=>(cat > counts) --out "link"';
    made.write("target", "before");
    symlinkSync("target", join(made.root, "link"));
    const ran = await shell(
      `mkfifo fifo; cat fifo > sarif & evenkeel plan ${reports}; code=$?; wait; exit $code`,
      made,
    );
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    const { digest } = JSON.parse(ran.stdout);
    expect(JSON.parse(made.read("target"))).toMatchObject({ digest });
    expect(JSON.parse(made.read("sarif")).runs[0].results).toHaveLength(24);
    expect(JSON.parse(made.read("counts"))).toMatchObject({ create: 24 });
  });
});

test("schemas are written nowhere where no folder can be made", async () => {
  const ran = await runProgram(["schema", "/proc/x"], folder().root);
  expect(ran).toEqual({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/^error: cannot write \/proc\/x\/.*: no such/),
  });
});

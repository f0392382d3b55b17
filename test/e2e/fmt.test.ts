import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../readme.ts";
import { start } from "./program.ts";
import { folder } from "./workspace.ts";

const workspace = "apiVersion: evenkeel/v1\nkind: Workspace\nserver: { url: https://code.example.com }\n";
const jumbled = "kind: Policy\nname: x # mine\nprojects: [a/b]\napiVersion: evenkeel/v1";
const ordered = "apiVersion: evenkeel/v1\nkind: Policy\nname: x # mine\nprojects: [a/b]\n";
const broken = "apiVersion: evenkeel/v1\nkind: [";

const run = (place: string, ...args: readonly string[]) => start(["fmt", ...args], place).ended;

describe("fmt", () => {
  test("names and changes the files that were out of order, once", async () => {
    const { root, read } = folder({ "evenkeel.yaml": workspace, "p/a.yaml": jumbled, "p/b.yaml": ordered });
    expect(await run(root)).toEqual({ code: 0, stdout: "p/a.yaml\n", stderr: "" });
    expect(read("p/a.yaml")).toBe(ordered);
    expect(await run(root)).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("--check changes nothing, and tells by its exit code", async () => {
    const { root, read } = folder({ "evenkeel.yaml": workspace, "p/a.yaml": jumbled });
    expect(await run(root, "--check")).toEqual({ code: 1, stdout: "p/a.yaml\n", stderr: "" });
    expect(read("p/a.yaml")).toBe(jumbled);
    expect((await run(root)).code).toBe(0);
    expect(await run(root, "--check")).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("files with mistakes of syntax are reported and left; the others are done", async () => {
    const { root, read } = folder({ "evenkeel.yaml": workspace, "a.yaml": broken, "b.yaml": jumbled });
    const { code, stdout, stderr } = await run(root);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "b.yaml\n" });
    expect(stderr).toMatch(/^a\.yaml:\d+:\d+ {2}.*\(yaml\)\n$/);
    expect(read("a.yaml")).toBe(broken);
  });

  test("takes files and folders, and needs no workspace for them", async () => {
    const { root, read } = folder({ "p/a.yaml": jumbled, "p/notes.txt": "kind: [", "q.yml": jumbled });
    expect(await run(root, "p")).toEqual({ code: 0, stdout: "p/a.yaml\n", stderr: "" });
    expect(read("q.yml")).toBe(jumbled);
    expect(await run(root, "p/a.yaml", "q.yml")).toEqual({ code: 0, stdout: "q.yml\n", stderr: "" });
    expect(await run(root, "r")).toEqual({ code: 1, stdout: "", stderr: "r: no such file or folder\n" });
  });

  test("leaves other tools' files alone, whatever is in them", async () => {
    const pipeline = "script: !reference [a, b]";
    const { root, read } = folder({ "pipeline.yml": pipeline, "a.yaml": jumbled });
    expect(await run(root, "pipeline.yml", "a.yaml")).toEqual({ code: 0, stdout: "a.yaml\n", stderr: "" });
    expect(read("pipeline.yml")).toBe(pipeline);
  });

  test("every example is in order", async () => {
    const examples = join(root, "examples");
    const workspaces = readdirSync(examples).filter((name) => existsSync(join(examples, name, "evenkeel.yaml")));
    expect(workspaces).not.toHaveLength(0);
    for (const name of workspaces)
      expect(await run(join(examples, name), "--check")).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("what init writes is in order", async () => {
    const { root } = folder();
    await start(["init"], root).ended;
    expect(await run(root, "--check")).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});

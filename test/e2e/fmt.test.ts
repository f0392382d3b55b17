import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../readme.ts";
import { folder } from "../support/folder.ts";
import { runProgram } from "./program.ts";

const workspace = "apiVersion: evenkeel/v1\nkind: Workspace\nserver: { url: https://code.example.com }\n";
const jumbled = "kind: Policy\nname: x # mine\nprojects: [a/b]\napiVersion: evenkeel/v1";
const ordered = "apiVersion: evenkeel/v1\nkind: Policy\nname: x # mine\nprojects: [a/b]\n";
const broken = "apiVersion: evenkeel/v1\nkind: [";

const run = (place: string, ...args: readonly string[]) => runProgram(["fmt", ...args], place);

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

  test("takes files without a workspace", async () => {
    const { root, read } = folder({ "p/a.yaml": jumbled, "q.yml": jumbled });
    expect(await run(root, "q.yml")).toEqual({ code: 0, stdout: "q.yml\n", stderr: "" });
    expect(read("p/a.yaml")).toBe(jumbled);
    expect(await run(root, "r")).toEqual({ code: 1, stdout: "", stderr: "error: r: no such file or folder\n" });
    expect(await run(root, "p")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("no evenkeel.yaml"),
    });
  });

  test("of a folder takes the workspace's manifests, and says what it skipped", async () => {
    const files = {
      "evenkeel.yaml": workspace,
      ".gitignore": "vendor/\n",
      "p/a.yaml": jumbled,
      "p/vendor/b.yaml": jumbled,
      "p/nested/evenkeel.yaml": workspace,
      "p/nested/c.yaml": jumbled,
      "q/d.yaml": jumbled,
    };
    const { root, read } = folder(files);
    const skipped = ["p/nested/c.yaml", "p/nested/evenkeel.yaml", "p/vendor/b.yaml"];
    const { stderr, ...ended } = await run(root, "p");
    expect(ended).toEqual({ code: 0, stdout: "p/a.yaml\n" });
    expect(stderr).toBe(`note: skipped 3 files, not manifests of this workspace: ${skipped.join(", ")}\n`);
    for (const name of [...skipped.filter((name) => name.endsWith("c.yaml")), "p/vendor/b.yaml", "q/d.yaml"])
      expect(read(name)).toBe(jumbled);
    expect(await run(join(root, "q"), "..")).toMatchObject({ code: 0, stdout: "d.yaml\n" });
    for (const other of ["..", "p/nested"]) expect(await run(root, other)).toMatchObject({ code: 64, stdout: "" });
  });

  test("leaves other tools' files alone, whatever is in them, unless it is no YAML", async () => {
    const pipeline = "script: !reference [a, b]";
    const { root, read } = folder({ "pipeline.yml": pipeline, "a.yaml": jumbled, "b.yaml": "a: [" });
    const stderr = "note: skipped 1 file, not manifests of this workspace: pipeline.yml\n";
    expect(await run(root, "pipeline.yml", "a.yaml")).toEqual({ code: 0, stdout: "a.yaml\n", stderr });
    expect(read("pipeline.yml")).toBe(pipeline);
    const { code, stderr: said } = await run(root, "b.yaml");
    expect(code).toBe(1);
    expect(said).toMatch(/^b\.yaml:\d+:\d+ {2}.*\(yaml\)\n$/);
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
    await runProgram(["init"], root);
    expect(await run(root, "--check")).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});

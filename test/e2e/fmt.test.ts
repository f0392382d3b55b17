import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../readme.ts";
import { folder } from "../support/folder.ts";
import { runProgram } from "./program.ts";

const workspace = "apiVersion: evenkeel/v1\nkind: Workspace\nserver: { url: https://code.example.com }\n";
const jumbled = "kind: Policy\nname: x # mine\nprojects: [a/b]\napiVersion: evenkeel/v1";

const run = (place: string, ...args: readonly string[]) => runProgram(["fmt", ...args], place);

describe("fmt", () => {
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

  test("every example is in order", async () => {
    const examples = join(root, "examples");
    const workspaces = readdirSync(examples).filter((name) => existsSync(join(examples, name, "evenkeel.yaml")));
    expect(workspaces).not.toHaveLength(0);
    for (const name of workspaces)
      expect(await run(join(examples, name), "--check")).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});

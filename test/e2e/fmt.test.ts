import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../readme.ts";
import { runProgram } from "./program.ts";

test("fmt finds every example in order", async () => {
  const examples = join(root, "examples");
  const workspaces = readdirSync(examples).filter((name) => existsSync(join(examples, name, "evenkeel.yaml")));
  expect(workspaces).not.toHaveLength(0);
  for (const name of workspaces)
    expect(await runProgram(["fmt", "--check"], join(examples, name))).toEqual({ code: 0, stdout: "", stderr: "" });
});

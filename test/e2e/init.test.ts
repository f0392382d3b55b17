import { expect, test } from "vitest";
import { stateFolder } from "../../src/state/state-folder.ts";
import { folder } from "../support/folder.ts";
import { runProgram } from "./program.ts";

test.each([
  ["--dialect", "neutral"],
  ["--dialect", "gitlab"],
  ["--dialect", "gitlab", "--release", "15.2"],
])("the example of init %s %s does nothing, and is a valid policy without its comment signs", async (...flags) => {
  const { root, read, write } = folder();
  await runProgram(["init", ...flags], root);
  const text = read("policies/example.yaml");
  expect(text.split("\n").filter((line) => !/^#/.test(line))).toEqual([""]);
  write(
    "policies/example.yaml",
    text
      .split("#\n")
      .map((part, index) => (index > 0 ? part.replace(/^# /gm, "") : part))
      .join("#\n"),
  );
  const checked = await runProgram(["validate"], root);
  expect(checked).toMatchObject({ code: 0, stdout: "Valid: 1 policy.\n", stderr: "" });
});

test("init has git ignore all that a run keeps on the machine", async () => {
  const { root, read } = folder();
  expect((await runProgram(["init"], root)).code).toBe(0);
  stateFolder(root);
  const kept = read(".evenkeel/.gitignore")
    .split("\n")
    .filter((line) => line && !line.startsWith("#"));
  expect(read(".gitignore").split("\n")).toEqual(expect.arrayContaining(kept.map((line) => `.evenkeel/${line}`)));
});

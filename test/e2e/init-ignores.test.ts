import { expect, test } from "vitest";
import { stateFolder } from "../../src/state/state-folder.ts";
import { folder } from "../support/folder.ts";
import { runProgram } from "./program.ts";

test("init has git ignore all that a run keeps on the machine", async () => {
  const files = folder({});
  expect((await runProgram(["init"], files.root)).code).toBe(0);
  stateFolder(files.root);
  const kept = files
    .read(".evenkeel/.gitignore")
    .split("\n")
    .filter((line) => line && !line.startsWith("#"));
  expect(files.read(".gitignore").split("\n")).toEqual(expect.arrayContaining(kept.map((line) => `.evenkeel/${line}`)));
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
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

test("init --ci overwrites no pipeline", async () => {
  const { root, files } = folder({ ".gitlab-ci.yml": "# mine\n" });
  const ran = await runProgram(["init", "--ci", "gitlab"], root);
  expect(ran).toMatchObject({ code: 1, stderr: "error: .gitlab-ci.yml exists already; nothing was written\n" });
  expect(Object.keys(files())).toEqual([".gitlab-ci.yml"]);
});

test("init --ci adds a pipeline to an existing workspace and keeps its files", async () => {
  const { root, files, read } = folder({ "evenkeel.yaml": "# mine\n", "policies/example.yaml": "# mine\n" });
  const ran = await runProgram(["init", "--ci", "github"], root);
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  expect(ran.stdout).toMatch(
    /^Wrote \.github\/workflows\/evenkeel\.yml and kept evenkeel\.yaml\.\n\nTo change first:\n/,
  );
  expect(ran.stdout).toMatch(/EVENKEEL_WRITE_TOKEN as a secret/);
  expect(Object.keys(files()).toSorted()).toEqual([
    ".github/workflows/evenkeel.yml",
    "evenkeel.yaml",
    "policies/example.yaml",
  ]);
  expect(read("evenkeel.yaml")).toBe("# mine\n");
  const again = await runProgram(["init", "--ci", "github"], root);
  expect(again.stderr).toBe("error: .github/workflows/evenkeel.yml exists already; nothing was written\n");
  const changed = await runProgram(["init", "--ci", "gitlab", "--tier", "free"], root);
  expect(changed.stderr).toBe("error: evenkeel.yaml exists already; nothing was written\n");
});

test("init overwrites nothing", async () => {
  const { root, read } = folder({ "evenkeel.yaml": "# mine\n" });
  const ran = await runProgram(["init"], root);
  expect(ran).toMatchObject({
    code: 1,
    stdout: "",
    stderr: "error: evenkeel.yaml exists already; nothing was written\n",
  });
  expect(read("evenkeel.yaml")).toBe("# mine\n");
  expect((await runProgram(["init", "x", "--url", "code.example.com"], root)).code).toBe(64);
});

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

test("init --dialect and schema write the schemas of its names", async () => {
  const { root } = folder();
  expect((await runProgram(["init", "--dialect", "gitlab"], root)).code).toBe(0);
  const schema = (place: string) => Object.keys(JSON.parse(readFileSync(join(root, place), "utf8")).properties);
  expect(schema(".evenkeel/schemas/integrations.schema.json")).toContain("jira");
  const other = await runProgram(["schema", "--dialect", "neutral", "other"], root);
  expect({ code: other.code, stderr: other.stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/^Wrote other\/\S+\.schema\.json, /),
  });
  expect(schema("other/integrations.schema.json")).not.toContain("jira");
  expect((await runProgram(["schema", "again"], root)).code).toBe(0);
  expect(schema("again/integrations.schema.json")).toContain("jira");
});

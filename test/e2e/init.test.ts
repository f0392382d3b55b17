import { expect, test } from "vitest";
import { stateFolder } from "../../src/state/state-folder.ts";
import { folder } from "../support/folder.ts";
import { runProgram } from "./program.ts";

test.each([
  [],
  ["--tier", "free"],
  ["--tier", "premium"],
  ["--release", "12.10", "--tier", "ultimate"],
  ["--release", "17.9"],
  ["--dialect", "gitlab"],
])("init %s gives a workspace that validates, without a question where nobody is", async (...flags) => {
  const { root, files, read } = folder();
  const ran = await runProgram(["init", "new", "--url", "https://git.example.org", ...flags], root);
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  expect(ran.stdout).toContain("evenkeel import -C new --all --factor");
  expect(ran.stdout).toContain("  EVENKEEL_TOKEN in the environment: ");
  expect(ran.stdout).not.toContain("only an example");
  expect(read("new/evenkeel.yaml")).toContain('url: "https://git.example.org"');
  const [first] = (files()["new/policies/example.yaml"] ?? "").split("\n");
  expect(first).toBe("# yaml-language-server: $schema=../.evenkeel/schemas/manifest.schema.json");
  const checked = await runProgram(["validate", "-C", "new"], root);
  expect(checked).toMatchObject({ code: 0, stdout: "Valid: 0 policies.\n", stderr: "" });
});

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

test("a release that nobody stated is asked of the server, and a platform's example has nothing that later ones lack", async () => {
  const { root, read } = folder();
  await runProgram(["init", "new", "--dialect", "gitlab"], root);
  expect(read("new/evenkeel.yaml")).toContain('\n  # release: "14.5"           # if left out, the server is asked\n');
  expect(read("new/policies/example.yaml")).not.toContain("licenses");
  const ran = await runProgram(["init", "old", "--dialect", "gitlab", "--release", "15.2"], root);
  expect(ran.code).toBe(0);
  expect(read("old/evenkeel.yaml")).toContain('\n  release: "15.2"\n  dialect: gitlab\n');
  expect(read("old/policies/example.yaml")).toContain("\n# licenses:\n");
});

test("init says which of its values is only an example", async () => {
  const ran = await runProgram(["init", "new"], folder().root);
  expect(ran.stdout).toContain("  server.url in new/evenkeel.yaml: https://code.example.com is only an example\n");
});

test.each([
  ["gitlab", ".gitlab-ci.yml", "platform/evenkeel in new/.gitlab-ci.yml: only an example"],
  ["github", ".github/workflows/evenkeel.yml", "platform/evenkeel@v"],
])("init --ci %s writes %s, which is no manifest, and lists its examples", async (forge, file, example) => {
  const { root, read, write } = folder();
  const ran = await runProgram(["init", "new", "--ci", forge], root);
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  expect(ran.stdout).toContain(`, new/${file} and new/policies/example.yaml.`);
  expect(ran.stdout).toContain(example);
  write("new/ci/apply.yml", "apply: { script: [evenkeel apply plan.json] }\n");
  expect(await runProgram(["validate", "-C", "new"], root)).toMatchObject({ code: 0, stdout: "Valid: 0 policies.\n" });
  const text = read(`new/${file}`);
  const again = await runProgram(["init", "new", "--ci", forge], root);
  expect(again).toMatchObject({ code: 1, stderr: "error: new/evenkeel.yaml exists already; nothing was written\n" });
  expect(read(`new/${file}`)).toBe(text);
});

test("init --ci overwrites no pipeline", async () => {
  const { root, files } = folder({ ".gitlab-ci.yml": "# mine\n" });
  const ran = await runProgram(["init", "--ci", "gitlab"], root);
  expect(ran).toMatchObject({ code: 1, stderr: "error: .gitlab-ci.yml exists already; nothing was written\n" });
  expect(Object.keys(files())).toEqual([".gitlab-ci.yml"]);
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

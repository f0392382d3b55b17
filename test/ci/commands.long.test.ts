import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type CliCommand, commands } from "../../src/commands/table.ts";
import { read, root } from "../readme.ts";
import { tempFolder } from "../support/folder.ts";

const pipelines = [
  "examples/ci/gitlab-ci.yml",
  "examples/ci/gitlab-apply.yml",
  "examples/ci/github-workflow.yml",
  ".pre-commit-hooks.yaml",
];

/** Every string in a YAML file, whatever it stands for. */
function strings(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(strings) : [];
}

/** Command lines of evenkeel, as words. */
function commandLines(texts: readonly string[]): readonly (readonly string[])[] {
  const lines = texts.flatMap((text) => text.split("\n")).map((line) => line.trim());
  return lines.filter((line) => line.startsWith("evenkeel ")).map((line) => line.split(/\s+/).slice(1));
}

/** What is wrong with a command line, by the table of commands. */
function mistakes(words: readonly string[]): readonly string[] {
  const command = commands.find(({ name }) => name === words[0]);
  if (!command) return [`no command ${words[0]}`];
  return words.flatMap((word, index) => {
    if (!word.startsWith("-")) return [];
    const flag = command.flags.find(({ flags }) => flags.split(/[ ,]/)[0] === word);
    if (!flag) return [`${command.name} has no ${word}`];
    return flag.suggests ? unsuggested(command, flag.suggests, words[index + 1] ?? "") : [];
  });
}

function unsuggested({ name }: CliCommand, known: readonly string[], value: string): readonly string[] {
  const [kind = ""] = value.split("=");
  return known.includes(kind) ? [] : [`${name} has no report ${kind}`];
}

describe("examples/ci", () => {
  test.each(pipelines)("%s is YAML, and every command line in it is one", (file) => {
    const lines = commandLines(strings(parse(read(file), { merge: true })));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.flatMap(mistakes)).toEqual([]);
  });

  test("README.md and Dockerfile as well", () => {
    const lines = commandLines([read("examples/ci/README.md")]);
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.flatMap(mistakes)).toEqual([]);
    const [, command = "[]"] = /^CMD (.*)$/m.exec(read("Dockerfile")) ?? [];
    expect(JSON.parse(command)).toEqual(["evenkeel", "--help"]);
  });

  test("the check finds what is wrong", () => {
    expect(commandLines(["evenkeel plam", "evenkeel plan --ot x --report mark=y"]).flatMap(mistakes)).toEqual([
      "no command plam",
      "plan has no --ot",
      "plan has no report mark",
    ]);
  });

  test("the image holds what it is built from, and runs without root", () => {
    const text = read("Dockerfile");
    const copied = [...text.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, names = ""]) => names.split(" "));
    expect(copied.filter((name) => !readdirSync(root).includes(name))).toEqual([]);
    const passed = read(".dockerignore")
      .split("\n")
      .filter((line) => line.startsWith("!"))
      .map((line) => line.slice(1));
    expect(passed.sort()).toEqual(copied.sort());
    expect(/^USER (.*)$/m.exec(text)?.[1]).toBe("node");
    expect(/apt-get install (.*)$/m.exec(text)?.[1]).toMatch(/\bgit\b.*\bopenssh-client\b/);
  });

  test("the image runs with what it holds", () => {
    const text = read("Dockerfile");
    const [build, image] = [tempFolder(), tempFolder()];
    const [, from = "", to = ""] = text.split(/^FROM .*$/m);
    for (const [, names = ""] of from.matchAll(/^COPY (.*) \S+$/gm))
      for (const name of names.split(" ")) cpSync(join(root, name), join(build, name), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(build, "node_modules"));
    execFileSync("npm", ["run", "--silent", "build:js"], { cwd: build });
    for (const [, name = ""] of to.matchAll(/^COPY --from=build \/build\/(\S+)/gm))
      cpSync(join(build, name), join(image, name), { recursive: true, verbatimSymlinks: true });
    const evenkeel = (...args: string[]) =>
      execFileSync(process.execPath, [join(image, "dist/cli.js"), ...args], { cwd: image, encoding: "utf8" });
    expect(evenkeel("init", "policies")).toContain("evenkeel.yaml");
    expect(evenkeel("validate", "-C", "policies")).toBe("Valid: 0 policies.\n");
    expect(evenkeel("state", "-C", "policies")).toContain("Lease: free");
  });
});

import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { type CliCommand, commands } from "../../src/commands/command.ts";
import { read, root } from "../readme.ts";
import { tempFolder } from "../support/folder.ts";

const pipelines = [
  "templates/plan.yml",
  "templates/apply.yml",
  "templates/drift.yml",
  "action.yml",
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

describe("pipelines", () => {
  test.each(pipelines)("%s is YAML, and every command line in it is one", (file) => {
    const lines = commandLines(strings(parseAllDocuments(read(file)).map((document) => document.toJS())));
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
    expect(passed.sort()).toEqual([...new Set(copied)].sort());
    expect(/^USER (.*)$/m.exec(text)?.[1]).toBe("node");
    expect(/apt-get install (.*)$/m.exec(text)?.[1]).toMatch(/\bgit\b.*\bopenssh-client\b/);
  });

  test("the image's steps install from the lock file, and the result runs with all optional packages", () => {
    const stages = read("Dockerfile")
      .split(/^FROM /m)
      .slice(1);
    const folders = new Map(stages.map((stage) => [/ AS (\w+)$/m.exec(stage)?.[1] ?? "image", tempFolder()]));
    const folderOf = (name: string) => folders.get(name) ?? "";
    for (const name of ["build", "packages"]) {
      const steps = stages.find((stage) => stage.includes(` AS ${name}\n`))?.replaceAll("\\\n", "") ?? "";
      for (const [, step, words = ""] of steps.matchAll(/^(COPY|RUN) (.*)$/gm)) {
        // This clone was installed by the same command.
        if (words === "npm ci --ignore-scripts")
          symlinkSync(join(root, "node_modules"), join(folderOf(name), "node_modules"));
        else if (step === "RUN") execFileSync("sh", ["-c", words], { cwd: folderOf(name) });
        else
          for (const file of words.split(" ").slice(0, -1))
            cpSync(join(root, file), join(folderOf(name), file), { recursive: true });
      }
    }
    const [image, locked] = [folderOf("image"), JSON.parse(read("package-lock.json")).packages];
    for (const [, from = "", name = ""] of read("Dockerfile").matchAll(/^COPY --from=(\w+) \/build\/(\S+)/gm))
      cpSync(join(folderOf(from), name), join(image, name), { recursive: true, verbatimSymlinks: true });
    const evenkeel = (...args: string[]) =>
      execFileSync(process.execPath, [join(image, "dist/cli.js"), ...args], { cwd: image, encoding: "utf8" });
    expect(evenkeel("init", "policies")).toContain("evenkeel.yaml");
    expect(evenkeel("validate", "-C", "policies")).toBe("Valid: 0 policies.\n");
    expect(evenkeel("state", "-C", "policies")).toContain("Lease: free");
    const { dependencies, peerDependencies } = JSON.parse(read("package.json"));
    for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
      const { version } = JSON.parse(readFileSync(join(image, "node_modules", name, "package.json"), "utf8"));
      expect([name, version]).toEqual([name, locked[`node_modules/${name}`].version]);
    }
    expect(readdirSync(join(image, "node_modules"))).not.toContain("vitest");
  });
});

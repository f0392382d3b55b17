import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commands } from "../../src/commands/command.ts";
import { commandAccess, neededRoles } from "../../src/model/command-access.ts";
import { findingKinds, planKinds } from "../../src/report/report.ts";
import { read as readFrom, root, sources } from "../readme.ts";
import { commandsPage } from "./commands.ts";
import { kindsPage } from "./kinds.ts";

test("docs/commands.md is in step with the commands; npm run docs writes it", async () => {
  await expect(commandsPage()).toMatchFileSnapshot(join(root, "docs/commands.md"));
});

test("docs/kinds-reference.md is in step with schemas/kinds; npm run docs writes it", async () => {
  await expect(kindsPage()).toMatchFileSnapshot(join(root, "docs/kinds-reference.md"));
});

test("docs/library-reference.md is in step with what the library exports and its docstrings; npm run docs writes it", async () => {
  const script = join(import.meta.dirname, "library-reference.mjs");
  const { libraryPage }: { libraryPage: (root: string) => string } = await import(script);
  const text = libraryPage(root);
  await expect(text).toMatchFileSnapshot(join(root, "docs/library-reference.md"));
  const names = Object.keys(await import("../../src/index.ts"));
  expect(Array.from(text.matchAll(/^## (\w+)$/gm), ([, name]) => name).sort()).toEqual(names.sort());
});

test("every command has at least two examples to begin with, and they are its own", () => {
  for (const { name, examples } of commands.filter(({ hidden }) => !hidden)) {
    expect([name, examples.length > 1]).toEqual([name, true]);
    const own = examples.map(([line]) => line).filter((line) => !line.includes(`evenkeel ${name}`));
    expect([name, own]).toEqual([name, []]);
  }
});

test("every option that an example shows exists", () => {
  const wrong = commands.flatMap(({ name, examples, flags }) =>
    examples.flatMap(([line]) => {
      const known = flags.flatMap((flag) => flag.flags.split(/[ ,]+/));
      const used = line.split(/[\s=]/).filter((word) => /^--?[a-zA-Z]/.test(word));
      return used.filter((word) => !known.includes(word)).map((word) => `${name}: ${word}`);
    }),
  );
  expect(wrong).toEqual([]);
});

test("docs/access.md says of every command what role and scope it needs", () => {
  const table = readFrom("docs/access.md");
  const words = table.match(/`[^`]+`/g)?.map((word) => word.slice(1, -1)) ?? [];
  const missing = commands
    .filter(({ name, hidden }) => !hidden && !words.includes(name) && !words.includes(name.split(" ").at(-1) ?? ""))
    .map(({ name }) => name);
  expect(missing).toEqual([]);
});

test("its table of roles and scopes is the one that whoami judges by", () => {
  const rows = readFrom("docs/access.md").match(/^\| `.*\| `(?:read_)?api` \|$/gm) ?? [];
  const told = rows.map((row) => {
    const [, commands = "", role = "", scope = ""] = row
      .split(" | ")
      .flatMap((cell, index) => (index === 0 ? ["", cell] : [cell]));
    const names = commands.match(/`[^`]+`/g)?.map((word) => word.slice(1, -1));
    return { commands: names, role: role.split(";")[0], scope: scope.replace(/[`| ]/g, "") };
  });
  const table = commandAccess.map(({ commands, role, of, scope }) => {
    return { commands, role: role ? `${neededRoles[role].words}${of ? ` of ${of}` : ""}` : "any", scope };
  });
  expect(told).toEqual(expect.arrayContaining(table));
});

const read = (...path: readonly string[]) => readFrom(join(...path));
const sorted = <Word extends string | undefined>(words: Iterable<Word>) => [...new Set(words)].sort();

test("docs/running.md tells of every kind of report", () => {
  const page = read("docs/running.md");
  const rows = (page.slice(page.indexOf("| kind |")).split("\n\n")[0] ?? "").split("\n").slice(2);
  expect(sorted(rows.flatMap((row) => row.split("|")[1]?.match(/\w+/g) ?? []))).toEqual(sorted(planKinds));
  expect(page).toContain(findingKinds.join(", "));
});

test("schemas/README.md tells what each x- word of the schemas means, and has no other", () => {
  const files = readdirSync(join(root, "schemas")).filter((name) => name.endsWith(".json"));
  const used = files.flatMap((name) => [...read("schemas", name).matchAll(/"(x-[a-z-]+)":/g)].map(([, word]) => word));
  const told = [...read("schemas/README.md").matchAll(/^\| `(x-[a-z-]+)`/gm)].map(([, word]) => word);
  expect(sorted(used)).toEqual(sorted(told));
});

test("docs/environment.md has every variable that the program reads, and no other of its own", () => {
  const names = (text: string) => sorted(text.match(/\bEVENKEEL_[A-Z_]*[A-Z]\b/g) ?? []);
  const isReport = (name: string) => name.startsWith("EVENKEEL_PLAN");
  const used = names(
    sources()
      .map(({ text }) => text)
      .join("\n"),
  ).filter((name) => !isReport(name));
  expect(names(read("docs/environment.md"))).toEqual(used);
});

test("README has the table of roles and scopes, as docs/access.md has it", () => {
  const rowsOf = (page: string) =>
    [...readFrom(page).matchAll(/^\| (`[^|]+) \| ([^|]+) \| `(?:read_)?api`/gm)].map(
      ([, commands = "", role = ""]) => ({
        commands: commands.split(", "),
        role,
      }),
    );
  const access = rowsOf("docs/access.md");
  const known = (command: string, role: string) =>
    access.some((row) => row.commands.includes(command) && row.role.startsWith(role));
  const shown = rowsOf("README.md").flatMap(({ commands, role }) =>
    commands.map((command) => [command, role] as const),
  );
  expect(shown.length).toBeGreaterThan(8);
  expect(shown.filter(([command, role]) => !known(command, role))).toEqual([]);
});

test("README is short, and docs/README.md lists every page", () => {
  expect(readFrom("README.md").split("\n").length).toBeLessThan(130);
  const pages = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md") && name !== "README.md");
  expect(pages.filter((name) => !read("docs/README.md").includes(`(${name}`))).toEqual([]);
});

test("README shows pictures that are there, and small", () => {
  const pictures = [...readFrom("README.md").matchAll(/!\[.+\]\((\S+\.png)\)/g)].map(([, path = ""]) => path);
  expect(pictures).toHaveLength(2);
  for (const path of pictures) expect([path, statSync(join(root, path)).size < 128 * 1024]).toEqual([path, true]);
});

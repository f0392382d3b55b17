import { join } from "node:path";
import { expect, test } from "vitest";
import { verbs } from "../../src/commands/verbs.ts";
import { read, root } from "../readme.ts";
import { commandsPage } from "./commands.ts";

test("docs/commands.md is in step with the commands; npm run docs writes it", async () => {
  await expect(commandsPage()).toMatchFileSnapshot(join(root, "docs/commands.md"));
});

test("every command has at least two examples to begin with, and they are its own", () => {
  for (const { name, examples } of verbs.filter(({ hidden }) => !hidden)) {
    expect([name, examples.length > 1]).toEqual([name, true]);
    const own = examples.map(([line]) => line).filter((line) => !line.includes(`evenkeel ${name}`));
    expect([name, own]).toEqual([name, []]);
  }
});

test("every option that an example shows exists", () => {
  const wrong = verbs.flatMap(({ name, examples, options }) =>
    examples.flatMap(([line]) => {
      const known = options.flatMap(({ flags }) => flags.split(/[ ,]+/));
      const used = line.split(/[\s=]/).filter((word) => /^--?[a-zA-Z]/.test(word));
      return used.filter((word) => !known.includes(word)).map((word) => `${name}: ${word}`);
    }),
  );
  expect(wrong).toEqual([]);
});

test("README says of every command what role and scope it needs", () => {
  const [, table = ""] = /## What the token may do\n([\s\S]*?)\n## /.exec(read("README.md")) ?? [];
  const words = table.match(/`[^`]+`/g)?.map((word) => word.slice(1, -1)) ?? [];
  const missing = verbs
    .filter(({ name, hidden }) => !hidden && !words.includes(name) && !words.includes(name.split(" ").at(-1) ?? ""))
    .map(({ name }) => name);
  expect(missing).toEqual([]);
});

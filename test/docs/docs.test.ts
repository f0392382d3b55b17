import { join } from "node:path";
import { expect, test } from "vitest";
import { verbs } from "../../src/commands/verbs.ts";
import { root } from "../readme.ts";
import { commandsPage } from "./commands.ts";

test("docs/commands.md is in step with the commands; npm run docs writes it", async () => {
  await expect(commandsPage()).toMatchFileSnapshot(join(root, "docs/commands.md"));
});

test("every command has two or three real examples to begin with, and they are its own", () => {
  for (const { name, examples } of verbs) {
    expect([name, examples.length > 0]).toEqual([name, true]);
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

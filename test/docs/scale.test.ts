import { join } from "node:path";
import { expect, test } from "vitest";
import { read, root } from "../readme.ts";
import { tables } from "./scale-tables.ts";

test("the tables of docs/scale.md are what the model says; npm run docs writes them", async () => {
  const page = read("docs/scale.md").replace(
    /(<!-- (?!end)(\w+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, begin: string, name: string, end: string) => `${begin}\n${tables[name]?.() ?? "no such table"}\n\n${end}`,
  );
  await expect(page).toMatchFileSnapshot(join(root, "docs/scale.md"));
});

test("docs/scale.md has every table", () => {
  const named = [...read("docs/scale.md").matchAll(/<!-- (?!end)(\w+) -->\n/g)].map(([, name]) => name);
  expect(named).toEqual(Object.keys(tables));
});

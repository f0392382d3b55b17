import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { treeOf } from "../../src/scan/includes.ts";
import { scanText } from "../../src/scan/scan.ts";

interface Case {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
}

const folder = join(import.meta.dirname, "../cases/scan");
const named = (file: string) => parse(readFileSync(join(folder, file), "utf8")) as readonly Case[];
const lists = readdirSync(folder).filter((file) => file.endsWith(".yaml"));

function scanned({ files }: Case) {
  const tree = treeOf(Object.keys(files), (file) => files[file]);
  return Object.entries(files).map(([file, text]) => ({
    file,
    text,
    ...scanText({ file, text, release: "15.0" }, tree),
  }));
}

type Scanned = ReturnType<typeof scanned>[number];

function told({ file, text, findings, fixed }: Scanned): string {
  const lines = text.split("\n");
  const rewritten = fixed.split("\n").flatMap((line, at) => (line === lines[at] ? [] : [`  ${at + 1} -> ${line}\n`]));
  const found = findings.map(({ line, column, severity, id }) => `  ${line}:${column} ${severity} ${id}\n`);
  return `${file}\n${[...found, ...rewritten].join("")}`;
}

describe.each(lists.filter((list) => !list.startsWith("innocent")))("%s", (list) => {
  it("finds and rewrites", async () => {
    const all = named(list).map((each) => `# ${each.name}\n${scanned(each).map(told).join("")}`);
    await expect(all.join("\n")).toMatchFileSnapshot(join(folder, list.replace(/yaml$/, "txt")));
  });

  it.each(named(list))("$name: what was rewritten stays, and has exactly the uses that were not", (each) => {
    const before = scanned(each);
    const files = Object.fromEntries(before.map(({ file, fixed }) => [file, fixed]));
    for (const [at, after] of scanned({ ...each, files }).entries()) {
      expect(after.fixed).toBe(before[at]?.fixed);
      expect(after.findings).toEqual(before[at]?.fixed === before[at]?.text ? before[at]?.findings : before[at]?.left);
    }
  });
});

describe.each(lists.filter((list) => list.startsWith("innocent")))("%s", (list) => {
  it.each(named(list))("$name", (each) => {
    for (const { findings, fixed, text } of scanned(each))
      expect({ findings, fixed }).toEqual({ findings: [], fixed: text });
  });
});

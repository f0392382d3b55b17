import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { format } from "../../src/author/format/format.ts";
import { parseYaml } from "../../src/manifest/yaml.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";

const folder = join(import.meta.dirname, "../cases/format");

const textOf = (text: string): string => {
  const formatted = format("policies/a.yaml", text, catalogueOf());
  return "text" in formatted ? formatted.text : JSON.stringify(formatted);
};

describe("format", () => {
  test("comes to the golden texts, which keep their values and stay as they are", async () => {
    const cases: Readonly<Record<string, string>> = parse(readFileSync(join(folder, "policies.yaml"), "utf8"));
    const texts = Object.entries(cases).map(([name, text]) => {
      const formatted = textOf(text);
      expect(valuesOf(formatted)).toEqual(valuesOf(text));
      expect(textOf(formatted)).toBe(formatted);
      return `## ${name}\n${formatted}`;
    });
    await expect(texts.join("\n")).toMatchFileSnapshot(join(folder, "policies.txt"));
  });

  test("keeps the line breaks of another system", () => {
    const text = "kind: Policy\r\nname: x\r\n# why\r\napiVersion: evenkeel/v1";
    expect(textOf(text)).toBe("# why\r\napiVersion: evenkeel/v1\r\nkind: Policy\r\nname: x\r\n");
  });

  test("reports mistakes of syntax, with their places", () => {
    expect(format("a.yaml", "apiVersion: evenkeel/v1\nkind: [", catalogueOf())).toMatchObject({
      problems: [{ rule: "yaml", place: { file: "a.yaml" } }],
    });
  });
});

function valuesOf(text: string): readonly unknown[] {
  const yaml = parseYaml(text);
  return "values" in yaml ? yaml.values : [yaml];
}

function commentsOf(text: string): readonly string[] {
  return [...text.matchAll(/(?:^|[ \t])#.*$/gm)].map(([comment]) => comment).sort();
}

/** Lines move, and none of them changes. */
function linesOf(text: string): readonly string[] {
  return text
    .replace(/\r?\n$/, "")
    .split(/\r?\n/)
    .sort();
}

const gap = fc.constantFrom(
  ...[
    ...["", "", "\n", "# comment\n", "  # deeper\n", "\n# parted\n\n", "      # deepest\n", "#\ttab\n", "\t# tab\n"],
    " \n",
  ],
);
const behind = fc.constantFrom("", " # why", "   ", "\t# tab", "\t");
const blocks = [
  ...["apiVersion: evenkeel/v1", "kind: Policy", "name: x", "priority: 1", 'projects: [1, "a/*"]'],
  ...["except:\n- x\n- y", "disabled: []", "exclusive:", "unknown: { b: 1, a: 2 }", "other: |\n  text\n  # text\n\n"],
  "licenses: { MIT: allowed, AGPL-3.0: denied, 0BSD: allowed }",
  ...["licences: {\n  Z: allowed, # why\n  A: denied }", "vars:\n  b: &one 1\n  a: *one", "until: &two 2999-01-01"],
  ...["reason: *two", "folded: >-\n  one\n\n  # two\n   three\n", "&key kept: |+\n  text\n\n\n"],
  ...["? explicit\n: - a\n  - b", "!!str tagged: !!map\n  b: &one 1\n  a: 2", "aliased: *one"],
  "'quoted': \"two\n  lines\"",
];
const nested = ["title: t", "project_url: u\n    ", "issues_url: '#'", "new_issue_url: |\n      x", "unknown: 1"];
const integration = fc
  .tuple(fc.shuffledSubarray(nested, { minLength: 1 }), fc.array(gap, { minLength: 5, maxLength: 5 }))
  .map(([lines, gaps]) => lines.map((line, index) => `${gaps[index] ?? ""}    ${line}\n`).join(""));
const integrations = fc
  .tuple(integration, integration, gap)
  .map(([a, b, between]) => `integrations:\n  irc-gateway:\n${a}${between}  issue-tracker-links-a:\n${b}`);
const policy = fc
  .tuple(fc.shuffledSubarray(blocks, { minLength: 2 }), integrations, fc.array(fc.tuple(gap, behind)), fc.nat(11))
  .map(([lines, map, around, at]) =>
    lines
      .toSpliced(at, 0, map)
      .map(
        (line, index) => `${around[index]?.[0] ?? ""}${line}${line.includes("\n") ? "" : (around[index]?.[1] ?? "")}`,
      )
      .join("\n"),
  );
const file = fc
  .tuple(
    fc.array(policy, { minLength: 1, maxLength: 3 }),
    fc.constantFrom("\n---\n", "\n--- # next\n", "\n...\n---\n"),
    fc.constantFrom("", "\n", "\n\n", "\n# end", "\n...\n"),
    fc.constantFrom("\n", "\r\n"),
  )
  .map(([documents, between, end, lineEnd]) => `${documents.join(between)}${end}`.replaceAll("\n", lineEnd));

test("keys may have names that every object knows", () => {
  const own = "toString: {}\nvalueOf: 1\nconstructor: { hasOwnProperty: 2 }\n__proto__: 3\n";
  const formatted = format("a.yaml", `kind: Policy\n${own}apiVersion: evenkeel/v1\n`, catalogueOf());
  expect(formatted).toEqual({ text: `apiVersion: evenkeel/v1\nkind: Policy\n${own}` });
});

test("formatting twice is formatting once, means the same and loses no comment", () => {
  let changed = 0;
  fc.assert(
    fc.property(file, (text) => {
      const formatted = format("a.yaml", text, catalogueOf());
      if (!("text" in formatted)) return;
      if (formatted.text !== text) changed++;
      expect(linesOf(formatted.text)).toEqual(linesOf(text));
      if (/^(?:[^\n]*\r\n)+[^\n]*$/.test(text)) expect(formatted.text).not.toMatch(/[^\r]\n/);
      expect(textOf(formatted.text)).toBe(formatted.text);
      expect(valuesOf(formatted.text)).toEqual(valuesOf(text));
      expect(commentsOf(formatted.text)).toEqual(commentsOf(text));
    }),
    { numRuns: 200 },
  );
  expect(changed).toBeGreaterThan(5);
});

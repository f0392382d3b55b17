import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { format } from "../../src/author/format/format.ts";
import { parseYaml } from "../../src/manifest/yaml.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";

const textOf = (text: string): string => {
  const formatted = format("policies/a.yaml", text, catalogueOf());
  return "text" in formatted ? formatted.text : JSON.stringify(formatted);
};

const jumbled = `# yaml-language-server: $schema=x
# What the file is about.
kind: Policy
licenses: # the law
  # said by legal
  MIT: allowed

  AGPL-3.0: denied
  0BSD: allowed
  # nothing else

# in chat
integrations:
  chat-notifications-a: { channel: '#x', webhook: { version: 2, secret: env:HOOK } }
  irc-gateway:
    server_port: 6697 # TLS
    # who
    recipients: "a b"
  # a disabled one:
  #   later

projects: [ a/b,
  c/d ]
vars:
  z: 1
  a: 2
name: x
apiVersion: evenkeel/v1
# the end
---
note: another tool's, which is left alone
apiVersion: other/v1`;

const ordered = `# yaml-language-server: $schema=x
# What the file is about.
apiVersion: evenkeel/v1
kind: Policy
name: x

projects: [ a/b,
  c/d ]
vars:
  z: 1
  a: 2

# in chat
integrations:
  irc-gateway:
    # who
    recipients: "a b"
    server_port: 6697 # TLS
  chat-notifications-a: { channel: '#x', webhook: { version: 2, secret: env:HOOK } }
  # a disabled one:
  #   later
licenses: # the law
  0BSD: allowed

  AGPL-3.0: denied
  # said by legal
  MIT: allowed
  # nothing else
# the end
---
note: another tool's, which is left alone
apiVersion: other/v1
`;

describe("format", () => {
  test("orders keys as the schemas do, and moves comments with them", () => {
    expect(textOf(jumbled)).toBe(ordered);
    expect(textOf(ordered)).toBe(ordered);
  });

  test("knows the order of a workspace's keys", () => {
    const text =
      "guards: { deleteMinimum: 1, deletePercent: 2 }\nserver:\n  release: '14.5'\n  url: x\nkind: Workspace\n";
    expect(textOf(`${text}apiVersion: evenkeel/v1\n`)).toBe(
      "apiVersion: evenkeel/v1\nkind: Workspace\nserver:\n  url: x\n  release: '14.5'\nguards: { deleteMinimum: 1, deletePercent: 2 }\n",
    );
  });

  test("keeps the line breaks of another system", () => {
    const text = "kind: Policy\r\nname: x\r\n# why\r\napiVersion: evenkeel/v1";
    expect(textOf(text)).toBe("# why\r\napiVersion: evenkeel/v1\r\nkind: Policy\r\nname: x\r\n");
  });

  test.each([
    [
      "the order stays where an alias would come before its anchor",
      "kind: Policy\nvars: { a: &x 1 }\nprojects: [*x]\napiVersion: evenkeel/v1\nname: x\n",
      "kind: Policy\nvars: { a: &x 1 }\nprojects: [*x]\napiVersion: evenkeel/v1\nname: x\n",
    ],
    [
      "an anchor of the same name twice",
      "kind: Policy\nvars:\n  z: &x 1\n  y: *x\n  a: &x 2\n  b: *x\nname: x\napiVersion: evenkeel/v1\n",
      "apiVersion: evenkeel/v1\nkind: Policy\nname: x\nvars:\n  z: &x 1\n  y: *x\n  a: &x 2\n  b: *x\n",
    ],
    [
      "anchors that nothing names, tags, question marks and quotes before keys",
      "kind: &k Policy\n&n !!str name: !!str x\n? projects\n: [a/b]\n'apiVersion': evenkeel/v1\n",
      "'apiVersion': evenkeel/v1\nkind: &k Policy\n&n !!str name: !!str x\n? projects\n: [a/b]\n",
    ],
    [
      "what is in braces, over several lines as well",
      "kind: Policy\nintegrations: {\n  irc-gateway: { server_port: 1,\n    recipients: a }, # why\n  asana: {}\n}\napiVersion: evenkeel/v1\n",
      "apiVersion: evenkeel/v1\nkind: Policy\nintegrations: {\n  irc-gateway: { server_port: 1,\n    recipients: a }, # why\n  asana: {}\n}\n",
    ],
    [
      "a kind behind an alias",
      "x: &kind Policy\nname: x\nkind: *kind\napiVersion: evenkeel/v1\n",
      "x: &kind Policy\nname: x\nkind: *kind\napiVersion: evenkeel/v1\n",
    ],
    [
      "tabs in comments and behind values",
      "kind: Policy\t# a\n#\tb\nname: x\n\t# c\napiVersion: evenkeel/v1\n",
      "\t# c\napiVersion: evenkeel/v1\nkind: Policy\t# a\n#\tb\nname: x\n",
    ],
    [
      "a text of several lines at the end of a file that has no line break there",
      "kind: Policy\napiVersion: evenkeel/v1\nname: x\nother: |+\n  text",
      "apiVersion: evenkeel/v1\nkind: Policy\nname: x\nother: |+\n  text\n",
    ],
  ])("%s", (_, text, wanted) => {
    expect(valuesOf(wanted)).toEqual(valuesOf(text));
    expect(textOf(text)).toBe(wanted);
    expect(textOf(wanted)).toBe(wanted);
  });

  test("reports mistakes of syntax, with their places", () => {
    expect(format("a.yaml", "apiVersion: evenkeel/v1\nkind: [", catalogueOf())).toMatchObject({
      problems: [{ rule: "yaml", place: { file: "a.yaml" } }],
    });
  });

  test("values of many lines move whole", () => {
    const text = `kind: Policy
vars:
  a: |
    # no comment

    text

  b: >-
    folded
    # text
licenses:
  MIT: "allowed
    # text"
projects:
- x
- y # of them
apiVersion: evenkeel/v1
name: x
`;
    const formatted = textOf(text);
    expect(Object.keys(valuesOf(formatted)[0] as object)).toEqual([
      ...["apiVersion", "kind", "name", "projects", "vars", "licenses"],
    ]);
    expect(valuesOf(formatted)).toEqual(valuesOf(text));
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
    "",
    "",
    "\n",
    "# comment\n",
    "  # deeper\n",
    "\n# parted\n\n",
    "      # deepest\n",
    "#\ttab\n",
    "\t# tab\n",
    " \n",
  ],
);
const behind = fc.constantFrom("", " # why", "   ", "\t# tab", "\t");
const blocks = [
  "apiVersion: evenkeel/v1",
  "kind: Policy",
  "name: x",
  "priority: 1",
  'projects: [1, "a/*"]',
  "except:\n- x\n- y",
  "disabled: []",
  "exclusive:",
  "unknown: { b: 1, a: 2 }",
  "other: |\n  text\n  # text\n\n",
  "licenses: { MIT: allowed, AGPL-3.0: denied, 0BSD: allowed }",
  "licences: {\n  Z: allowed, # why\n  A: denied }",
  "vars:\n  b: &one 1\n  a: *one",
  "until: &two 2999-01-01",
  "reason: *two",
  "folded: >-\n  one\n\n  # two\n   three\n",
  "&key kept: |+\n  text\n\n\n",
  "? explicit\n: - a\n  - b",
  "!!str tagged: !!map\n  b: &one 1\n  a: 2",
  "aliased: *one",
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

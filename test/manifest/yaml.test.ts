import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isAlias, isCollection, isMap, isScalar, isSeq, type Node, parseAllDocuments, stringify } from "yaml";
import { parseManifest } from "../../src/manifest/document.ts";
import type { Path } from "../../src/manifest/positions.ts";
import { parseYaml } from "../../src/manifest/yaml.ts";

function reference(text: string): unknown[] {
  return [...parseAllDocuments(text, { schema: "core" })].map((document) => {
    const [error] = document.errors;
    if (error) throw error;
    return document.toJS();
  });
}

interface Written {
  readonly path: Path;
  readonly key: number;
  readonly value: number;
}

/** Where another parser finds keys and values. */
function written(text: string): readonly (readonly Written[])[] {
  const options = { schema: "core", uniqueKeys: false, prettyErrors: false } as const;
  const roots = [...parseAllDocuments(text, options)].map(({ contents }) => contents);
  return roots.flatMap((root) => (root === null || (isScalar(root) && root.value === null) ? [] : [below(root, [])]));
}

const offsetOf = (node: unknown, otherwise = 0) =>
  isScalar(node) || isCollection(node) || isAlias(node) ? ((node as Node).range?.[0] ?? otherwise) : otherwise;

function below(node: unknown, path: Path): readonly Written[] {
  const parts = isMap(node)
    ? node.items.map(({ key, value }) => ({ name: isScalar(key) ? String(key.source || key.value) : "", key, value }))
    : isSeq(node)
      ? node.items.map((item, index) => ({ name: index, key: item, value: item }))
      : [];
  return parts.flatMap(({ name, key, value }) => {
    const inner = [...path, name];
    const start = offsetOf(key);
    return [{ path: inner, key: start, value: offsetOf(value, start) }, ...below(value, inner)];
  });
}

function lineAndColumn(text: string, offset: number) {
  const lines = text.slice(0, offset).split("\n");
  return { file: "a.yaml", line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

function expectSamePlaces(text: string) {
  const { documents, problems } = parseManifest("a.yaml", text);
  expect(problems.filter(({ rule }) => rule !== "merge-key")).toEqual([]);
  const expected = written(text);
  expect(documents).toHaveLength(expected.length);
  for (const [index, places] of expected.entries()) {
    for (const { path, key, value } of places) {
      const found = [documents[index]?.place(path, "key"), documents[index]?.place(path)];
      expect([path, ...found]).toEqual([path, lineAndColumn(text, key), lineAndColumn(text, value)]);
    }
  }
}

const numbers = [
  ...["0b11", "0o17", "-0x1f", "0x1F", "1_000", "1e3", ".5", "-.5", "+12", "012", ".inf", "-.INF", ".nan", "1."],
  "-1",
];
const words = ["a", "yes", "no", "on", "null", "~", "true", "False", "=", "<<", "12:30", "2022-05-22"];
const marks = ["#x", "x #y", "&a", "*a", "!t", "- x", "? x", "x:"];
const word = fc.oneof(fc.constantFrom(...numbers, ...words), fc.constantFrom(...marks), fc.string());
const scalar = fc.oneof(word, fc.integer(), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, scalar, fc.array(tie("value"), { maxLength: 4 }), tie("mapping")),
  mapping: fc.dictionary(fc.oneof(fc.string({ minLength: 1 }), word), tie("value"), { maxKeys: 4 }),
}));
const style = fc.record({
  defaultStringType: fc.constantFrom("PLAIN", "QUOTE_DOUBLE", "QUOTE_SINGLE", "BLOCK_LITERAL", "BLOCK_FOLDED"),
  collectionStyle: fc.constantFrom("any", "block", "flow"),
  indent: fc.integer({ min: 1, max: 4 }),
  indentSeq: fc.boolean(),
} as const);

describe("values and positions", () => {
  it("equal those of another parser", () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 3 }), style, (documents, options) => {
        const text = documents.map((document) => `---\n${stringify({ document }, options)}`).join("");
        const yaml = parseYaml(text);
        fc.pre("values" in yaml);
        expect(yaml).toMatchObject({ values: reference(text) });
        expectSamePlaces(text);
      }),
    );
  });

  it("read plain scalars by the core schema of YAML 1.2", () => {
    const plain = word.filter((text) => /^[\w.+~=-][\w.+:-]*$/.test(text) && !/:$|^-+$|^\.{3}/.test(text));
    fc.assert(
      fc.property(plain, (text) => {
        expect(parseYaml(`a: ${text}\n`)).toMatchObject({ values: reference(`a: ${text}\n`) });
      }),
    );
  });

  it.each([
    "a: 1\nb:\n  - c: 2\n    d: [1, {e: f}, g]\n  -   h\n",
    "# first\n\na: # why\n  # more\n  b: c # end\n---\n# second\n--- # third\nx: y\n...\n",
    ...["a: &one\n  b: c\nd: *one\ne: &two f\ng: *two\n", "? a\n: b\n? c\n"],
    ...["- - 1\n  - 2\n-\n  - 3\n- a: 1\n  b: 2\n", "{a: 1, b: , c, 'd': \"e\", f: [a, b: c, {x: y}]}\n"],
    "a: !!str 12\nb: !!int 12\nc: !!map\n  d: e\nf: !!seq\n- g\n",
    "a: |\n  text\n  more\nb: >-\n  folded\n  text\nc: 'x\n  y'\nd: \"x\\\n  y\"\ne: x\n  y\n",
    ...["\"a b\": 1\n'c': 2\ntrue: 3\n0x10: 4\n~: 5\n1.0: 6\n", "a: 1\r\nb:\r\n  c: 2\r\n  d:\r\n  - e\r\n"],
    ...["--- a\n--- [b, c]\n--- {d: e}\n--- |\n  f\n", "%YAML 1.2\n---\na: b\n"],
    'a:   "b"   # c\n\n\n\nd:    \n    e\n',
    "# first\n---\na: # why\n  b c:   'd' # end\n  \"e\": [f,  \"g\" ]\nh:\n- i\n-   [j]\nk: { l: m,  'n': 1.10, o: p:q }\n",
    "__proto__: a\nconstructor: b\ntoString: {toString: c}\n",
  ])("%j", (text) => expectSamePlaces(text));

  it("inside an alias are those of the alias", () => {
    const [list] = parseManifest("a.yaml", "a: &l [x, y]\nb: *l\n").documents;
    expect([list?.place(["b", 1]), list?.place(["a", 1])]).toEqual([
      { file: "a.yaml", line: 2, column: 4 },
      { file: "a.yaml", line: 1, column: 11 },
    ]);
  });
});

describe("a key", () => {
  const spellings = [
    "1.10",
    "0x10",
    "0755",
    "1e3",
    "12345678901234567890",
    "~",
    "True",
    ".5",
    "+7",
    "-0",
    ".inf",
    "1",
    "null",
  ];

  it.each(spellings)("%s keeps its spelling, and as a value has its meaning", (text) => {
    const written = `a: ${text}\n${text}: { ${text}: [${text}] }\n`;
    const [value] = reference(text);
    expect(parseYaml(written)).toMatchObject({ values: [{ a: value, [text]: { [text]: [value] } }] });
    const [document] = parseManifest("m.yaml", written).documents;
    expect(document?.place([text, text], "key")).toEqual({ file: "m.yaml", line: 2, column: text.length + 5 });
  });

  it("is a duplicate however it is quoted, but not in another spelling", () => {
    expect(parseManifest("m.yaml", '1.10: a\n"1.10": b\n').problems).toEqual([
      expect.objectContaining({ rule: "yaml", message: "duplicate key; the first is at line 1" }),
    ]);
    expect(parseManifest("m.yaml", "1.1: a\n1.10: b\n").problems).toEqual([]);
  });

  it("keeps shared values shared", () => {
    expect(parseYaml("a: &x [1.10, ~]\nb: *x\n")).toEqual({ values: [{ a: [1.1, null], b: [1.1, null] }] });
  });

  it("<< is a problem, because its values would be lost", () => {
    const { documents, problems } = parseManifest("m.yaml", "a: &x { b: 1 }\nc:\n  <<: *x\n  d: [{ <<: *x }]\n");
    expect(documents).toHaveLength(1);
    expect(problems.map(({ rule, place }) => [rule, place?.line, place?.column])).toEqual([
      ["merge-key", 3, 3],
      ["merge-key", 4, 9],
    ]);
    expect(parseManifest("m.yaml", 'a: "<<: x"\n').problems).toEqual([]);
  });
});

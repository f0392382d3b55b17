import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAllDocuments, stringify } from "yaml";
import { parseManifest } from "../../src/manifest/document.ts";
import { parseYaml } from "../../src/manifest/yaml.ts";

/** The values as the other parser reads them. */
function reference(text: string): unknown[] {
  return [...parseAllDocuments(text, { schema: "core" })].map((document) => {
    const [error] = document.errors;
    if (error) throw error;
    return document.toJS();
  });
}

const word = fc.oneof(
  fc.constantFrom("a", "yes", "no", "on", "null", "~", "true", "False", "0b11", "0o17", "-0x1f", "0x1F", "1_000"),
  fc.constantFrom(
    "1e3",
    ".5",
    "-.5",
    "+12",
    "012",
    ".inf",
    "-.INF",
    ".nan",
    "1.",
    "=",
    "<<",
    "#x",
    "x #y",
    "12:30",
    "2022-05-22",
  ),
  fc.string(),
);
const scalar = fc.oneof(word, fc.integer(), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, scalar, fc.array(tie("value"), { maxLength: 4 }), tie("mapping")),
  mapping: fc.dictionary(fc.string({ minLength: 1 }), tie("value"), { maxKeys: 4 }),
}));
const style = fc.record({
  defaultStringType: fc.constantFrom("PLAIN", "QUOTE_DOUBLE", "QUOTE_SINGLE", "BLOCK_LITERAL", "BLOCK_FOLDED"),
  collectionStyle: fc.constantFrom("any", "block", "flow"),
  indent: fc.integer({ min: 1, max: 4 }),
} as const);

describe("js-yaml and yaml", () => {
  it("read the same values", () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 3 }), style, (documents, options) => {
        const text = documents.map((document) => `---\n${stringify({ document }, options)}`).join("");
        expect(parseYaml(text)).toMatchObject({ values: reference(text) });
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
    const cyclic = parseManifest("m.yaml", "a: &a [1.10, *a]\n");
    expect(cyclic.problems.map(({ rule }) => rule)).toEqual(["alias-cycle"]);
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

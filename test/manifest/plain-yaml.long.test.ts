import fc from "fast-check";
import { loadAll } from "js-yaml";
import { describe, expect, it } from "vitest";
import { isObject } from "../../src/base/json.ts";
import { readPlainYaml } from "../../src/manifest/plain-yaml.ts";
import { type Path, placesIn } from "../../src/manifest/positions.ts";
import { withPlainValues } from "../../src/manifest/respelled.ts";
import { core, parseYaml } from "../../src/manifest/yaml.ts";

/** What the parser of YAML reads; undefined where it refuses a text. */
function parsed(text: string): readonly unknown[] | undefined {
  const values: unknown[] = [];
  try {
    loadAll(text, (value) => values.push(value), { schema: core });
  } catch {
    return undefined;
  }
  return withPlainValues(text, values);
}

/** The paths of a value and of all in it, and one of something that is not there. */
function pathsIn(value: unknown, path: Path): readonly Path[] {
  const inside = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : [];
  return [path, [...path, "not there", 1], ...inside.flatMap(([key, each]) => pathsIn(each, [...path, key]))];
}

const word = fc.oneof(
  fc.constantFrom("a", "b c", "1.10", "0x10", "012", "-1", "+2", ".5", "1e3", "~", "null", "True", "yes", "1_000"),
  fc.constantFrom('"a"', "'b'", '"a: b # c"', "'x''y'", '"x\\n"', '"', "'", '"open', "é", "🙂", "\t", "\u00a0", "\r"),
  fc.constantFrom("${vars.a}", "env:TOKEN", "a:b", "a: b", "a:", "a #b", "a#b", "#c", "http://x/y", "&a", "*a", "!a x"),
  fc.constantFrom("__proto__", "constructor", "<<", "? a", "- a", "-", "---", "...", "|", ">-", "%a", "@a", "`a"),
);
const flow = fc.oneof(
  fc.array(word, { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
  fc
    .array(fc.tuple(word, word), { maxLength: 3 })
    .map((pairs) => `{ ${pairs.map((each) => each.join(": ")).join(", ")} }`),
  fc.constantFrom("[a,]", "[,]", "[a b]", "[a", "{a: b", "{a:b}", "{ a }", "{ a: b, a: c }", "[[a]]", "[a]]", "[a]#b"),
);
const value = fc.oneof(word, flow);
const line = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom("a", "b", "c"), value).map((pair) => pair.join(": ")) },
  { weight: 3, arbitrary: fc.constantFrom("a:", "b:", "c: ", "d:   # why") },
  { weight: 2, arbitrary: value.map((each) => `- ${each}`) },
  fc.tuple(word, value).map((pair) => pair.join(": ")),
  fc.constantFrom("", "  ", "# a", "---", "...", "a", "- a: b", "-", "a : b", "a:b", "a: b # c", 'a: "b"# c'),
);
const indentation = fc.constantFrom("", "", "  ", "  ", "    ", "   ");
const text = fc
  .tuple(fc.array(fc.tuple(indentation, line), { maxLength: 8 }), fc.constantFrom("\n", "", "\n\n", "\r\n"))
  .map(([lines, end]) => lines.map((each) => each.join("")).join("\n") + end);

const scalar = fc.constantFrom(
  "x",
  '"a: b"',
  "'q'  # c",
  "1.10",
  "~",
  "[x, { a: b }]",
  "[x, y]",
  "{ a: b, c: 1 }",
  "{}",
);
const key = fc.constantFrom("a", "b", '"c d"', "1.10", "012", "e f");
/** Lines of a mapping, each with how deep it is. */
const { mapping } = fc.letrec<{ mapping: readonly string[]; value: string | readonly string[] }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    scalar,
    fc.array(scalar, { minLength: 1, maxLength: 3 }).map((items) => items.map((each) => `- ${each}`)),
    tie("mapping").map((lines) => lines.map((each) => `  ${each}`)),
  ),
  mapping: fc
    .uniqueArray(fc.tuple(key, tie("value")), { minLength: 1, maxLength: 4, selector: ([name]) => name })
    .map((pairs) =>
      pairs.flatMap(([name, each]) =>
        typeof each === "string" ? [`${name}:  ${each}`] : [`${name}: # c`, "", ...each],
      ),
    ),
}));
const plainText = fc
  .tuple(fc.constantFrom("", "---\n", "# a\n\n---\n"), mapping)
  .map(([first, lines]) => `${first}${lines.join("\n")}\n`);

describe("plain manifests", () => {
  it("are read as the parser of YAML reads them, and none is plain that it refuses", () => {
    fc.assert(
      fc.property(text, (each) => {
        const plain = readPlainYaml(each);
        if (plain) expect([plain.root]).toEqual(parsed(each));
      }),
      { numRuns: 3000 },
    );
  });

  it("have their values and positions where the parser of YAML has them", () => {
    fc.assert(
      fc.property(plainText, (each) => {
        const plain = readPlainYaml(each);
        fc.pre(plain !== undefined);
        // Equal blocks of texts that were read before are one value.
        expect([plain?.root]).toEqual(parsed(each));
        const source = { file: "a.yaml", text: each, linesBefore: 2 };
        const whole = placesIn(source);
        for (const path of pathsIn(plain?.root, []))
          for (const of of ["key", "value"] as const)
            expect(placesIn({ ...source, isPlain: true }).place(0, path, of)).toEqual(whole.place(0, path, of));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    "# first\n---\na: b # c\nb:\n- 1.10\n- '2'\nc:\n    d: [x, \"y\", 3]\n    e: { secret: env:TOKEN, n: 2 }\n  \n  # end\n",
    'a:\n  "Apache License 2.0": allowed\n  BSD (3-clause): denied\nb: "\u00e9"\nc: ${vars.a} x\nd: a\u00fc\ne: {}\nf: []',
  ])("%j is plain", (each) => {
    expect([readPlainYaml(each)?.root]).toEqual(parsed(each));
    expect(parseYaml(each)).toEqual({ values: parsed(each), isPlain: true });
  });
});

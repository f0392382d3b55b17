import fc from "fast-check";
import { loadAll } from "js-yaml";
import { describe, expect, it } from "vitest";
import { readPlainYaml } from "../../src/manifest/plain-yaml.ts";
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

  it.each([
    "# first\n---\na: b # c\nb:\n- 1.10\n- '2'\nc:\n    d: [x, \"y\", 3]\n    e: { secret: env:TOKEN, n: 2 }\n  \n  # end\n",
    'a:\n  "Apache License 2.0": allowed\n  BSD (3-clause): denied\nb: "\u00e9"\nc: ${vars.a} x\nd: a\u00fc\ne: {}\nf: []',
  ])("%j is plain", (each) => {
    expect([readPlainYaml(each)?.root]).toEqual(parsed(each));
    expect(parseYaml(each)).toEqual({ values: parsed(each) });
  });
});

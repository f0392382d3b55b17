import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { translate } from "../../src/format/translate.ts";
import { problemLine } from "../../src/model/problem-line.ts";

function told(text: string, from = "neutral", to = "gitlab") {
  const translated = translate("a.yaml", text, from, to);
  if ("problems" in translated) throw new Error(translated.problems.map(problemLine).join("\n"));
  return { text: translated.text, left: translated.left.map(problemLine) };
}

const head = "apiVersion: evenkeel/v1\n";

describe("a workspace there and back", () => {
  const key = (name: string) => fc.constantFrom(name, name, `"${name}"`, `'${name}'`);
  const value = (name: string) => fc.constantFrom(name, name, `"${name}"`, `'${name}'`, `!!str ${name}`);
  const gap = fc.constantFrom(" ", " ", "  ", "   ");
  const note = fc.constantFrom("", "", " # our server", " # neutral", "   ");
  const stated = (name: string) =>
    fc.tuple(key("dialect"), gap, value(name)).map(([own, space, said]) => `${own}:${space}${said}`);
  const others = ["url: https://x", "release: '14.5'", "tier: ultimate"];
  const lines = (name: string) =>
    fc.tuple(fc.subarray(others), fc.option(stated(name)), fc.nat(3), fc.array(note, { minLength: 4, maxLength: 4 }));
  const block = (name: string) =>
    lines(name).map(([some, own, at, notes]) => {
      const all = own === null ? some : some.toSpliced(at, 0, own);
      return all.length === 0 ? " {}" : all.map((line, index) => `\n  ${line}${notes[index]}`).join("");
    });
  const flow = (name: string) =>
    fc
      .tuple(lines(name), fc.constantFrom(["{", "}"], ["{ ", " }"], ["{\n    ", "\n  }"], ["{  ", " }"]))
      .map(([[some, own, at], [open, close]]) => {
        const all = own === null ? some : some.toSpliced(at, 0, own);
        return ` ${open}${all.join(", ")}${close}`;
      });
  const anchor = fc.constantFrom("", "", " &server");
  const server = (name: string) =>
    fc.option(
      fc.tuple(key("server"), anchor, fc.oneof(block(name), flow(name)), note).map(([own, mark, body, end]) => {
        return `${own}:${mark}${body}${end}`;
      }),
    );
  const workspace = (name: string) =>
    fc
      .tuple(
        server(name),
        fc.subarray(["name: x", "concurrency: 4 # at most", "# a note", "protected: ['a/b:license/*']"]),
        fc.nat(4),
        fc.constantFrom("", "\n", "\n# end\n", `\n---\n${head}kind: Policy\nname: p\n`),
        fc.constantFrom("\n", "\r\n"),
      )
      .map(([own, rest, at, end, lineEnd]) => {
        const all = own === null ? rest : rest.toSpliced(at, 0, own);
        return `${head}kind: Workspace\n${all.join("\n")}${end}`.replaceAll("\n", lineEnd);
      });

  test.each([
    ["neutral", "gitlab"],
    ["gitlab", "neutral"],
  ])("from %s, however it is written, gives the same bytes", (from, to) => {
    let changed = 0;
    fc.assert(
      fc.property(workspace(from), (text) => {
        fc.pre(from === "neutral" || text.includes("gitlab"));
        const there = told(text, from, to);
        expect(there.left).toEqual([]);
        if (there.text !== text) changed++;
        expect(told(there.text, from, to).text).toBe(there.text);
        expect(told(there.text, to, from)).toEqual({ text, left: [] });
      }),
      { numRuns: 300 },
    );
    expect(changed).toBeGreaterThan(100);
  });
});

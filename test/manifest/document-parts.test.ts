import fc from "fast-check";
import { expect, test } from "vitest";
import { parseManifest } from "../../src/manifest/document.ts";
import { documentParts } from "../../src/manifest/document-parts.ts";

const lines = fc.constantFrom(
  "---",
  "--- # why",
  "--- {a: 1}",
  "--- |",
  "a: 1",
  "b: >-",
  "  text",
  "  --- no marker",
  "# comment",
  "",
  " ",
  "---x: 1",
  "...",
  "%YAML 1.2",
  "null",
  "&a",
  "- - ---",
  '"c": "d ---"',
  "\u2028---",
  "\t",
);

test("parts are the documents that the parser finds, wherever it finds them all", () => {
  let several = 0;
  const texts = fc.tuple(fc.array(lines, { maxLength: 9 }), fc.constantFrom("\n", "\r\n"), fc.boolean());
  fc.assert(
    fc.property(texts, ([each, end, ended]) => {
      const text = each.join(end) + (ended ? end : "");
      const parts = documentParts(text);
      const { documents, problems } = parseManifest("a.yaml", text);
      if (!parts || problems.length > 0) return;
      expect(parts.map((part) => part.text).join("")).toBe(text);
      for (const { from, linesBefore } of parts) expect(text.slice(0, from).split("\n").length - 1).toBe(linesBefore);
      const found = parts.filter(({ document }) => document !== undefined);
      const alone = found.flatMap((part) => parseManifest("a.yaml", part.text).documents.map(({ value }) => value));
      expect(found.map(({ document }) => document)).toEqual(documents.map(({ index }) => index));
      expect(alone).toEqual(documents.map(({ value }) => value));
      if (documents.length > 1) several++;
    }),
    { numRuns: 3000 },
  );
  expect(several).toBeGreaterThan(20);
});

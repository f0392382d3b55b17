import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scanText } from "../../src/scan/scan.ts";

const names = [
  ".gitlab-ci.yml",
  "a.yml",
  "config.toml",
  "database.yml",
  "a.graphql",
  "a.sh",
  "a.js",
  "a.py",
  "a.rb",
  "a.json",
];

/** Pieces that mean something to one of the readers. */
const pieces = fc.constantFrom(
  ...[
    "types:",
    "job:\n  type: x\n  script: ",
    "- ",
    "\n",
    "  ",
    "'",
    '"',
    "`",
    "${",
    "}",
    "$(",
    ")",
    "<<EOF\n",
    "EOF\n",
  ],
  ...[
    "[[runners]]\n",
    "[runners.ssh]\n",
    'executor = "ssh"\n',
    "query {",
    "runners(status: PAUSED)",
    "{",
    "\\",
    "#",
    "//",
  ],
  ...[
    "/api/v4/projects/1/services",
    "gitlab-ctl promote-db",
    "&a",
    "*a",
    "<<: *a",
    "|\n",
    ">\n",
    "!x ",
    "é",
    "\u2028",
    "\r\n",
    "\0",
  ],
);
const text = fc.oneof(
  fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary" }),
);

describe("whatever a file holds", () => {
  it("nothing is thrown, places lie inside the text, and a rewritten file has no more uses", () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), text, (file, content) => {
        const { findings, fixed } = scanText({ file, text: content, release: "15.0" });
        const lines = content.split("\n");
        for (const { line, column } of findings) {
          expect(line).toBeLessThanOrEqual(lines.length);
          expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 1);
        }
        const after = scanText({ file, text: fixed, release: "15.0" }).findings;
        expect(after.length).toBeLessThanOrEqual(findings.length);
      }),
      { numRuns: 1500 },
    );
  });

  it("time grows with its length alone", () => {
    const shapes = ["$(", '"', "{", "[", "- ", "a: ", "`${", "<<EOF\n", "/x/", "&a *a ", "((", "query {", "+ 'a' "];
    for (const file of names) {
      for (const shape of shapes) {
        expect(scanText({ file, text: shape.repeat(3000), release: "15.0" }).findings).toBeDefined();
      }
    }
  });
});

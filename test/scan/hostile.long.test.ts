import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scanText } from "../../src/scan/scan.ts";

const names = [
  ...[".gitlab-ci.yml", "a.yml", "config.toml", "database.yml", "a.graphql", "a.sh", "a.js", "a.py", "a.rb"],
  "a.json",
];

/** Pieces that mean something to one of the readers. */
const pieces = fc.constantFrom(
  ...[
    ...["types:", "job:\n  type: x\n  script: ", "- ", "\n", "  ", "'", '"', "`", "${", "}", "$(", ")", "<<EOF\n"],
    "EOF\n",
  ],
  ...[
    ...["[[runners]]\n", "[runners.ssh]\n", 'executor = "ssh"\n', "query {", "runners(status: PAUSED)", "{", "\\"],
    ...["#", "//"],
  ],
  ...[
    ...["/api/v4/projects/1/services", "gitlab-ctl promote-db", "&a", "*a", "<<: *a", "|\n", ">\n", "!x ", "é"],
    ...["\u2028", "\r\n", "\0"],
  ],
);
const text = fc.oneof(
  fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary" }),
);

const many = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => make(i)).join("");

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

  it.each<readonly [what: string, file: string, make: (count: number) => string]>([
    ["jobs", ".gitlab-ci.yml", (n) => many(n, (i) => `j${i}:\n  type: a\n  script: [make, "$(curl x)"]\n`)],
    [
      "merged jobs",
      ".gitlab-ci.yml",
      (n) => `.t: &t { type: a }\n${many(n, (i) => `j${i}: { <<: *t, extends: .t, script: x }\n`)}`,
    ],
    [
      "needs of one job",
      ".gitlab-ci.yml",
      (n) => `j: { script: a, needs: [${"bundler-audit-dependency_scanning, ".repeat(n)}x] }`,
    ],
    ["a chain of templates", ".gitlab-ci.yml", (n) => many(n, (i) => `.t${i + 1}: { extends: .t${i}, script: x }\n`)],
    ["nested expansions", "a.sh", (n) => `curl ${"${a:-".repeat(n)}`],
    ["closed expansions", "a.sh", (n) => `curl ${"${a:-".repeat(n)}${"}".repeat(n)}`],
    ["expansions on lines", "a.sh", (n) => "curl ${a:-\n".repeat(n)],
    ["requests", "a.sh", (n) => `curl "$CI_API_V4_URL/runners?status=paused"\n`.repeat(n)],
    ["addresses of one request", "a.sh", (n) => `x=1\n${"curl https://h/api/v4/projects/$x/services/ ".repeat(n)}`],
    [
      "addresses and bodies of one request",
      "a.sh",
      (n) => `curl ${many(n, (i) => `https://h/api/v4/runners/${i} -d status=paused `)}`,
    ],
    ["requests in a program", "a.py", (n) => `r = requests.get("/api/v4/runners", params={"status": "x"})\n`.repeat(n)],
    [
      "parameters",
      "a.py",
      (n) => `x = {${'"status": "paused", '.repeat(n)}}\n${'get("/api/v4/runners", params=x)\n'.repeat(n)}`,
    ],
    ["a chain of calls", "a.js", (n) => `fetch("/api/v4/runners")${".then((r) => r.json())".repeat(n)}`],
    ["nested calls", "a.js", (n) => 'x = fetch("/api/v4/runners", '.repeat(n)],
    ["runners", "config.toml", (n) => '[[runners]]\nexecutor = "ssh"\n'.repeat(n)],
    [
      "licenses",
      "p.yaml",
      (n) => `apiVersion: evenkeel/v1\nkind: Policy\nlicenses:\n${many(n, (i) => `  L${i}: approved\n`)}`,
    ],
  ])("takes four times as long for four times as many %s", (_, file, make) => {
    const time = (count: number) => {
      const before = process.cpuUsage();
      scanText({ file, text: make(count), release: "15.0" });
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    time(500);
    // Sixteen times for what is quadratic; a floor for what is too quick to measure. Whatever else takes time may pass.
    const isLinear = () => time(2000) < Math.max(time(500) * 10, 1000);
    expect([1, 2, 3, 4, 5].some(isLinear)).toBe(true);
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

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { scanText } from "../../src/scan/scan.ts";

const corpus = join(import.meta.dirname, "corpus");

function filesIn(folder: string): readonly string[] {
  const all = readdirSync(join(corpus, folder), { recursive: true, encoding: "utf8" });
  return all.filter((name) => statSync(join(corpus, folder, name)).isFile()).sort();
}

const read = (folder: string, file: string) => readFileSync(join(corpus, folder, file), "utf8");
const scan = (file: string, text: string, release = "15.0") => scanText({ file, text, release });
const expected: Readonly<Record<string, readonly string[]>> = parse(read(".", "expected.yaml"));

describe("uses", () => {
  it.each(filesIn("uses"))("%s", (file) => {
    const text = read("uses", file);
    const { findings, fixed } = scan(file, text);
    const told = findings.map(({ line, column, severity, id }) => `${line}:${column} ${severity} ${id}`);
    expect(told).toEqual(expected[file]);
    expect(fixed).toBe(existsSync(join(corpus, "fixed", file)) ? read("fixed", file) : text);
  });
});

describe("innocent", () => {
  it.each(filesIn("innocent"))("%s", (file) => {
    const text = read("innocent", file);
    expect(scan(file, text)).toMatchObject({ findings: [], fixed: text });
  });
});

describe("what --fix leaves", () => {
  it.each(filesIn("fixed"))("is not changed again: %s", (file) => {
    const text = read("fixed", file);
    expect(scan(file, text).fixed).toBe(text);
    const before = scan(file, read("uses", file)).findings.length;
    expect(scan(file, text).findings.length).toBeLessThan(before);
  });
});

describe("releases", () => {
  it("before the removal nothing is an error, whatever is found", () => {
    const severities = filesIn("uses").flatMap((file) =>
      scan(file, read("uses", file), "14.4").findings.map(({ severity }) => severity),
    );
    expect(new Set(severities)).toEqual(new Set(["warning", "hint"]));
  });

  it("nothing is rewritten to a word that the release does not know yet", () => {
    const text = 'curl "$CI_API_V4_URL/runners/all?status=not_connected"\n';
    expect(scan("a.sh", text, "14.5").fixed).toBe(text);
    expect(scan("a.sh", text, "14.6").fixed).toContain("status=never_contacted");
  });
});

it("has at least sixty files, half of them innocent", () => {
  const [uses, innocent] = [filesIn("uses").length, filesIn("innocent").length];
  expect(uses + innocent).toBeGreaterThanOrEqual(60);
  expect(Math.min(uses, innocent)).toBeGreaterThanOrEqual(30);
});

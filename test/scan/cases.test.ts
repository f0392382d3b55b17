import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { includedFiles } from "../../src/scan/pipelines.ts";
import { scanText } from "../../src/scan/scan.ts";

interface Case {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
}

const folder = join(import.meta.dirname, "../cases/scan");

function casesIn(list: string): readonly Case[] {
  const named: Readonly<Record<string, Case["files"]>> = parse(readFileSync(join(folder, list), "utf8"));
  return Object.entries(named).map(([name, files]) => ({ name, files }));
}

function scan({ files }: Case, release = "15.0") {
  const includes = includedFiles(Object.keys(files), (file) => files[file]);
  return Object.entries(files).map(([file, text]) => ({ file, text, ...scanText({ file, text, release }, includes) }));
}

type ScanResult = ReturnType<typeof scan>[number];

function format({ text, findings, fixed }: ScanResult): string {
  const [before, after] = [text.split("\n"), fixed.split("\n")];
  const rewritten = after.flatMap((line, at) =>
    line === before[at] ? [] : [`  ${at + 1} -> ${line.replaceAll("\r", "\\r")}\n`],
  );
  const found = findings.map(({ line, column, severity, id }) => `  ${line}:${column} ${severity} ${id}\n`);
  const length = before.length === after.length ? "" : `  ${before.length - 1} lines -> ${after.length - 1}\n`;
  return `${[...found, ...rewritten].join("")}${length}`;
}

/** A case as the `.txt` of its list shows it. Files are named if there are several. */
function formatCase(each: Case): string {
  const scanned = scan(each);
  const files = scanned.map((one) => `${scanned.length > 1 ? `${one.file}\n` : ""}${format(one)}`);
  return `# ${each.name}\n${files.join("")}`;
}

const isInnocent = (list: string) => list.startsWith("innocent");
const lists = readdirSync(folder).filter((file) => file.endsWith(".yaml"));
const uses = lists.filter((list) => !isInnocent(list));

describe.each(uses)("%s", (list) => {
  it("finds and rewrites", async () => {
    const all = casesIn(list).map(formatCase);
    await expect(all.join("")).toMatchFileSnapshot(join(folder, list.replace(/yaml$/, "txt")));
  });

  it("keeps what was rewritten, and has exactly the uses that were not", () => {
    for (const each of casesIn(list)) {
      const before = scan(each);
      const files = Object.fromEntries(before.map(({ file, fixed }) => [file, fixed]));
      const after = scan({ ...each, files });
      for (const [at, { text, fixed, findings, rewritten }] of before.entries()) {
        expect(after[at]?.findings, each.name).toHaveLength(findings.length - rewritten);
        expect(after[at], each.name).toMatchObject(fixed === text ? { fixed, findings } : { fixed, rewritten: 0 });
      }
    }
  });
});

it("finds something in each case of uses-*.yaml", () => {
  const cases = uses.filter((list) => list.startsWith("uses-")).flatMap(casesIn);
  expect(cases.filter((each) => scan(each).every(({ findings }) => findings.length === 0))).toEqual([]);
});

it("accuses and rewrites nothing in likely.yaml", () => {
  for (const { findings, fixed, text } of casesIn("likely.yaml").flatMap((each) => scan(each))) {
    expect(new Set(findings.map(({ severity }) => severity))).toEqual(new Set(["hint"]));
    expect(fixed).toBe(text);
  }
});

it.each(lists.filter(isInnocent))("finds nothing in %s", (list) => {
  for (const each of casesIn(list)) {
    for (const { findings, fixed, text } of scan(each))
      expect({ name: each.name, findings, fixed }).toEqual({ name: each.name, findings: [], fixed: text });
  }
});

describe("releases", () => {
  it("reports no error before the removal", () => {
    const scanned = uses.flatMap(casesIn).flatMap((each) => scan(each, "14.4"));
    const severities = scanned.flatMap(({ findings }) => findings.map(({ severity }) => severity));
    expect(new Set(severities)).toEqual(new Set(["warning", "hint"]));
  });

  it.each([
    ["a.sh", 'curl "$CI_API_V4_URL/runners/all?status=not_connected"\n', "14.6", "status=never_contacted"],
    ["b.sh", "kubectl logs deploy/gitlab-task-runner\n", "14.5", "gitlab-toolbox"],
    ["charts/gitlab/values.yaml", "gitlab:\n  task-runner:\n    enabled: true\n", "14.5", "toolbox:"],
    ["c.sh", 'curl -d approval_status=approved "$CI_API_V4_URL/projects/1/managed_licenses"\n', "14.0", "=allowed"],
    [
      "d.sh",
      `curl "$CI_API_V4_URL/projects/1/managed_licenses" | jq '.[].approval_status == "approved"'\n`,
      "15.0",
      "allowed",
    ],
    ["e.sh", "gitlab-ctl promote-db\n", "14.5", "ctl promote\n"],
  ])("rewrites nothing to a word that the release does not know yet: %s", (file, text, since, word) => {
    const [major = 0, minor = 0] = since.split(".").map(Number);
    const before = minor > 0 ? `${major}.${minor - 1}` : `${major - 1}.12`;
    expect(scanText({ file, text, release: before }).fixed).toBe(text);
    expect(scanText({ file, text, release: since }).fixed).toContain(word);
  });
});

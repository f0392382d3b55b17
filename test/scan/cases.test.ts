import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { includeGraphOf } from "../../src/scan/includes.ts";
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
  const includes = includeGraphOf(Object.keys(files), (file) => files[file]);
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

/** A case as its list's `.txt` shows it: files are named where it has several. */
function shown(each: Case): string {
  const scanned = scan(each);
  const files = scanned.map((one) => `${scanned.length > 1 ? `${one.file}\n` : ""}${format(one)}`);
  return `# ${each.name}\n${files.join("")}`;
}

const isInnocent = (list: string) => list.startsWith("innocent");
const lists = readdirSync(folder).filter((file) => file.endsWith(".yaml"));
const uses = lists.filter((list) => !isInnocent(list));

describe.each(uses)("%s", (list) => {
  it("finds and rewrites", async () => {
    const all = casesIn(list).map(shown);
    await expect(all.join("")).toMatchFileSnapshot(join(folder, list.replace(/yaml$/, "txt")));
  });

  it.each(casesIn(list))("$name: what was rewritten stays, and has exactly the uses that were not", (each) => {
    const before = scan(each);
    const files = Object.fromEntries(before.map(({ file, fixed }) => [file, fixed]));
    const after = scan({ ...each, files });
    for (const [at, { text, fixed, findings, left }] of before.entries()) {
      expect(after[at]).toMatchObject({ fixed, findings: fixed === text ? findings : left });
      if (fixed !== text) expect(left.length).toBeLessThan(findings.length);
    }
  });
});

it("something is found in each case of uses-*.yaml", () => {
  const cases = uses.filter((list) => list.startsWith("uses-")).flatMap(casesIn);
  expect(cases.filter((each) => scan(each).every(({ findings }) => findings.length === 0))).toEqual([]);
});

describe.each(lists.filter(isInnocent))("%s", (list) => {
  it.each(casesIn(list))("$name", (each) => {
    for (const { findings, fixed, text } of scan(each))
      expect({ findings, fixed }).toEqual({ findings: [], fixed: text });
  });
});

describe("releases", () => {
  it("before the removal nothing is an error, whatever is found", () => {
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
  ])("nothing is rewritten to a word that the release does not know yet: %s", (file, text, since, word) => {
    const [major = 0, minor = 0] = since.split(".").map(Number);
    const before = minor > 0 ? `${major}.${minor - 1}` : `${major - 1}.12`;
    expect(scanText({ file, text, release: before }).fixed).toBe(text);
    expect(scanText({ file, text, release: since }).fixed).toContain(word);
  });
});

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { treeOf } from "../../src/scan/includes.ts";
import { type Scanned, scanText } from "../../src/scan/scan.ts";

const corpus = join(import.meta.dirname, "corpus");
const pathOf = (folder: string, file: string) => join(corpus, folder, file);
const read = (folder: string, file: string) => readFileSync(pathOf(folder, file), "utf8");

/** Every file but what is expected of them. */
function filesIn(folder: string): readonly string[] {
  const all = readdirSync(join(corpus, folder), { recursive: true, encoding: "utf8" });
  return all.filter((name) => statSync(pathOf(folder, name)).isFile() && !/\.(?:found|fixed)$/.test(name)).sort();
}

const [uses, innocent] = [filesIn("uses"), filesIn("innocent")];
const trees = {
  uses: treeOf(uses, (file) => read("uses", file)),
  innocent: treeOf(innocent, (file) => read("innocent", file)),
};

function scan(folder: keyof typeof trees, file: string, text = read(folder, file), release = "15.0"): Scanned {
  return scanText({ file, text, release }, trees[folder]);
}

const told = ({ findings }: Scanned) =>
  findings.map(({ line, column, severity, id }) => `${line}:${column} ${severity} ${id}`);

describe("uses", () => {
  it.each(uses)("%s", async (file) => {
    const text = read("uses", file);
    const scanned = scan("uses", file);
    const expected = pathOf("uses", file);
    await expect(
      told(scanned)
        .map((line) => `${line}\n`)
        .join(""),
    ).toMatchFileSnapshot(`${expected}.found`);
    if (scanned.fixed === text) expect(existsSync(`${expected}.fixed`)).toBe(false);
    else await expect(scanned.fixed).toMatchFileSnapshot(`${expected}.fixed`);
  });

  it("each folder has some", () => {
    const found = new Set(
      uses.filter((file) => scan("uses", file).findings.length > 0).map((file) => file.split("/")[0]),
    );
    expect(uses.filter((file) => !found.has(file.split("/")[0]))).toEqual([]);
  });
});

describe("innocent", () => {
  it.each(innocent)("%s", (file) => {
    expect(scan("innocent", file)).toMatchObject({ findings: [], fixed: read("innocent", file) });
  });
});

describe("what --fix leaves", () => {
  it("is not changed again, and has exactly the uses that were not rewritten", () => {
    for (const file of uses) {
      const { fixed, left, findings } = scan("uses", file);
      if (fixed === read("uses", file)) continue;
      const again = scan("uses", file, fixed);
      expect([file, again.fixed]).toEqual([file, fixed]);
      expect([file, told(again)]).toEqual([file, told({ ...again, findings: left })]);
      expect(left.length).toBeLessThan(findings.length);
    }
  });
});

describe("releases", () => {
  it("before the removal nothing is an error, whatever is found", () => {
    const severities = uses.flatMap((file) =>
      scan("uses", file, undefined, "14.4").findings.map(({ severity }) => severity),
    );
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

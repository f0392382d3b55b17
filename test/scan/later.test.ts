import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { schedule } from "../../src/model/deprecations.ts";
import { includedFiles } from "../../src/scan/pipelines.ts";
import { scanText } from "../../src/scan/scan.ts";

interface LaterUse {
  readonly file: string;
  readonly text: string;
  /** Omitted: nothing. */
  readonly found?: string;
}

const folder = join(import.meta.dirname, "../cases/scan");
const uses: readonly LaterUse[] = parse(readFileSync(join(import.meta.dirname, "later.yaml"), "utf8"));

const scan = (file: string, text: string, release: string) =>
  scanText(
    { file, text, release },
    includedFiles([file], () => text),
  ).findings.map(({ severity, id }) => `${severity} ${id}`);

it.each(uses)("finds in $file $text: $found", ({ file, text, found = "" }) => {
  expect(scan(file, text, "19.1").join()).toBe(found);
});

describe("a removal after 15.0", () => {
  it("is found from the release on that announced it, and is an error once it is made", () => {
    const lint = 'curl -H "PRIVATE-TOKEN: $T" "$CI_API_V4_URL/ci/lint"';
    const found = ["15.6", "15.7", "15.11", "16.0"].map((release) => scan("a.sh", lint, release));
    expect(found).toEqual([[], ["warning api-ci-lint"], ["warning api-ci-lint"], ["error api-ci-lint"]]);
  });

  it("says who announced it, before it was made", () => {
    const later = schedule.filter(({ announced }) => announced !== undefined);
    expect(later.length).toBeGreaterThan(90);
    const order = (release: string) => release.split(".").reduce((sum, part) => sum * 100 + Number(part), 0);
    expect(later.filter(({ announced = "", release }) => order(announced) >= order(release))).toEqual([]);
  });
});

const innocent = readdirSync(folder).filter((list) => /^innocent.*\.yaml$/.test(list));

it.each(innocent)("finds nothing in %s for 19.1 either", (list) => {
  // Those files use managed licenses, in ways that 15.0 accepts.
  const later = schedule.filter(({ announced, id }) => announced !== undefined && id !== "managed-licenses");
  const known = new Set(later.map(({ id }) => id));
  const cases = Object.values(
    parse(readFileSync(join(folder, list), "utf8")) as Record<string, Record<string, string>>,
  );
  const found = cases.flatMap((files) => Object.entries(files).flatMap(([file, text]) => scan(file, text, "19.1")));
  expect(found.filter((each) => known.has(each.split(" ")[1] ?? ""))).toEqual([]);
});

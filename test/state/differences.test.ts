import { expect, test } from "vitest";
import type { Change, Fields } from "../../src/model/types.ts";
import { differencesAfter } from "../../src/state/snapshots/observed.ts";
import type { ProjectSnapshot } from "../../src/state/snapshots/snapshot.ts";

const place = (line: number) => ({ file: "policies.yaml", line, column: 3 });
const policies: Readonly<Record<string, string>> = { merge_method: "company", squash_option: "team" };
const origin = {
  policy: "team",
  place: () => place(1),
  fieldPlace: (name: string) => place(name === "merge_method" ? 10 : 20),
  fieldPolicy: (name: string) => policies[name] ?? "",
};

const run = (day: number) => ({
  ...{ run: `r-${day}`, at: `2026-11-0${day}T00:00:00Z`, commit: null, server: "s", whole: true, exceptions: [] },
  ...{ projects: [], observe: () => observed([]), locate: () => undefined, hasLedger: false, cause: "drift" as const },
});

/** The settings of a project, of which these differ. */
function observed(names: readonly string[]) {
  const sides = (value: string): Fields => Object.fromEntries(names.map((name) => [name, value]));
  const change: Change = {
    ...{ address: "g/a:settings", project: "g/a", kind: "settings", key: "", action: "update", cause: "drift" },
    ...{ before: sides("live"), after: sides("declared"), declared: sides("declared"), reason: "", origin },
    ...{ live: undefined, liveDigest: undefined },
  };
  const rest = { includes: () => true, unverified: {}, unmanaged: 0, problems: [] };
  return { project: { name: "g/a" }, desired: () => [], changes: names.length > 0 ? [change] : [], ...rest };
}

test("a singleton that differs has the age, the line and the policy of the field that differs", () => {
  const days: readonly (readonly string[])[] = [
    ["squash_option"],
    ["squash_option", "merge_method"],
    ["merge_method"],
    ["squash_option"],
    [],
    ["merge_method"],
  ];
  let before: ProjectSnapshot | undefined;
  const seen = days.map((names, index) => {
    const differences = differencesAfter(before, observed(names), run(index + 1));
    before = { differences, entries: [] } as unknown as ProjectSnapshot;
    return differences.map(({ since, line, policy }) => [since.slice(0, 10), line, policy]);
  });
  expect(seen).toEqual([
    [["2026-11-01", 20, undefined]],
    [["2026-11-01", 20, undefined]],
    [["2026-11-01", 10, "company"]],
    [["2026-11-04", 20, undefined]],
    [],
    [["2026-11-06", 10, "company"]],
  ]);
});

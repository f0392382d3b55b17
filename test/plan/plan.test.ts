import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import schema from "../../schemas/plan.schema.json" with { type: "json" };
import { addressMatcher } from "../../src/model/address.ts";
import type { Outcome } from "../../src/model/types.ts";
import { checkGuards } from "../../src/plan/guards.ts";
import { planOf } from "../../src/plan/make-plan.ts";
import { type Plan, planDigest } from "../../src/plan/plan.ts";
import { withOutcomes } from "../../src/plan/run-end.ts";
import { differenceOf, type PlanCase } from "./case.ts";

const folder = join(import.meta.dirname, "../cases/plan");
const names = readdirSync(folder).flatMap((file) => (file.endsWith(".yaml") ? [basename(file, ".yaml")] : []));

/** The plan of a case; `arrange` decides the order in which its projects are found. */
function planned(name: string, createdAt: string, arrange = <T>(projects: T[]): T[] => projects): Plan {
  const written = parse(readFileSync(join(folder, `${name}.yaml`), "utf8")) as PlanCase;
  const differences = arrange(Object.entries(written.projects)).map(differenceOf);
  const rules = {
    guards: { deletePercent: 30, deleteMinimum: 10 },
    isProtected: addressMatcher(written.protected ?? "none"),
  };
  return planOf({
    version: "1.2.3",
    createdAt,
    url: "https://code.example.com",
    manifests: { digest: `sha256:${"5".repeat(64)}`, commit: "0123456789abcdef0123456789abcdef01234567" },
    differences,
    objections: checkGuards(differences, rules),
    problems: written.problems ?? [],
    reads: written.reads,
  });
}

const noon = "2026-01-02T12:00:00.000Z";
const isPlan = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema);

/** Every value of a document that is not a collection, by the keys that lead to it. */
function leavesOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}

function edited(document: Plan, path: readonly string[], edit: (value: unknown) => unknown): Plan {
  const copy = structuredClone(document);
  const last = path.at(-1) ?? "";
  let at: unknown = copy;
  for (const key of path.slice(0, -1)) at = (at as Record<string, unknown>)[key];
  const holder = at as Record<string, unknown>;
  holder[last] = edit(holder[last]);
  return copy;
}

describe.each(names)("the plan of %s", (name) => {
  const plan = planned(name, noon);

  test("is the golden one", async () => {
    await expect(`${JSON.stringify(plan, null, 2)}\n`).toMatchFileSnapshot(join(folder, `${name}.json`));
  });

  test("keeps to its schema, with outcomes too", () => {
    isPlan(plan);
    expect(isPlan.errors).toBeNull();
    const outcome: Outcome = { status: "failed", error: "PUT answered 400", not_kept: ["channel"] };
    isPlan(withOutcomes(plan, new Map(plan.resource_changes.map(({ address }) => [address, outcome]))));
    expect(isPlan.errors).toBeNull();
  });

  test("is the same bytes in whatever order projects were read, but for created_at", () => {
    const later = planned(name, "2027-01-01T00:00:00.000Z", (projects) => projects.reverse());
    expect(JSON.stringify({ ...later, created_at: noon })).toBe(JSON.stringify(plan));
  });

  test("has a digest of everything but itself and created_at", () => {
    expect(planDigest(plan)).toBe(plan.digest);
    const free = new Set(["digest", "created_at"]);
    for (const path of leavesOf(plan)) {
      const changed = planDigest(edited(plan, path, (value) => (value === "edited" ? "" : "edited")));
      if (path.length === 1 && free.has(path[0] ?? "")) expect(changed).toBe(plan.digest);
      else expect({ path, changed }).not.toEqual({ path, changed: plan.digest });
    }
    const turned = Object.fromEntries(Object.entries(plan).reverse()) as unknown as Plan;
    expect(planDigest(turned)).toBe(plan.digest);
  });
});

test("outcomes are counted, and a parameter that is not kept is warned of once for all its places", () => {
  const plan = planned("mixed", noon);
  const statuses = ["applied", "failed", "skipped", "stale", "unknown"] as const;
  const some = plan.resource_changes.map(({ address }, index): [string, Outcome] => {
    return [address, { status: statuses[index] ?? "applied", ...(index < 3 && { not_kept: ["approval_status"] }) }];
  });
  const done = withOutcomes(plan, new Map(some));
  expect(done.summary.outcomes).toEqual({
    applied: plan.resource_changes.length - 4,
    failed: 1,
    skipped: 1,
    stale: 1,
    unknown: 1,
  });
  const warnings = done.warnings.slice(plan.warnings.length);
  expect(warnings.map(({ rule }) => rule)).toEqual(warnings.map(() => "not-kept"));
  expect(new Set(warnings.map(({ message }) => message.split(" was sent")[0])).size).toBe(warnings.length);
  expect(planDigest(done)).toBe(done.digest);
  expect(withOutcomes(plan, undefined)).toBe(plan);
});

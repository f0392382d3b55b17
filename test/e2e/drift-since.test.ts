import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planDigest } from "../../src/plan/plan.ts";
import { changeOf, scene } from "./workspace.ts";

const projects = [
  { id: 1, path: "p/q", integrations: { "irc-gateway": { recipients: "#a" } }, licenses: { MIT: "allowed" } },
];
const policy = {
  projects: ["p/q"],
  integrations: { "irc-gateway": { recipients: "#b" } },
  licenses: { MIT: "denied" },
};

/** Everything that the state has seen was seen so many days earlier. */
function ageState(root: string, days: number): void {
  const folder = join(root, ".evenkeel/snapshots");
  for (const file of readdirSync(folder)) {
    const path = join(folder, file);
    const earlier = (time: string) => new Date(Date.parse(time) - days * 86_400_000).toISOString();
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, earlier));
  }
}

test("drift says for how long live state differs, as far as the state knows it", async () => {
  const { evenkeel, root } = await scene({ projects, policy });
  const first = await evenkeel("drift");
  expect(first.stdout).not.toContain(" for 1");
  ageState(root, 10);
  const later = await evenkeel("drift");
  expect(later.stdout).toContain("  ! 1 setting is looser than declared for 10 days: license/MIT in p/q\n");
  expect(later.stdout).toMatch(/^ +field differs, looser than declared for 10 days, /m);
  expect(later.stdout).toMatch(/^ +field differs, for 10 days, /m);
  const plan = (await evenkeel("drift", "--report", "json", "--report", "markdown=d.md")).plan();
  expect(
    Date.parse(plan.created_at) - Date.parse(changeOf(plan, "p/q:license/MIT").differs_since ?? ""),
  ).toBeGreaterThan(9 * 86_400_000);
  expect(planDigest(plan)).toBe(plan.digest);
  expect((await evenkeel("plan", "--report", "json")).stdout).not.toContain("differs_since");
});

test("without a state nothing is said", async () => {
  const { evenkeel, root } = await scene({ projects, policy });
  await evenkeel("drift");
  ageState(root, 10);
  rmSync(join(root, ".evenkeel/snapshots"), { recursive: true });
  expect((await evenkeel("drift")).stdout).not.toMatch(/for \d+ (?:hours?|days?)/);
});

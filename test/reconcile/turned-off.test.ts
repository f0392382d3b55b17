import { expect, test } from "vitest";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { planMarkdown } from "../../src/report/markdown.ts";
import { plain } from "../../src/report/terminal.ts";
import { planText } from "../../src/report/text.ts";
import { reportOf } from "../support/plans.ts";
import { allowing, changes, objections, runs } from "./runs.ts";

const slug = "issue-tracker-full";
const settings = { url: "https://tracker.example.com", username: "bot", password: { secret: "env:TRACKER" } };
const live = { [slug]: { ...settings, password: "x", active: true } };
const secrets = { TRACKER: "a password" };
const paths = Array.from({ length: 12 }, (_, index) => `p${index}`);

/** Twelve projects with a tracker that is on, and policies that declare it so. */
function fleet(declared: object, workspace: object, vars: object = {}) {
  const policy = { projects: paths, integrations: { [slug]: { ...settings, ...declared } }, vars };
  return runs({ projects: paths.map((path) => ({ path, integrations: live })), policy, workspace, secrets });
}

test.each([
  ["left out, which means false", {}, {}],
  ["false", { active: false }, {}],
  ["a variable", { active: "${vars.on}" }, { on: false }],
])("what is turned off by its own parameter (%s) counts as disabled for every guard", async (_, declared, vars) => {
  const run = await fleet(declared, { guards: { deletePercent: 0, deleteMinimum: 12 }, protected: ["p0"] }, vars);
  const planned = await run.plan();
  expect(planned.plan.summary).toMatchObject({ update: 12, disable: 0, writes: 12 });
  expect(changes(planned)[0]).toBe(`update p0:integration/${slug}`);
  expect(objections(planned)).toEqual([
    expect.stringMatching(/^12 of 12 live .* of the fleet \(100 %\)/),
    `p0:integration/${slug} is protected and would be turned off`,
  ]);
  for (const text of [
    planText(planned.plan, catalogueOf(), plain),
    planMarkdown(reportOf(planned.plan), () => undefined),
  ]) {
    expect(text).toContain(`${slug} is turned off by this update`);
  }
  const waive = async (deletes: number, ...addresses: string[]) => {
    const waivers = { deletes, protected: new Set(addresses) };
    return (await run.rehearse({ waivers })).refused?.map(({ guard }) => guard);
  };
  expect(await waive(11, `p0:integration/${slug}`)).toEqual(["delete-percent"]);
  expect(await waive(12)).toEqual(["protected"]);
  expect((await run.apply()).refused).toHaveLength(2);
  expect(run.server.requests.writes).toBe(0);
  const waivers = { deletes: 12, protected: new Set([`p0:integration/${slug}`]) };
  expect((await run.apply({ waivers })).outcomes?.size).toBe(12);
});

test("what stays on, was off, or is turned on is no removal", async () => {
  const workspace = { guards: { deletePercent: 0, deleteMinimum: 1 }, protected: ["*"] };
  const stays = await fleet({ active: true, username: "other" }, workspace);
  expect(objections(await stays.plan())).toEqual([]);
  const off = { [slug]: { ...live[slug], active: false } };
  const was = await runs({
    projects: [{ path: "p", integrations: off }],
    policy: { projects: ["p"], integrations: { [slug]: { ...settings, username: "other" } } },
    workspace,
    secrets,
  });
  expect(objections(await was.plan())).toEqual([]);
});

test("it counts in a saved plan too, whatever the file says of it, and so does a waiver", async () => {
  const run = await fleet({}, { protected: [`p3:integration/${slug}`] });
  run.write("plan.json", JSON.stringify((await run.plan()).plan));
  const saved = { saved: `${run.root}/plan.json` };
  expect((await run.apply(saved)).refused?.map(({ guard }) => guard)).toEqual(["delete-percent", "protected"]);
  expect((await run.apply({ ...saved, ...allowing(`p3:integration/${slug}`) })).refused).toHaveLength(1);
  expect(run.server.requests.writes).toBe(0);
});

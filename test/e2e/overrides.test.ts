import { expect, test } from "vitest";
import { stage } from "../support/stage.ts";

/** Three projects that a policy means to have one color and no push by developers, and two policies that object. */
async function fleet() {
  const levels = (level: number) => [{ access_level: level }];
  const main = (push: number) => [{ name: "main", push_access_levels: levels(push), merge_access_levels: levels(40) }];
  const resources = (push: number) => ({ protected_branches: main(push), labels: [{ name: "bug", color: "#ff0000" }] });
  return stage({
    projects: [
      { path: "pay/api", resources: resources(30) },
      { path: "pay/core", resources: resources(40) },
      { path: "web/shop", resources: resources(40) },
    ],
    policies: {
      company: {
        projects: ["**"],
        protected_branches: { main: { push_access_level: "maintainer" } },
        labels: { bug: { color: "#ff0000" } },
        disabled: ["irc-gateway"],
      },
      pay: { projects: ["pay/*"], protected_branches: { main: { push_access_level: "developer" } } },
      core: { projects: ["pay/core"], integrations: { "irc-gateway": { recipients: "ada" } } },
    },
  });
}

const main = { policy: "company", entry: "protected_branch/main", projects: 2 };
const chat = { policy: "company", entry: "integration/irc-gateway", projects: 1 };

test("plan, drift, validate and diff report what is overridden, with what differs on the server where it was read", async () => {
  const place = await fleet();
  for (const command of ["plan", "drift"]) {
    const plan = (await place.evenkeel(command, "--report", "json")).plan();
    expect(plan.overrides).toEqual([
      { ...chat, differ: 0 },
      { ...main, differ: 1 },
    ]);
    expect(plan.summary.overridden).toBe(3);
    const { stdout } = await place.evenkeel(command);
    expect(stdout).toContain(
      "! company: protected_branch/main is overridden in 2 projects; in 1 of them the live value differs from it",
    );
  }
  const limited = (await place.evenkeel("plan", "--report", "json", "--target", "*:integration/*")).plan();
  expect(limited.overrides).toEqual([{ ...chat, differ: 0 }]);
  const { stdout, code } = await place.evenkeel("validate", "--report", "json");
  expect([code, JSON.parse(stdout).overrides]).toEqual([
    0,
    [
      { ...chat, differ: null },
      { ...main, differ: null },
    ],
  ]);
});

test("overrides lists each with both lines, of one policy, one project, or a file of projects", async () => {
  const place = await fleet();
  const rows = async (...args: string[]) =>
    JSON.parse((await place.evenkeel("overrides", "--report", "json", ...args)).stdout);
  const overridden = {
    policy: "company",
    entry: "integration/irc-gateway",
    project: "pay/core",
    loses: { file: "company.yaml", line: 7 },
    wins: { file: "core.yaml", line: 5 },
    differs: null,
  };
  const branch = (project: string) => ({
    ...{ policy: "company", entry: "protected_branch/main", project, differs: null },
    ...{ loses: { file: "company.yaml", line: 5 }, wins: { file: "pay.yaml", line: 5 } },
  });
  // Without a list of projects, those that policies name.
  expect(await rows()).toEqual([overridden, branch("pay/core")]);
  place.write("projects.txt", "pay/api\nweb/shop\n");
  expect(await rows("company", "--projects", "projects.txt")).toEqual([
    overridden,
    branch("pay/api"),
    branch("pay/core"),
  ]);
  expect(await rows("pay")).toEqual([]);
  await place.evenkeel("plan");
  expect(await rows("--project", "PAY/API")).toEqual([branch("pay/api")]);
  const unknown = await place.evenkeel("overrides", "compny");
  expect([unknown.code, unknown.stderr]).toEqual([64, expect.stringContaining("did you mean company?")]);
});

import { expect, test } from "vitest";
import { runs } from "./runs.ts";

const mails = (recipients: string) => ({ "emails-on-push": { recipients, push_events: true } });
const paths = Array.from({ length: 30 }, (_, index) => `team/project-${index}`);
const [changing = "", ...others] = paths;
const projects = paths.map((path) => ({
  path,
  integrations: mails(path === changing ? "someone@example.com" : `${path}@example.com`),
}));
const policy = { projects: ["**"], integrations: mails(`\${project.path}@example.com`) };

test.each([
  ["without a ledger", {}],
  ["with a ledger", { ledger: ".evenkeel/ledger.ndjson" }],
])("a run keeps no value of a project that is in sync, %s", async (_, workspace) => {
  const run = await runs({ projects, policy, workspace });
  for (const begin of [run.plan, run.apply]) {
    const ended = await begin({ command: "plan" });
    const held = JSON.stringify(ended, (name, value) => (name === "origin" ? undefined : value));
    expect(ended.plan.summary).toMatchObject({ projects: 30, writes: 1 });
    expect(held).toContain(`${changing}@example.com`);
    expect(others.filter((path) => held.includes(`${path}@example.com`))).toEqual([]);
  }
  expect((await run.plan()).plan.summary).toMatchObject({ projects: 30, writes: 0 });
});

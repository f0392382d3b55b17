import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chooseServerUrl } from "../../src/client/server-url.ts";
import { chooseAccess } from "../../src/console/access.ts";
import { folder } from "../support/folder.ts";
import { runs, warnings } from "./runs.ts";

const policy = { projects: ["p"], licenses: { MIT: "allowed" } };
const scene = () => runs({ projects: [{ path: "p" }], policy });
const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHvq1hC1yHhW0dVbQ1rXl0rj3z9nqC7bQ3k5Yw0J9bQe";
const approvals = (signers: string) => `signers: ${signers}\nrules: [{ when: always, count: 1 }]\n`;
const rule =
  "apiVersion: evenkeel/v1\nkind: Rule\nname: none\non: change\nseverity: warning\nwhen: 'false'\nmessage: none\n";

test.each(["EVENKEEL_APPROVALS", "EVENKEEL_RULES"])("%s that is empty is refused, not left out", async (name) => {
  for (const text of ["", " "]) {
    const run = await scene();
    const { plan, outcomes } = await run.apply({ env: { ...run.environment, [name]: text } });
    expect(plan.problems).toHaveLength(1);
    expect([outcomes, run.server.requests.writes]).toEqual([undefined, 0]);
  }
});

test("an empty EVENKEEL_URL hands the token to no manifest", () => {
  const server = { url: "https://elsewhere.example.com", allowInsecure: false };
  expect(() => chooseServerUrl({ EVENKEEL_URL: "" }, server)).toThrow("EVENKEEL_URL is empty");
  expect(chooseServerUrl({}, server)).toBe(server.url);
});

test.each(["EVENKEEL_CONSOLE_TOKEN", "EVENKEEL_CONSOLE_TOKEN_FILE"])("an empty %s opens no console", (name) => {
  expect(() => chooseAccess("127.0.0.1", undefined, { [name]: "" })).toThrow("is set and empty");
  expect(chooseAccess("127.0.0.1", undefined, {})).toEqual({ by: "loopback" });
});

test("approvals, signers and rules that a merge request can edit are warned of, each where it is", async () => {
  const outside = folder({ "approvals.yaml": approvals("signers"), signers: `ann ${key}\n`, "rules/none.yaml": rule });
  const run = await scene();
  const told = async (more: Readonly<Record<string, string>>) =>
    warnings(await run.apply({ env: { ...run.environment, ...more } })).filter((each) => each.includes("inside the"));
  const out = (name: string) => join(outside.root, name);
  expect(await told({ EVENKEEL_APPROVALS: out("approvals.yaml"), EVENKEEL_RULES: out("rules") })).toEqual([]);

  mkdirSync(join(run.root, "ops"));
  symlinkSync(out("approvals.yaml"), join(run.root, "ops/approvals.yaml"));
  symlinkSync(out("signers"), join(run.root, "ops/signers"));
  writeFileSync(out("linked.yaml"), approvals(join(run.root, "ops/signers")));
  symlinkSync(join(run.root, "ops/signers"), out("signers-link"));
  writeFileSync(out("twice.yaml"), approvals("signers-link"));
  const signers = expect.stringContaining("the file of signers is inside the workspace");
  expect(await told({ EVENKEEL_APPROVALS: out("linked.yaml") })).toEqual([signers]);
  expect(await told({ EVENKEEL_APPROVALS: out("twice.yaml") })).toEqual([signers]);
  const both = await told({ EVENKEEL_APPROVALS: join(run.root, "ops/approvals.yaml") });
  expect(both[0]).toContain("the file of approvals is inside the workspace");

  symlinkSync(out("rules"), join(run.root, "ops/rules"));
  expect(await told({ EVENKEEL_RULES: join(run.root, "ops/rules") })).toHaveLength(1);
});

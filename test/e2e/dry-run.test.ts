import { expect, test } from "vitest";
import { scene } from "./workspace.ts";

const projects = [{ path: "p", integrations: { "irc-gateway": { recipients: "#a" } }, licenses: { WTFPL: "allowed" } }];
const policy = {
  projects: ["p"],
  integrations: { "chat-webhook-d": { webhook: { secret: "env:HOOK" }, push_events: false } },
  disabled: ["irc-gateway"],
  licenses: { MIT: "allowed" },
  exclusive: ["licenses"],
};

const expected = [
  { method: "DELETE", path: "/projects/p/integrations/irc-gateway" },
  {
    method: "PUT",
    path: "/projects/p/integrations/chat-webhook-d",
    parameters: { webhook: { secret: "env:HOOK" }, push_events: false },
  },
  {
    method: "POST",
    path: "/projects/p/managed_licenses",
    parameters: { name: "MIT", approval_status: "allowed" },
  },
];

test("a dry run shows every request in its order, secrets as references, and sends none", async () => {
  const { evenkeel, files } = await scene({ projects, policy, secrets: { HOOK: "hook-CANARY" } });
  const text = await evenkeel("apply", "--dry-run");
  expect(text).toMatchObject({ code: 0, stderr: "", writes: 0 });
  const printed = text.stdout.slice(text.stdout.indexOf("Dry run: 4 requests would be sent; none was."));
  expect(printed).toMatch(/^DELETE \/projects\/p\/integrations\/irc-gateway$/m);
  expect(printed).toMatch(
    /^PUT \/projects\/p\/integrations\/chat-webhook-d\n {4}webhook: .*env:HOOK.*\n {4}push_events: false$/m,
  );
  expect(printed).toMatch(/^POST \/projects\/p\/managed_licenses\n {4}name: "MIT"\n {4}approval_status: "allowed"$/m);
  expect(printed).toMatch(/^DELETE \/projects\/p\/managed_licenses\/\d+$/m);
  expect(Object.keys(files()).sort()).toEqual(["all.yaml", "evenkeel.yaml"]);

  const json = await evenkeel("apply", "--dry-run", "--report", "json");
  expect(json).toMatchObject({ code: 0, stderr: "", writes: 0 });
  const { requests } = JSON.parse(json.stdout);
  expect(requests).toHaveLength(4);
  expect(requests).toMatchObject([...expected, { method: "DELETE" }]);
  expect(json.stdout + text.stdout).not.toContain("CANARY");
});

test("a dry run of a saved plan shows what that plan would send, and what of it is stale", async () => {
  const { evenkeel, ask } = await scene({ projects, policy });
  await evenkeel("plan", "--out", "plan.json");
  const whole = await evenkeel("apply", "plan.json", "--dry-run", "--report", "json");
  expect(whole).toMatchObject({ code: 0, writes: 0 });
  expect(JSON.parse(whole.stdout).requests).toMatchObject([...expected, { method: "DELETE" }]);

  await ask("DELETE", "/projects/p/integrations/irc-gateway");
  const moved = await evenkeel("apply", "plan.json", "--dry-run", "--report", "json");
  expect(moved).toMatchObject({ code: 4, writes: 0 });
  expect(JSON.parse(moved.stdout).requests).toHaveLength(3);
  const text = await evenkeel("apply", "plan.json", "--dry-run");
  expect(text.stdout).toMatch(/^ {2}x stale p:integration\/irc-gateway: the live values are already as declared/m);
});

test("a dry run needs no secret, and shows what a guard would say", async () => {
  const { evenkeel } = await scene({ projects, policy, workspace: { protected: ["*:integration/irc-gateway"] } });
  const ran = await evenkeel("apply", "--dry-run");
  expect(ran).toMatchObject({ code: 3, writes: 0 });
  expect(ran.stdout).toContain("p:integration/irc-gateway is protected");
  expect(ran.stdout).toContain("PUT /projects/p/integrations/chat-webhook-d");
  expect(ran.stderr).toContain("env:HOOK");
});

import { expect, test } from "vitest";
import { changeOf, scene } from "./workspace.ts";

const hook = { webhook: { secret: "env:HOOK" } };
const ci = { ...hook, channel: "#all", pipeline_channel: "#ci", branches_to_be_notified: "default" };
const policy = { projects: ["pay/api"], integrations: { "chat-notifications-a": ci }, disabled: ["irc-gateway"] };
const projects = [
  {
    id: 7,
    path: "pay/api",
    integrations: {
      "chat-notifications-a": { ...ci, webhook: "https://x", branches_to_be_notified: "default_and_protected" },
      "irc-gateway": { recipients: "#ops" },
      "chat-webhook-c": { webhook: "https://x" },
    },
  },
];

const pipeline = ["routes", "pay/api", "--event", "pipeline"];
const sentence = "#ci will no longer receive failed pipelines on protected branches (chat-notifications-a)";

test("routes come from manifests without a request, or from the server with --live", async () => {
  const { evenkeel, evenkeelWith } = await scene({ projects, policy });
  const offline = await evenkeelWith(
    { EVENKEEL_TOKEN: undefined },
    ...pipeline,
    "--branch-kind",
    "default",
    "--report",
    "json",
  );
  expect(offline).toMatchObject({ code: 0, stderr: "", reads: 0 });
  const route = { slug: "chat-notifications-a", channel: "#ci", reason: expect.any(String) };
  expect(JSON.parse(offline.stdout)).toEqual([route]);
  const elsewhere = await evenkeel(...pipeline, "--branch-kind", "protected");
  expect(elsewhere).toMatchObject({ code: 0, stdout: "No integration is notified of pipelines here.\n" });
  const live = await evenkeel(...pipeline, "--branch-kind", "protected", "--live", "--report", "json");
  expect(live).toMatchObject({ code: 0, reads: 2, writes: 0 });
  expect(JSON.parse(live.stdout)).toEqual([route]);
});

test("--live names an integration that cannot be read, and shows the others", async () => {
  const chaos = [{ match: "/projects/*/integrations/irc-gateway", status: 400 }];
  const { evenkeel } = await scene({ projects, policy, chaos });
  const live = await evenkeel("routes", "pay/api", "--event", "push", "--live", "--report", "json");
  expect(live).toMatchObject({ code: 1, writes: 0 });
  expect(live.stderr).toMatch(
    /^error: pay\/api:integration\/irc-gateway could not be read and is left out: .*answered 400/,
  );
  expect(JSON.parse(live.stdout)).toMatchObject([{ slug: "chat-notifications-a", channel: "#all" }]);
  expect(await evenkeel("routes", "pay/api", "--diff")).toMatchObject({ code: 1, stdout: "" });
});

test("--diff tells who will receive what, before and after an apply", async () => {
  const { evenkeel } = await scene({ projects, policy, secrets: { HOOK: "https://x" } });
  const before = await evenkeel("routes", "pay/api", "--diff", "--report", "json");
  expect(before).toMatchObject({ code: 0, writes: 0 });
  const shift = JSON.parse(before.stdout);
  expect(shift.gained).toEqual([]);
  expect(shift.lost).toContain(sentence);
  expect(shift.lost).toContain("#ops will no longer receive pushes (irc-gateway)");
  const one = await evenkeel("routes", "pay/api", "--diff", "--event", "pipeline");
  expect(one.stdout).toBe(`- ${sentence}\n`);
  await evenkeel("apply", "--yes");
  const after = await evenkeel("routes", "pay/api", "--diff");
  expect(after.stdout).toBe("Nobody is notified of anything else than before.\n");
});

test("a channel that a server does not report is nobody's loss", async () => {
  const integrations = { "chat-notifications-a": { ...ci, deployment_events: true, notify_only_default_branch: true } };
  const { evenkeel } = await scene({
    projects: [{ path: "pay/api" }],
    policy: { projects: ["pay/api"], integrations },
    behaviour: "observed",
    secrets: { HOOK: "https://x" },
  });
  await evenkeel("apply", "--yes");
  const after = await evenkeel("routes", "pay/api", "--diff");
  expect(after.stdout).toBe("Nobody is notified of anything else than before.\n");
  const live = await evenkeel("routes", "pay/api", "--event", "issues", "--live");
  expect(live.stdout).toContain("channel is not reported");
});

test("a channel that the server never had is not the declared one, and --diff agrees with --live", async () => {
  const declared = { ...hook, channel: "#live", push_channel: "#push", branches_to_be_notified: "protected" };
  const live = { webhook: "https://x", channel: "#live", push_events: true, branches_to_be_notified: "default" };
  const { evenkeel } = await scene({
    projects: [{ path: "pay/api", integrations: { "chat-notifications-a": live } }],
    policy: { projects: ["pay/api"], integrations: { "chat-notifications-a": declared } },
    behaviour: "observed",
  });
  const shift = await evenkeel("routes", "pay/api", "--event", "push", "--diff", "--report", "json");
  const lost = "#live will no longer receive pushes on the default branch (chat-notifications-a)";
  expect(JSON.parse(shift.stdout)).toEqual({
    lost: [lost],
    gained: ["#push will receive pushes on protected branches (chat-notifications-a)"],
  });
  const asked = await evenkeel("routes", "pay/api", "--event", "push", "--live", "--report", "json");
  expect(JSON.parse(asked.stdout)).toMatchObject([{ reason: expect.not.stringContaining("push_channel") }]);
  const plan = (await evenkeel("plan", "--report", "json")).plan();
  expect(changeOf(plan, "pay/api:integration/chat-notifications-a").notes?.join()).toContain(
    "#live will no longer receive",
  );
});

test("a flag that the server does not report leaves it unknown whether an integration is notified", async () => {
  const integrations = { "chat-notifications-a": { webhook: "https://x", deployment_events: true } };
  const { evenkeel } = await scene({ projects: [{ path: "pay/api", integrations }], behaviour: "observed" });
  const asking = ["routes", "pay/api", "--live", "--event", "deployment"];
  const text = await evenkeel(...asking);
  expect(text).toMatchObject({ code: 0, stderr: "" });
  expect(text.stdout).toMatch(/chat-notifications-a +unknown, the server does not report deployment_events\n/);
  const json = await evenkeel(...asking, "--report", "json");
  expect(JSON.parse(json.stdout)).toEqual([]);
  expect(json.stderr).toBe(
    "chat-notifications-a and deployments: unknown, the server does not report deployment_events\n",
  );
});

test.each(["spec", "observed"] as const)("of an old word alone, all three answers are one (%s)", async (behaviour) => {
  const old = { ...hook, channel: "#old", notify_only_default_branch: false };
  const { evenkeel } = await scene({
    projects: [{ path: "pay/api" }],
    policy: { projects: ["pay/api"], integrations: { "chat-notifications-a": old } },
    secrets: { HOOK: "https://x" },
    behaviour,
  });
  const asking = ["routes", "pay/api", "--event", "push", "--branch-kind"];
  const shift = JSON.parse(
    (await evenkeel("routes", "pay/api", "--event", "push", "--diff", "--report", "json")).stdout,
  );
  expect(shift.gained).toEqual(["#old will receive pushes (chat-notifications-a)"]);
  await evenkeel("apply", "--yes");
  for (const [branch, heard] of [
    ["default", true],
    ["other", false],
  ] as const) {
    for (const where of [[], ["--live"]]) {
      const found = await evenkeel(...asking, branch, ...where, "--report", "json");
      expect([branch, where, JSON.parse(found.stdout).length > 0]).toEqual([branch, where, heard]);
    }
  }
  const after = await evenkeel("routes", "pay/api", "--diff");
  expect(after.stdout).toBe("Nobody is notified of anything else than before.\n");
});

test("wrong usage is told before anything is read", async () => {
  const { evenkeel } = await scene({ projects, policy });
  const wrong = await evenkeel("routes", "pay/api", "--event", "pipelines");
  expect(wrong).toMatchObject({ code: 64, stderr: expect.stringContaining("did you mean pipeline?"), reads: 0 });
  const flag = await evenkeel("routes", "pay/api", "--event", "push_events");
  expect(flag).toMatchObject({ code: 64, stderr: expect.stringContaining("did you mean push?"), reads: 0 });
  expect((await evenkeel("routes", "pay/api")).code).toBe(64);
  expect((await evenkeel("routes", "pay/api", "--diff", "--live")).code).toBe(64);
  expect((await evenkeel("routes", "pay/apy", "--event", "push")).stderr).toContain("did you mean pay/api?");
});

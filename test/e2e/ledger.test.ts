import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { changeOf, type Ran, type Scene, type Setting, scene, told } from "./workspace.ts";

const ledger = "ledger.ndjson";
const hook = "p:integration/chat-webhook-d";
const declared = { webhook: { secret: "env:HOOK" }, push_events: true };
const policyOf = (integrations: object) => ({ projects: ["p"], integrations });
const policy = policyOf({ "chat-webhook-d": declared });

async function settled(setting: Setting = {}): Promise<Scene> {
  const made = await scene({
    projects: [{ path: "p" }],
    policy,
    workspace: { ledger },
    secrets: { HOOK: "one" },
    ...setting,
  });
  expect((await made.evenkeel("apply", "--yes")).code).toBe(0);
  return made;
}

const reasonOf = (ran: Ran, address = hook) => changeOf(ran.plan(), address).action_reason;

describe.each(["spec", "observed"] as const)("on a server that behaves as %s", (behaviour) => {
  test("a rotated secret is an update; without the secret at hand it is unverified", async () => {
    const { evenkeel, evenkeelWith } = await settled({ behaviour });
    expect((await evenkeel("drift")).code).toBe(0);
    const rotated = await evenkeelWith({ HOOK: "two" }, "plan", "--report", "json");
    expect(told(rotated.plan())).toEqual([`update ${hook}`]);
    expect(reasonOf(rotated)).toBe("pending: webhook changed since the last apply");
    expect(changeOf(rotated.plan(), hook).change.after).toEqual({ webhook: { secret: "env:HOOK" } });
    const blind = await evenkeelWith({ HOOK: undefined }, "drift", "--report", "json");
    expect(blind.code).toBe(0);
    expect(blind.plan()).toMatchObject({ unverified: [{ address: hook, fields: ["webhook"] }] });
    expect(await evenkeelWith({ HOOK: "two" }, "apply", "--yes")).toMatchObject({ code: 0, writes: 1 });
    expect((await evenkeelWith({ HOOK: "two" }, "drift")).code).toBe(0);
  });

  test("a change that cannot be seen is suspected where updated_at moved, and the secret is sent again", async () => {
    const { evenkeel, ask } = await settled({ behaviour });
    const put = { form: { webhook: "https://mine.example.com", push_events: "true" } };
    await ask("PUT", "/projects/p/integrations/chat-webhook-d", put);
    const drifted = await evenkeel("drift", "--report", "json");
    expect(drifted.code).toBe(2);
    expect(reasonOf(drifted)).toMatch(/^suspected drift: updated_at changed/);
    expect(await evenkeel("apply", "--yes")).toMatchObject({ code: 0, writes: 1 });
    expect((await evenkeel("drift")).code).toBe(0);
  });
});

test("a parameter that the server never keeps is warned of, and not planned for ever", async () => {
  const unkept = { "chat-notifications-a": { webhook: { secret: "env:HOOK" }, job_events: false } };
  const setting = {
    behaviour: "observed",
    projects: [{ path: "p" }, { path: "q" }],
    policy: { ...policyOf(unkept), projects: ["p", "q"] },
    secrets: { HOOK: "one" },
  } as const;
  const { evenkeel } = await scene({ ...setting, workspace: { ledger } });
  const applied = await evenkeel("apply", "--yes", "--report", "json");
  expect(applied.code).toBe(0);
  expect(changeOf(applied.plan(), "p:integration/chat-notifications-a").outcome).toEqual({
    status: "applied",
    not_kept: ["job_events"],
  });
  expect(applied.stderr.match(/job_events/g)).toHaveLength(1);
  expect(await evenkeel("drift", "--report", "json")).toMatchObject({ code: 0 });
  expect(await evenkeel("apply", "--yes")).toMatchObject({ code: 0, writes: 0 });
  expect(applied.stderr).not.toContain("without a ledger");
  const forgetful = await scene(setting);
  expect((await forgetful.evenkeel("apply", "--yes")).stderr).toContain("set ledger in evenkeel.yaml");
  expect((await forgetful.evenkeel("drift")).code).toBe(2);
});

test("lines of another key count as unknown, with a warning, and not as changes", async () => {
  const { evenkeel, evenkeelWith, ask } = await settled({
    secrets: { HOOK: "one", EVENKEEL_LEDGER_KEY: "the-first-of-two-keys" },
  });
  const other = await evenkeelWith({ EVENKEEL_LEDGER_KEY: "the-other-of-two-keys", HOOK: "two" }, "drift");
  expect(other.code).toBe(0);
  expect(other.stderr).toMatch(/warning: ledger\.ndjson:1:1 .*a different key/);
  await ask("PUT", "/projects/p/integrations/chat-webhook-d", { form: { webhook: "mine", push_events: "true" } });
  expect((await evenkeelWith({ EVENKEEL_LEDGER_KEY: "the-other-of-two-keys" }, "drift")).code).toBe(0);
  expect((await evenkeel("drift")).code).toBe(2);
});

test("the file is sorted, one line a project, merges, and its key stays here", async () => {
  const paths = ["b", "a/z", "a"];
  const made = await settled({ projects: paths.map((path) => ({ path })), policy: { ...policy, projects: paths } });
  const lines = made.read(ledger).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).project)).toEqual(["a", "a/z", "b"]);
  expect(statSync(join(made.root, ".evenkeel/ledger.key")).mode & 0o777).toBe(0o600);
  expect(made.read(".evenkeel/.gitignore")).toMatch(/^\*\.key$/m);
  const before = made.read(ledger);
  await made.evenkeel("plan");
  expect(made.read(ledger)).toBe(before);

  const [a, , b] = lines;
  made.write(
    ledger,
    `${a}\n<<<<<<< ours\n${lines[1]}\n=======\n${lines[1]?.replace("sent", "send")}\n>>>>>>> theirs\n${b}\n`,
  );
  const merged = await made.evenkeelWith({ HOOK: "two" }, "drift", "--report", "json");
  expect(merged.stderr).toMatch(/warning: ledger\.ndjson:2:1 .*merge conflict/);
  expect(merged.stderr).toContain("a/z is listed twice");
  expect(merged.stderr).not.toContain("different key");
  expect(told(merged.plan())).toEqual(["update a:integration/chat-webhook-d", "update b:integration/chat-webhook-d"]);
  expect((await made.evenkeel("apply", "--yes", "--resend", "a/z:*")).code).toBe(0);
  expect(made.read(ledger).split("\n").filter(Boolean)).toHaveLength(3);
  expect(await made.evenkeel("drift")).toMatchObject({ code: 0, stderr: "" });
});

test("trust-updated-at saves the single GETs of what stands still, and of that alone", async () => {
  const two = { "chat-webhook-d": declared, "irc-gateway": { recipients: "#a" } };
  const made = await settled({ policy: policyOf(two), site: { reads: "trust-updated-at" } });
  const still = await made.evenkeel("drift");
  expect(still).toMatchObject({ code: 0, requests: ["GET /projects/p/integrations"] });
  await made.ask("PUT", "/projects/p/integrations/irc-gateway", { form: { recipients: "#b" } });
  const moved = await made.evenkeel("drift", "--report", "json");
  expect(moved.requests).toEqual(["GET /projects/p/integrations", "GET /projects/p/integrations/irc-gateway"]);
  expect(told(moved.plan())).toEqual(["update p:integration/irc-gateway"]);
  for (let apply = 0; apply < 2; apply++) expect((await made.evenkeel("apply", "--yes")).code).toBe(0);
  expect(await made.evenkeel("drift")).toMatchObject({ code: 0, requests: ["GET /projects/p/integrations"] });
  const rotated = await made.evenkeelWith({ HOOK: "two" }, "plan", "--report", "json");
  expect(told(rotated.plan())).toEqual([`update ${hook}`]);
  made.policy(policyOf({ ...two, "irc-gateway": { recipients: "#c" } }));
  expect(told((await made.evenkeel("plan", "--report", "json")).plan())).toEqual(["update p:integration/irc-gateway"]);
  const verify = await settled({ policy: policyOf(two) });
  expect((await verify.evenkeel("drift")).reads).toBe(3);
});

test("without a ledger server.secrets decides, and the plan names what is unverified", async () => {
  const live = [{ path: "p", integrations: { "chat-webhook-d": { webhook: "x", push_events: true } } }];
  const calm = await scene({ projects: live, policy, secrets: { HOOK: "one" } });
  const assumed = await calm.evenkeel("drift", "--report", "json");
  expect(assumed.code).toBe(0);
  expect(assumed.plan().unverified).toEqual([{ address: hook, fields: ["webhook"] }]);
  expect(assumed.plan().summary.unverified).toBe(1);
  const resent = await calm.evenkeel("apply", "--yes", "--resend", "*:integration/chat*");
  expect(resent).toMatchObject({ code: 0, writes: 1 });
  const eager = await scene({ projects: live, policy, secrets: { HOOK: "one" }, site: { secrets: "always-send" } });
  const sent = await eager.evenkeel("plan", "--report", "json");
  expect(reasonOf(sent)).toBe("server.secrets is always-send");
  expect(Object.keys(calm.files())).not.toContain(".evenkeel/ledger.key");
});

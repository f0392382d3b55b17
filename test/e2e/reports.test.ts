import { expect, test } from "vitest";
import type { Plan } from "../../src/plan/plan.ts";
import { planKinds } from "../../src/report/report.ts";
import { scene, token } from "./workspace.ts";

const secret = "secret-CANARY-of-the-hook";
const policy = {
  projects: ["p", "q"],
  licenses: { MIT: "allowed" },
  disabled: ["irc-gateway"],
  integrations: { "chat-notifications-a": { webhook: { secret: "env:HOOK" }, channel: "#a" } },
};
const projects = [{ path: "p", integrations: { "irc-gateway": { recipients: "#a" } } }, { path: "q" }];
const all = planKinds.flatMap((kind) => ["--report", `${kind}=out/${kind}`]);

test("one plan has every renderer, from one reading, and no secret on any", async () => {
  const { evenkeelWith, read } = await scene({ projects, policy });
  const ran = await evenkeelWith({ HOOK: secret }, "plan", ...all);
  expect(ran).toMatchObject({ code: 0, stderr: "", writes: 0 });
  const again = await evenkeelWith({ HOOK: secret }, "plan");
  expect(ran.reads).toBe(again.reads);
  const plan = JSON.parse(read("out/json")) as Plan;
  expect(plan.summary.writes).toBe(5);
  for (const kind of planKinds) {
    expect(read(`out/${kind}`)).not.toContain(secret);
    expect(read(`out/${kind}`)).not.toContain(token);
    expect(read(`out/${kind}`)).toMatch(/[^\n]\n$/);
  }
});

import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Scene, type Setting, scene, told } from "./workspace.ts";

const ledger = "ledger.ndjson";
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

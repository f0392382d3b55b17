import { expect, test } from "vitest";
import { scene } from "./workspace.ts";

const policy = { projects: ["p"], licenses: { MIT: "allowed" } };

/** The commands that a text ends with. */
function nextIn(stdout: string): readonly string[] {
  const [, text = ""] = stdout.split("\nNext:\n");
  return text.split("\n").flatMap((line) => /^ {2}(evenkeel .*?)(?: {2}|$)/.exec(line)?.[1] ?? []);
}

test("the commands name each other, from the first plan to drift", async () => {
  const { evenkeel, ask } = await scene({ policy, projects: [{ id: 1, path: "p" }] });
  expect(nextIn((await evenkeel("plan", "--target", "p:license/*")).stdout)).toEqual([
    "evenkeel apply --target 'p:license/*'",
    "evenkeel plan --target 'p:license/*' --out plan.json",
  ]);
  const saved = await evenkeel("plan", "--out", "my plan.json");
  expect(saved.stdout).toContain("\n\nSaved the plan to my plan.json.\n\nNext:\n");
  expect(nextIn(saved.stdout)).toEqual(["evenkeel apply 'my plan.json'"]);
  const applied = await evenkeel("apply", "my plan.json");
  expect(applied.stdout.trimEnd().split("\n").at(-1)).toBe("Apply: 1 applied.");
  const [drift = "", journal = ""] = nextIn(applied.stdout);
  expect(drift).toBe("evenkeel drift");
  expect((await evenkeel(...journal.split(" ").slice(1))).code).toBe(0);
  expect(nextIn((await evenkeel("drift")).stdout)).toEqual([]);
  await ask("PATCH", "/projects/1/managed_licenses/MIT", { form: { approval_status: "denied" } });
  const found = nextIn((await evenkeel("drift")).stdout);
  expect(found).toEqual(["evenkeel accept p:license/MIT", "evenkeel apply --target p:license/MIT"]);
  expect((await evenkeel(...(found[0] ?? "").split(" ").slice(1))).code).toBe(0);
  expect((await evenkeel("drift")).code).toBe(0);
});

test("what a guard blocks is named with the option that allows it, and a report for programs has no such text", async () => {
  const { evenkeel } = await scene({
    policy: { projects: ["p"], disabled: ["irc-gateway"] },
    projects: [{ path: "p", integrations: { "irc-gateway": { recipients: "#a" } } }],
    workspace: { protected: ["p:*"] },
  });
  expect(nextIn((await evenkeel("plan")).stdout)[0]).toBe("evenkeel apply --allow-protected p:integration/irc-gateway");
  expect((await evenkeel("plan", "--report", "markdown")).stdout).not.toContain("Next:");
});

test("of drift in many places one is named, and too many protected addresses are not put into the command", async () => {
  const projects = Array.from({ length: 9 }, (_, index) => ({
    path: `p/${index}`,
    integrations: { "irc-gateway": { recipients: "#a" } },
  }));
  const { evenkeel } = await scene({
    projects,
    policy: { projects: ["p/*"], disabled: ["irc-gateway"] },
    workspace: { protected: ["p/*:*"] },
  });
  const { stdout } = await evenkeel("drift");
  expect(nextIn(stdout)[0]).toBe("evenkeel accept p/0:integration/irc-gateway");
  const plan = await evenkeel("plan");
  expect(nextIn(plan.stdout)[0]).toBe("evenkeel apply");
  expect(plan.stdout).toContain("; add --allow-protected ADDRESS for each of the 9 protected addresses");
  expect(plan.stdout).toContain(
    "p/0:integration/irc-gateway is protected and would be disabled; also in p/1, p/2, p/3 and 5 more",
  );
});

test("a workspace without policies, an import and a server without projects", async () => {
  const { evenkeel } = await scene({ projects: [{ path: "p", licenses: { MIT: "allowed" } }] });
  expect(nextIn((await evenkeel("plan")).stdout)).toEqual(["evenkeel import --all --factor"]);
  expect(nextIn((await evenkeel("import", "--all")).stdout)).toEqual(["evenkeel plan", "evenkeel explain --kinds"]);
  expect((await evenkeel("plan", "--detailed-exitcode")).code).toBe(0);
  const empty = await scene();
  expect((await empty.evenkeel("import", "--all")).stdout).toContain("Nothing to import: the token sees no project.");
});

test("of many secrets an import lists ten, and how to have fewer", async () => {
  const projects = Array.from({ length: 12 }, (_, index) => ({
    path: `g/p${index}`,
    integrations: { "chat-notifications-a": { webhook: "https://h.example.com/x" } },
  }));
  const { evenkeel } = await scene({ projects });
  const { stdout } = await evenkeel("import", "--all");
  expect(stdout.match(/^ {2}env:\S+/gm)).toHaveLength(10);
  expect(stdout).toContain("and 2 more, which the policies name: --secrets by-group");
});

test("a rotated secret is not offered for acceptance, because no server reports one", async () => {
  const { evenkeel, evenkeelWith } = await scene({
    projects: [{ path: "p" }],
    policy: { projects: ["p"], integrations: { "chat-webhook-d": { webhook: { secret: "env:HOOK" } } } },
    workspace: { ledger: "ledger.ndjson" },
    secrets: { HOOK: "one" },
  });
  expect((await evenkeel("apply", "--yes")).code).toBe(0);
  const { code, stdout } = await evenkeelWith({ HOOK: "two" }, "drift");
  expect(code).toBe(2);
  expect(nextIn(stdout)).toEqual(["evenkeel apply --target p:integration/chat-webhook-d"]);
});

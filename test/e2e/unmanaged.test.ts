import { expect, test } from "vitest";
import { policyText, scene } from "./workspace.ts";

const projects = ["payments/api", "payments/core", "web/site"].map((path, index) => ({
  id: index + 1,
  path,
  integrations: { "irc-gateway": { recipients: "#ops" }, "external-wiki": { external_wiki_url: "https://w" } },
  licenses: { MIT: "allowed", WTFPL: "denied" },
}));
const policies = {
  all: { projects: ["**"], integrations: { "external-wiki": { external_wiki_url: "https://w" } } },
  payments: { projects: ["payments/*"], licenses: { MIT: "allowed" }, labels: { bug: { color: "#cc0000" } } },
};

test("unmanaged lists what no policy declares, equal ones together, and what was not read; it sends GET requests only", async () => {
  const { evenkeel, read } = await scene({ projects, policies });
  const kinds = ["json=u.json", "markdown=u.md", "html=u.html"].flatMap((kind) => ["--report", kind]);
  const ran = await evenkeel("unmanaged", ...kinds);
  expect(ran).toMatchObject({ code: 0, stderr: "", writes: 0 });
  expect(ran.stdout.split("\n")).toEqual([
    "integration/irc-gateway",
    "    in payments/api, payments/core, web/site",
    "license/WTFPL",
    "    in payments/api, payments/core",
    "",
    "5 unmanaged resources in 3 projects.",
    "",
    expect.stringMatching(/^Not read of projects: .* and webhooks, because no policy has such a section\.$/),
    "",
    "Not read in 1 of 3 projects: licenses and labels, because no policy for them has such a section.",
    "",
    "Next:",
    expect.stringContaining("evenkeel import payments/api --kinds all"),
    "",
  ]);
  const document = JSON.parse(read("u.json"));
  expect(document.summary).toEqual({ projects: 3, unmanaged: 5 });
  expect(document.resources[1]).toEqual({
    address: "payments/api:license/WTFPL",
    project: "payments/api",
    resource: "license/WTFPL",
  });
  expect(document.unread).toContainEqual({ section: "licenses", of: "project", projects: 1, total: 3 });
  expect((await evenkeel("plan", "--report", "json")).plan().summary.unmanaged).toBe(5);
  expect(read("u.md")).toContain("| `license/WTFPL` | `payments/api, payments/core` |");
  expect(read("u.html")).toContain("<li>payments/core</li>");
});

test("--target limits it, mistakes and unreadable projects end it with 1, and nothing unmanaged is said plainly", async () => {
  const chaos = [{ match: "/projects/*/integrations", status: 403 }];
  const made = await scene({ projects, policies });
  const some = await made.evenkeel("unmanaged", "--target", "web/*", "--report", "json");
  expect(JSON.parse(some.stdout).resources.map(({ address }: { address: string }) => address)).toEqual([
    "web/site:integration/irc-gateway",
  ]);
  const none = await made.evenkeel("unmanaged", "--target", "web/*:license/*");
  expect(none).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Nothing unmanaged in 1 project\.$/m) });
  expect(await made.evenkeel("unmanaged", "--target", "nowhere/*")).toMatchObject({
    code: 1,
    stdout: "",
    stderr: "error: --target  no project that policies select matches nowhere/*  (no-match)\n",
  });
  made.write("broken.yaml", policyText({ projects: ["web/site"], integrations: { "irc-gatway": {} } }));
  expect(await made.evenkeel("unmanaged")).toMatchObject({ code: 1, stdout: "", reads: 0 });
  const refused = await scene({ projects, policies, chaos });
  const unread = await refused.evenkeel("unmanaged");
  expect([unread.code, unread.writes]).toEqual([1, 0]);
  expect(unread.stderr).toContain("403");
});

test("the import that follows is a command that works where the project has a policy of an earlier import", async () => {
  const { evenkeel, ask } = await scene({
    projects: projects.slice(0, 1),
    policies: { own: { projects: ["payments/api"], labels: { bug: { color: "#cc0000" } } } },
  });
  expect((await evenkeel("import", "payments/api", "--kinds", "all")).code).toBe(0);
  await ask("POST", "/projects/1/labels", { form: { name: "extra", color: "#123456" } });
  const { stdout } = await evenkeel("unmanaged");
  const [, line = ""] = /^ {2}(evenkeel import .*?)(?: {2}|$)/m.exec(stdout) ?? [];
  expect(line).toBe("evenkeel import payments/api --kinds all --out policies/unmanaged");
  expect((await evenkeel(...line.split(" ").slice(1))).code).toBe(0);
  const left = await evenkeel("unmanaged");
  expect(left.stdout).toContain("Nothing unmanaged in 1 project");
});

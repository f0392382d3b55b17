import { describe, expect, test } from "vitest";
import { stage } from "../support/stage.ts";

const latest = { release: "19.9", tier: "ultimate" } as const;
const projects = Array.from({ length: 6 }, (_, index) => ({ id: index + 1, path: `payments/p${index + 1}` }));

const five = {
  webhooks: { "https://hooks.example.com/ci": { token: { secret: "env:HOOK" }, push_events: true } },
  variables: { "DEPLOY@production": { value: { secret: "env:HOOK" } } },
  labels: { bug: { color: "#d9534f" } },
  protected_branches: { main: { push_access_level: "no one", allowed_to_merge: [{ user: 51 }] } },
  badges: { ci: { link_url: "https://ci.example.com", image_url: "https://ci.example.com/a.svg" } },
};

const kindsStage = (setting: Parameters<typeof stage>[0] = {}) =>
  stage({
    ...latest,
    site: latest,
    seed: { projects, users: [{ id: 51, username: "anna" }] },
    secrets: { HOOK: "CANARY-hook" },
    ...setting,
  });

test("five kinds cost five lists for each project, and nothing else is read", async () => {
  const { evenkeel } = await kindsStage({ policy: { projects: ["payments/*"], ...five } });
  const { requests, code, stderr } = await evenkeel("plan", "--detailed-exitcode");
  expect([code, stderr]).toEqual([2, expect.any(String)]);
  const lists = ["hooks", "variables", "labels", "protected_branches", "badges"];
  const counted = new Map<string, number>();
  for (const request of requests) {
    const [path = ""] = request.split("?");
    const kind = path.replace(/^GET \/projects\/payments\/p\d+\//, "");
    counted.set(kind, (counted.get(kind) ?? 0) + 1);
  }
  expect(Object.fromEntries(counted)).toEqual({
    ...Object.fromEntries(lists.map((list) => [list, projects.length])),
    "GET /projects": 1,
  });
});

describe("guards count", () => {
  const twelve = <Value>(value: (index: number) => Value) => Array.from({ length: 12 }, (_, index) => value(index));
  const tag = (index: number) => `v${index}.*`;

  test("deletions", async () => {
    const labels = twelve((index) => ({ name: `old-${index}`, color: "#d9534f" }));
    const policy = { projects: [1], labels: { bug: { color: "#d9534f" } }, exclusive: ["labels"] };
    const { evenkeel, server } = await kindsStage({
      seed: { projects: [{ id: 1, path: "a/b", resources: { labels } }] },
      policy,
    });
    expect((await evenkeel("apply", "--yes")).code).toBe(3);
    expect(server.requests.writes).toBe(0);
    expect((await evenkeel("apply", "--yes", "--allow-deletes", "12")).code).toBe(0);
  });

  test("replacements", async () => {
    const rows = twelve((index) => ({ name: tag(index) }));
    const protected_tags = Object.fromEntries(twelve((index) => [tag(index), { create_access_level: "developer" }]));
    const seed = { projects: [{ id: 1, path: "a/b", resources: { protected_tags: rows } }] };
    const { evenkeel, server } = await kindsStage({ seed, policy: { projects: [1], protected_tags } });
    expect((await evenkeel("apply", "--yes")).code).toBe(3);
    expect(server.requests.writes).toBe(0);
    expect((await evenkeel("apply", "--yes", "--allow-deletes", "12")).code).toBe(0);
    expect((await evenkeel("plan", "--detailed-exitcode")).code).toBe(0);
  });
});

test("what is protected stays, and what is not targeted is left alone", async () => {
  const resources = {
    labels: [
      { name: "old", color: "#d9534f" },
      { name: "kept", color: "#d9534f" },
    ],
  };
  const policy = { projects: ["a/*"], labels: { bug: { color: "#d9534f" } }, exclusive: ["labels"] };
  const { evenkeel, ask } = await kindsStage({
    seed: {
      projects: [
        { id: 1, path: "a/b", resources },
        { id: 2, path: "a/c" },
      ],
    },
    policy,
    workspace: { protected: ["*/*:label/kept"] },
  });
  expect((await evenkeel("apply", "--yes")).code).toBe(3);
  expect((await evenkeel("apply", "--yes", "--target", "a/b:label/old")).code).toBe(0);
  const names = async (id: number) =>
    (await ask("GET", `/projects/${id}/labels`)).json.map(({ name }: { name: string }) => name);
  expect([await names(1), await names(2)]).toEqual([["kept"], []]);
});

test("secrets are in requests alone: not in reports, nor in the state", async () => {
  const { evenkeel, files, ask } = await kindsStage({
    policy: { projects: [1], ...five },
    workspace: { ledger: ".evenkeel/ledger.ndjson" },
  });
  const reports = ["json=a.json", "html=a.html", "markdown=a.md", "junit=a.xml", "sarif=a.sarif"];
  const planned = await evenkeel("plan", ...reports.flatMap((report) => ["--report", report]));
  const applied = await evenkeel("apply", "--yes");
  expect([planned.code, applied.code]).toEqual([0, 0]);
  const texts = [planned, applied].flatMap(({ stdout, stderr }) => [stdout, stderr]);
  for (const text of [...texts, ...Object.values(files())]) expect(text).not.toContain("CANARY-hook");
  expect((await ask("GET", "/projects/1/variables")).json).toMatchObject([{ value: "CANARY-hook" }]);
});

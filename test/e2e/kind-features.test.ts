import { describe, expect, test } from "vitest";
import { stage } from "../support/stage.ts";

describe("the requests of a plan", () => {
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
});

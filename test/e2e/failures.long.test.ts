import { describe, expect, test } from "vitest";
import { serve } from "../client/scripted.ts";
import { folder } from "../support/folder.ts";
import { runProgram } from "./program.ts";
import { outcomes, policyText, scene, token, told, workspaceText } from "./workspace.ts";

const licenses = { projects: ["p"], licenses: { MIT: "allowed" } };
const projects = [{ path: "p" }];

test("a project that fails does not stop the others", async () => {
  const { evenkeel } = await scene({
    projects: [{ path: "p" }, { path: "q", access: "none" }, { path: "r" }],
    policy: { projects: ["p", "q", "gone", "r"], licenses: { MIT: "allowed" } },
  });
  const planned = await evenkeel("plan", "--report", "json");
  expect(planned.code).toBe(1);
  expect(told(planned.plan())).toEqual(["create p:license/MIT", "create r:license/MIT"]);
  expect(planned.plan().problems).toMatchObject([
    { rule: "unreadable", project: "gone" },
    { rule: "unreadable", project: "q" },
  ]);
  expect(planned.stderr).toMatch(/^all.yaml:4:\d+ {2}project gone was not found: .*404 Project Not Found {2}/m);
  expect(planned.stderr).toMatch(/^error: q .*403 Forbidden/m);
  const applied = await evenkeel("apply", "--yes", "--report", "json");
  expect(applied).toMatchObject({ code: 1, writes: 2 });
  expect(outcomes(applied.plan())).toEqual(["applied p:license/MIT", "applied r:license/MIT"]);
  expect(await evenkeel("plan", "--detailed-exitcode")).toMatchObject({ code: 1 });
});

test("a misspelt path has its line and the nearest path, for one look at the list of projects", async () => {
  const { evenkeel } = await scene({
    projects: [{ path: "team/payments" }, { path: "team/web" }],
    policy: { projects: ["team/paymnets", "team/wbe", "team/web"], licenses: { MIT: "allowed" } },
  });
  const planned = await evenkeel("plan", "--report", "json");
  expect(planned.code).toBe(1);
  expect(planned.requests.filter((each) => each.startsWith("GET /projects?"))).toEqual([
    "GET /projects?order_by=id&sort=asc&pagination=keyset&per_page=100",
  ]);
  expect(planned.plan().summary.reads).toBe(3);
  expect(planned.plan().problems).toMatchObject([
    {
      project: "team/paymnets",
      file: "all.yaml",
      line: 4,
      message: expect.stringMatching(/did you mean team\/payments\?$/),
    },
    { project: "team/wbe", file: "all.yaml", line: 4, message: expect.stringMatching(/did you mean team\/web\?$/) },
  ]);
});

describe("what cannot be read of a project keeps nothing else from being planned", () => {
  const wiki = { "external-wiki": { external_wiki_url: "https://wiki.example.com" } };
  const irc = { "irc-gateway": { recipients: "#ops" } };
  const policy = {
    projects: ["p"],
    integrations: { ...wiki, ...irc },
    licenses: { MIT: "allowed" },
    exclusive: ["integrations", "licenses"],
  };

  test("where its licenses are refused, its integrations are planned and applied", async () => {
    const { evenkeel } = await scene({
      projects: [{ path: "p", licenses: { GPL: "denied" } }],
      policy,
      chaos: [{ method: "GET", match: "/projects/p/managed_licenses*", status: 403 }],
    });
    const planned = await evenkeel("plan", "--report", "json");
    expect(planned.code).toBe(1);
    expect(told(planned.plan())).toEqual(["create p:integration/external-wiki", "create p:integration/irc-gateway"]);
    expect(planned.plan().problems).toMatchObject([{ rule: "unreadable", project: "p", file: "all.yaml", line: 6 }]);
    expect(planned.stderr).toMatch(
      /the list of licenses of p could not be read and is left out of the plan: GET .*403/,
    );
    expect(await evenkeel("apply", "--yes")).toMatchObject({ code: 1, writes: 2 });
  });

  test("where one integration fails, it is neither changed nor disabled, nor counted by the guards", async () => {
    const live = { ...wiki, "irc-gateway": { recipients: "#old" }, "emails-on-push": { recipients: "a@example.com" } };
    const { evenkeel, ask } = await scene({
      projects: [{ path: "p", integrations: live }],
      policy,
      workspace: { guards: { deletePercent: 50, deleteMinimum: 1 } },
      chaos: [{ method: "GET", match: "/projects/p/integrations/irc-gateway", status: 400 }],
    });
    const planned = await evenkeel("plan", "--report", "json");
    expect(planned.code).toBe(1);
    expect(told(planned.plan())).toEqual(["disable p:integration/emails-on-push", "create p:license/MIT"]);
    expect(planned.plan().summary.live).toBe(2);
    expect(planned.stderr).toMatch(/^all.yaml:5:.*p:integration\/irc-gateway could not be read .*answered 400/m);
    expect(await evenkeel("apply", "--yes", "--report", "json")).toMatchObject({ code: 1, writes: 2 });
    expect((await ask("GET", "/projects/p/integrations")).json.map(({ slug }: { slug: string }) => slug)).toEqual([
      "external-wiki",
      "irc-gateway",
    ]);
  });

  test("and a saved plan fails what cannot be read any more, which is not stale", async () => {
    let broken = false;
    const [old, now] = ["https://old.example.com", "https://wiki.example.com"];
    const site = await serve(({ method, path }) => {
      if (path.includes("managed_licenses")) return broken ? { status: 403, body: {} } : { body: [] };
      const row = {
        id: 1,
        slug: "external-wiki",
        active: true,
        properties: { external_wiki_url: method === "PUT" ? now : old },
      };
      return { body: path.includes("/external-wiki") ? row : [row] };
    });
    const files = folder({
      "evenkeel.yaml": workspaceText({ url: site.url }),
      "all.yaml": policyText({ projects: ["p"], integrations: wiki, licenses: { MIT: "allowed" } }),
    });
    const run = (...args: string[]) => runProgram(args, files.root, { EVENKEEL_TOKEN: token });
    expect((await run("plan", "--out", "plan.json")).code).toBe(0);
    broken = true;
    const applied = await run("apply", "plan.json");
    expect(applied.code).toBe(1);
    expect(applied.stdout).toMatch(/failed p:license\/MIT: GET .*answered 403/);
    expect(applied.stdout).not.toContain("stale");
  });
});

test("a write that fails skips neither the rest of its project nor any other", async () => {
  const { evenkeel } = await scene({
    projects: [{ path: "p" }, { path: "q" }],
    policy: { projects: ["p", "q"], licenses: { A: "allowed", B: "allowed" } },
    chaos: [{ method: "POST", match: "/projects/p/*", status: 400, times: 1 }],
  });
  const applied = await evenkeel("apply", "--yes", "--report", "json=r.json");
  expect(applied).toMatchObject({ code: 1, writes: 4 });
  expect(applied.stdout).toMatch(/failed p:license\/A: POST http.* answered 400/);
  expect(applied.stdout).toContain("Apply: 3 applied, 1 failed.");
  expect((await evenkeel("apply", "--yes")).code).toBe(0);
});

test("a token that is refused in the middle of an apply is said once, and what was not sent is skipped", async () => {
  const { evenkeel } = await scene({
    projects: [{ path: "p" }, { path: "q" }, { path: "r" }],
    policy: { projects: ["p", "q", "r"], licenses: { A: "allowed", B: "allowed" } },
    chaos: [{ method: "POST", status: 401 }],
  });
  const ran = await evenkeel("apply", "--yes", "--concurrency", "1", "--report", "json");
  expect(ran).toMatchObject({ code: 1, writes: 1 });
  expect(ran.stdout.match(/answered 401/g)).toHaveLength(1);
  expect(ran.plan().summary.outcomes).toMatchObject({ applied: 0, failed: 1, skipped: 5 });
});

test("a premium integration on a lower tier is explained, or a problem where the tier is stated", async () => {
  const premium = { "code-host-status": { token: { secret: "env:T" }, repository_url: "https://x" } };
  const setting = {
    tier: "free",
    projects,
    policy: { projects: ["p"], integrations: premium },
    secrets: { T: "t" },
  } as const;
  const open = await scene(setting);
  const applied = await open.evenkeel("apply", "--yes");
  expect(applied).toMatchObject({ code: 1, writes: 1 });
  expect(applied.stdout).toMatch(/403 Forbidden.*code-host-status needs tier premium/);
  const stated = await scene({ ...setting, site: { tier: "free" } });
  const refused = await stated.evenkeel("apply", "--yes");
  expect(refused).toMatchObject({ code: 1, reads: 0, writes: 0 });
  expect(refused.stderr).toMatch(/^all\.yaml:5:\d+ .*code-host-status needs tier premium.*\(tier\)$/m);
});

test("of a stale target and a failed one, the failure decides the exit code", async () => {
  const { evenkeel, ask } = await scene({
    projects: ["p", "q"].map((path, index) => ({ id: index + 1, path, licenses: { MIT: "denied" } })),
    policy: { ...licenses, projects: ["p", "q"] },
    chaos: [{ method: "PATCH", match: "/projects/2/*", status: 400 }],
  });
  await evenkeel("plan", "--out", "plan.json");
  await ask("DELETE", "/projects/p/managed_licenses/MIT");
  const applied = await evenkeel("apply", "plan.json", "--report", "json");
  expect(applied).toMatchObject({ code: 1, writes: 1 });
  expect(outcomes(applied.plan())).toEqual(["stale p:license/MIT", "failed q:license/MIT"]);
});

test("fields and slugs that nobody has heard of are tolerated", async () => {
  const row = { id: 1, slug: "from-the-future", active: true, novelty: { deep: [1] } };
  const site = await serve(({ path }) => ({
    body: path.endsWith("/integrations") ? [row] : [{ id: 9, name: "MIT", approval_status: "allowed", more: null }],
  }));
  const files = folder({
    "evenkeel.yaml": workspaceText({ url: site.url }),
    "all.yaml": policyText({ ...licenses, exclusive: ["integrations", "licenses"] }),
  });
  const ran = await runProgram(["drift"], files.root, { EVENKEEL_TOKEN: token });
  expect(ran.code).toBe(0);
  expect(ran.stderr).toMatch(/warning: .*from-the-future is not in the catalogue/);
  expect(ran.stdout).toContain("1 unmanaged");
});

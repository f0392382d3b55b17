import { describe, expect, test } from "vitest";
import { repository } from "../revision/repository.ts";
import { outcomes, scene, told } from "./workspace.ts";

const size = 40;
const fleet = Array.from({ length: size }, (_, index) => ({
  id: index + 1,
  path: `team-${index % 4}/p${index}`,
  integrations: { "external-wiki": { external_wiki_url: "https://old" }, "irc-gateway": { recipients: "#a" } },
  licenses: { MIT: "denied" },
}));
const own = (path: string, url: string) => ({
  projects: [path],
  integrations: { "external-wiki": { external_wiki_url: url } },
});
const everybody = {
  projects: ["**"],
  integrations: { "irc-gateway": { recipients: "#a" } },
  licenses: { MIT: "denied" },
};

async function changed(more: object = {}) {
  const made = await scene({ projects: fleet, policies: { everybody }, ...more });
  for (const { path } of fleet.slice(0, 6)) made.policy(own(path, "https://old"), path.replace("/", "-"));
  const { commit, git } = repository(made.root);
  const base = commit();
  for (const { path } of fleet.slice(0, 3)) made.policy(own(path, "https://new"), path.replace("/", "-"));
  return { ...made, base, commit, git };
}

const isList = (request: string) => request.startsWith("GET /projects?");

describe("--since", () => {
  test("reads only the projects that want something else, for at most seven requests each and three look-ups", async () => {
    const { evenkeel, base, commit } = await changed();
    const planned = await evenkeel("plan", "--since", "HEAD", "--report", "json");
    expect(planned.stderr).toBe("");
    expect(told(planned.plan())).toEqual(
      ["team-0/p0", "team-1/p1", "team-2/p2"].map((path) => `update ${path}:integration/external-wiki`),
    );
    expect(planned.plan().scope).toEqual({ since: base, projects: 3 });
    expect(planned.requests.filter(isList)).toEqual([]);
    expect(planned.requests.every((request) => /^GET \/projects\/team-[012]\/p[012]\//.test(request))).toBe(true);
    expect(planned.reads).toBeLessThanOrEqual(3 * 7 + 3);
    expect((await evenkeel("drift", "--since", "HEAD")).code).toBe(2);
    const { stdout } = await evenkeel("plan", "--since", "HEAD");
    expect(stdout.split("\n")[1]).toBe(`Only --since ${base.slice(0, 12)} (3 projects); no other project was checked`);
    const at = commit().slice(0, 12);
    const none = (await evenkeel("plan", "--since", "HEAD")).stdout;
    expect(none).toMatch(new RegExp(`^Only --since ${at} \\(0 .*; no project was checked$`, "m"));
    expect(none).toContain(`No changes: no project's desired state differs from ${at}.`);
  });

  test("an ID in a manifest costs one look-up for each of the projects, and none is missed by it", async () => {
    const { evenkeel, policy } = await changed({
      policies: { everybody, byId: { projects: [1, 9], disabled: ["irc-gateway"] } },
    });
    const planned = await evenkeel("plan", "--since", "HEAD", "--report", "json");
    expect(planned.requests.filter((request) => /^GET \/projects\/[^/]+\/p\d$/.test(request))).toHaveLength(3);
    expect(planned.reads).toBeLessThanOrEqual(3 * 7 + 3);
    policy({ projects: [1, 9] }, "byId");
    const withdrawn = await evenkeel("plan", "--since", "HEAD", "--report", "json");
    expect(withdrawn.plan().scope).toMatchObject({ projects: 4 });
    expect(withdrawn.requests.filter(isList)).toEqual([]);
  });

  test("a wildcard that is another needs the list: a recent plan's, else the server's", async () => {
    const { evenkeel, policy, base } = await changed();
    policy({ projects: ["team-3/*"], licenses: { MIT: "allowed" } }, "three");
    const listed = await evenkeel("plan", "--since", base, "--report", "json");
    expect(listed.requests.filter(isList)).toHaveLength(1);
    expect(listed.plan().scope).toEqual({ since: base, projects: 13, of: size });
    const kept = await evenkeel("plan", "--since", base, "--report", "json");
    expect(kept.requests.filter(isList)).toEqual([]);
    expect(told(kept.plan())).toEqual(told(listed.plan()));
    const { stdout } = await evenkeel("plan", "--since", base);
    expect(stdout).toContain(`Only --since ${base.slice(0, 12)} (13 of 40 projects); the other 27 were not checked\n`);
  });

  test("a saved plan applies as any other, and then nothing is left but what was not looked at", async () => {
    const { evenkeel } = await changed();
    await evenkeel("plan", "--since", "HEAD", "--out", "plan.json");
    const applied = await evenkeel("apply", "plan.json", "--report", "json");
    expect(outcomes(applied.plan())).toEqual(
      ["team-0/p0", "team-1/p1", "team-2/p2"].map((path) => `applied ${path}:integration/external-wiki`),
    );
    expect(applied.requests.filter(isList)).toEqual([]);
    expect((await evenkeel("plan", "--since", "HEAD", "--detailed-exitcode")).code).toBe(0);
    expect((await evenkeel("apply", "plan.json", "--since", "HEAD")).code).toBe(64);
  });

  test("nothing is sent for a project that nobody selects any more, nor where nothing differs", async () => {
    const { evenkeel, write, commit } = await changed();
    commit();
    write("team-0-p0.yaml", "");
    const planned = await evenkeel("plan", "--since", "HEAD", "--report", "json");
    expect(planned.plan().scope).toMatchObject({ projects: 1 });
    commit();
    const same = await evenkeel("plan", "--since", "HEAD", "--report", "json");
    expect(same.reads).toBe(0);
    expect(same.plan().scope).toMatchObject({ projects: 0 });
  });

  test("what cannot be compared is said before anything is sent", async () => {
    const { evenkeel, write, commit } = await changed();
    expect(await evenkeel("plan", "--since", "nowhere")).toMatchObject({
      code: 64,
      reads: 0,
      stderr: 'error: git finds no commit "nowhere" here\n',
    });
    write("broken.yaml", "apiVersion: evenkeel/v1\nkind: Polcy\n");
    const base = commit();
    write("broken.yaml", "");
    const refused = await evenkeel("plan", "--since", "HEAD");
    expect(refused).toMatchObject({ code: 1, reads: 0 });
    expect(refused.stderr).toContain(`at ${base.slice(0, 12)}: broken.yaml:2:7`);
  });
});

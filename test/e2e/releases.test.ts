import { describe, expect, test } from "vitest";
import { type Scripted, serve } from "../client/scripted.ts";
import { folder } from "../support/folder.ts";
import { runProgram } from "./program.ts";
import { policyText, scene, token, told, workspaceText } from "./workspace.ts";

const wiki = { integrations: { "external-wiki": { external_wiki_url: "https://wiki" } } };
const licenses = { licenses: { MIT: "allowed" } };

/** A plan of a workspace on a server of this version; `release` is what the workspace states. */
async function planned(version: string | undefined, policy: object, release?: string, requestTimeout = "30s") {
  const site = await serve(
    ({ path }) => (/\/(integrations|managed_licenses)/.test(path) ? { body: [] } : notFound),
    version,
  );
  const files = folder({
    "evenkeel.yaml": workspaceText({ url: site.url, ...(release && { release }) }, { requestTimeout }),
    "all.yaml": policyText({ projects: ["p"], ...policy }),
  });
  const ran = await runProgram(["plan", "--report", "json"], files.root, { EVENKEEL_TOKEN: token });
  return { ...ran, plan: JSON.parse(ran.stdout), sent: site.seen.length, asked: site.versions };
}

const notFound: Scripted = { status: 404, body: { error: "404 Not Found" } };

describe("the release that a workspace does not state", () => {
  test("is asked for once, counts as no read, and decides what is a problem", async () => {
    const ran = await planned("17.9.1-ee", { ...wiki, ...licenses });
    expect(ran).toMatchObject({ code: 1, sent: 0, asked: 1 });
    expect(ran.plan).toMatchObject({ resource_changes: [], summary: { reads: 0 } });
    expect(ran.plan.problems).toEqual([
      expect.objectContaining({
        rule: "release",
        file: "all.yaml",
        line: 6,
        message: expect.stringMatching(
          /^licenses were removed in release 16\.0; the server is 17\.9\.1: license approval policies replace them/,
        ),
      }),
    ]);
    const without = await planned("17.9.1-ee", wiki);
    expect(without).toMatchObject({ code: 0, stderr: "", asked: 1, plan: { summary: { reads: 1 }, warnings: [] } });
  });

  test.each([undefined, "unknown", "", "1.2.3.4", "v17.9"])(
    "is the default where the server says %j",
    async (version) => {
      const ran = await planned(version, licenses);
      expect(ran).toMatchObject({ code: 0, stderr: "", asked: 1, plan: { problems: [], warnings: [] } });
    },
  );

  test("is the default where the server never says, and nobody waits for it twice", async () => {
    const ran = await planned("silent", licenses, undefined, "1s");
    expect(ran).toMatchObject({ code: 0, stderr: "", asked: 1, plan: { problems: [], warnings: [] } });
  });

  test("is no mistake yet beside one that no release mends", async () => {
    const early = { settings: { environments_access_level: "disabled" } };
    const ran = await planned("17.9.1", { ...early, disabled: ["nonsense"] });
    expect(ran).toMatchObject({ code: 1, asked: 0, plan: { warnings: [] } });
    expect(ran.plan.problems).toEqual([expect.objectContaining({ rule: "unknown-integration" })]);
    expect(await planned("14.5.1", early)).toMatchObject({ plan: { problems: [{ rule: "release" }] } });
  });

  test("is not asked for where there is a mistake anyway", async () => {
    expect(await planned("17.9.1", { integrations: { nonsense: {} } })).toMatchObject({ code: 1, asked: 0 });
  });
});

describe("the release that a workspace states", () => {
  test("is warned of at its place where the server has another, and stands", async () => {
    const ran = await planned("17.9.1-ee", licenses, "15.11");
    expect(ran).toMatchObject({ code: 0, plan: { problems: [] } });
    expect(ran.plan.warnings).toEqual([
      expect.objectContaining({
        rule: "other-release",
        file: "evenkeel.yaml",
        line: 3,
        message: "server.release is 15.11, and the server says that it is 17.9.1",
      }),
    ]);
  });

  test.each(["15.11", "15.11.4"])("%s is the server's 15.11.4", async (release) => {
    expect((await planned("15.11.4-ee", wiki, release)).plan.warnings).toEqual([]);
  });

  test("decides offline, where one that nobody states is the default", async () => {
    const files = folder({
      "evenkeel.yaml": workspaceText({ url: "http://127.0.0.1:9", release: "16.0" }),
      "all.yaml": policyText({ projects: ["p"], ...licenses }),
      "more.yaml": policyText({ projects: ["p"], exclusive: ["integrations", "licenses"] }, "more"),
    });
    const stated = await runProgram(["validate"], files.root, {});
    expect(stated).toMatchObject({ code: 1 });
    expect(stated.stdout + stated.stderr).toMatch(
      /^all\.yaml:5:1 {2}licenses {2}licenses were removed in release 16\.0;/m,
    );
    expect(stated.stdout + stated.stderr).toMatch(/^more\.yaml:5:\d+ .*licenses were removed/m);
    files.write("evenkeel.yaml", workspaceText({ url: "http://127.0.0.1:9" }));
    expect(await runProgram(["validate"], files.root, {})).toMatchObject({ code: 0 });
  });
});

test("import leaves out what the release of the server does not have", async () => {
  const seed = { projects: [{ path: "p", ...wiki }] };
  const { evenkeel } = await scene({ seed, release: "17.9", behaviour: "observed" });
  const ran = await evenkeel("import", "--all");
  expect(ran.code).toBe(0);
  expect(ran.requests.filter((each) => each.includes("managed_licenses"))).toEqual([]);
});

test("a renamed project is told at its line, with its new path", async () => {
  const projects = [{ id: 42, path: "team/new", former_paths: ["team/old"], ...wiki }];
  const { evenkeel } = await scene({
    projects,
    release: "17.9",
    behaviour: "observed",
    policy: { projects: ["team/old", "team/new"], ...wiki },
  });
  const ran = await evenkeel("plan", "--report", "json");
  expect(ran.code).toBe(1);
  expect(told(ran.plan())).toEqual([]);
  expect(ran.plan().problems).toEqual([
    expect.objectContaining({
      project: "team/old",
      file: "all.yaml",
      line: 4,
      message: expect.stringMatching(/answered 301: the project was renamed or moved, and has the ID 42.*: team\/new$/),
    }),
  ]);
  const create = [
    "deployments",
    "create",
    "team/old",
    "--environment",
    "e",
    "--sha",
    "a1",
    "--ref",
    "main",
    "--no-tag",
  ];
  expect((await evenkeel(...create, "--status", "running")).stderr).toMatch(/405.*name it by its new path/);
});

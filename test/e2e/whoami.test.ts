import { expect, test } from "vitest";
import { serve } from "../client/scripted.ts";
import { serving } from "../server/serving.ts";
import { folder, tempFolder } from "../support/folder.ts";
import { runProgram } from "./program.ts";

const tokens = [
  { token: "m", role: "maintainer", scopes: ["read_api"] },
  { token: "d", role: "developer" },
  { token: "u", role: "owner", scopes: ["read_user"] },
  { token: "f", role: "maintainer", scopes: ["granular"] },
] as const;

async function asking() {
  const projects = [{ path: "payments/api" }, { path: "payments/closed", access: "none" as const }];
  const { server } = await serving({ seed: { tokens: [...tokens], projects }, token: "root-token" });
  const here = tempFolder();
  const whoami = (token: string, ...args: string[]) =>
    runProgram(["whoami", ...args], here, { EVENKEEL_TOKEN: token, EVENKEEL_URL: server.url });
  const json = async (token: string, ...args: string[]) => {
    const ran = await whoami(token, ...args, "--report", "json");
    return { ...ran, told: JSON.parse(ran.stdout) };
  };
  return { server, whoami, json };
}

const allowed = (told: { commands: { commands: string[]; allowed: boolean | null }[] }) =>
  Object.fromEntries(told.commands.map(({ commands, allowed }) => [commands[0], allowed]));

test("who the token is and what it may do, without a workspace", async () => {
  const { server, whoami, json } = await asking();
  const maintainer = await whoami("m", "--project", "payments/api");
  expect(maintainer).toMatchObject({ code: 0, stderr: "" });
  expect(maintainer.stdout).toBe(`maintainer-2 (User 2)
  token    maintainer token, scopes read_api
  project  payments/api: Maintainer, can be read

yes  plan, drift, unmanaged, mcp, watch, apply --dry-run, import, accept, routes --live: Maintainer or Owner of each project, scope read_api
no   apply, watch --apply: Maintainer or Owner of each project, scope api; missing: scope api
yes  deployments list, deployments show, deployments merge-requests: Reporter of the project, scope read_api
no   deployments create, deployments update, apply --record-deployment: Developer of the project that records the deployment, scope api; missing: scope api
no   accept --merge-request, watch --merge-request: Developer of the project with the manifests, scope api; missing: scope api
no   plan --storage, storage status: administrator, scope read_api; missing: role administrator
no   apply --storage: administrator, scope api; missing: scope api, role administrator
yes  show, blame, routes, whoami: any role, scope read_api
`);
  expect(server.requests.kept.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "GET /api/v4/user",
    "GET /api/v4/personal_access_tokens/self",
    "GET /api/v4/projects/payments%2Fapi",
    "GET /api/v4/projects/payments%2Fapi/integrations",
  ]);
  const developer = await json("d", "--project", "payments/api");
  expect(developer).toMatchObject({
    code: 1,
    told: {
      user: { username: "developer-3", name: "User 3", administrator: false },
      token: { scopes: ["api"], expires_at: null },
      project: { path: "payments/api", role: "Developer", access_level: 30, readable: false },
      unknown: [],
    },
  });
  expect(developer.told.project.error).toMatch(
    /403 Forbidden; the token needs the role Maintainer or Owner in this project$/,
  );
  expect(allowed(developer.told)).toMatchObject({ plan: false, apply: false, "deployments create": true, show: true });
});

test("without a project its role stays unknown; a scope that is too small does not", async () => {
  const { json } = await asking();
  const root = await json("root-token");
  expect(root.code).toBe(0);
  expect(new Set(Object.values(allowed(root.told)))).toEqual(new Set([true]));
  const developer = await json("d");
  expect(developer.code).toBe(0);
  expect(allowed(developer.told)).toMatchObject({ plan: null, apply: null, "plan --storage": false, show: true });
  const reader = await json("u");
  expect(reader.code).toBe(1);
  expect(reader.told.commands[0]).toMatchObject({ allowed: false, missing: ["scope read_api"] });
  const closed = await json("m", "--project", "payments/closed");
  expect(closed).toMatchObject({ code: 1, told: { project: { readable: false, role: null } } });
  const absent = await json("m", "--project", "payments/none");
  expect(absent.told.project.error).toContain("404 Project Not Found");
});

test("what a fine-grained token may do is unknown, not missing; a refusal names the permission", async () => {
  const { json } = await asking();
  const whole = await json("f", "--project", "payments/api");
  expect(whole).toMatchObject({ code: 0, told: { token: { scopes: ["granular"] }, project: { readable: true } } });
  expect(allowed(whole.told)).toMatchObject({ plan: null, apply: null, "apply --storage": false });
  expect(whole.told.commands[1]).toMatchObject({ missing: [] });
  expect(whole.told.unknown).toEqual([expect.stringMatching(/does not list the permissions of a fine-grained token/)]);

  const site = await serve(() => ({
    status: 403,
    body: { error: "insufficient_granular_scope", error_description: "Your token lacks [Project: Read]." },
  }));
  const args = ["whoami", "--project", "p", "--report", "json"];
  const refused = await runProgram(args, tempFolder(), { EVENKEEL_TOKEN: "f", EVENKEEL_URL: site.url });
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.stdout).project.error).toMatch(
    /Your token lacks \[Project: Read\]\.; the token is a fine-grained one: grant it this permission$/,
  );
});

test("in a workspace, the first project that policies name tells the role", async () => {
  const { server } = await asking();
  const policy = (name: string, projects: string) =>
    `apiVersion: evenkeel/v1\nkind: Policy\nname: ${name}\nprojects: ${projects}\nlicenses: { MIT: allowed }\n`;
  const { root } = folder({
    "evenkeel.yaml": `apiVersion: evenkeel/v1\nkind: Workspace\nserver: { url: "${server.url}" }\n`,
    "policies.yaml": `${policy("all", '["**"]')}---\n${policy("api", '["payments/*", payments/api]')}`,
  });
  const whoami = (token: string) => runProgram(["whoami"], root, { EVENKEEL_TOKEN: token });
  const maintainer = await whoami("m");
  expect(maintainer).toMatchObject({ code: 0, stderr: "" });
  expect(maintainer.stdout).toMatch(/^ {2}project {2}payments\/api: Maintainer, can be read$/m);
  expect(await whoami("d")).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^no {3}plan, .*role Maintainer/m),
  });
});

test("a role that is missing in every project is said once, and the rest is planned", async () => {
  const projects = [1, 2, 3, 4, 5]
    .map((number) => `team/${number}`)
    .map((path) => ({ path, licenses: { MIT: "denied" as const } }));
  const { server } = await serving({ seed: { tokens: [...tokens], projects }, token: "root-token" });
  const { root } = folder({
    "evenkeel.yaml": `apiVersion: evenkeel/v1\nkind: Workspace\nserver: { url: "${server.url}" }\n`,
    "policy.yaml": `apiVersion: evenkeel/v1\nkind: Policy\nname: all\nprojects: ["team/*"]
disabled: [irc-gateway]\nlicenses: { MIT: allowed }\n`,
  });
  const planned = await runProgram(["plan"], root, { EVENKEEL_TOKEN: "d" });
  expect(planned).toMatchObject({ code: 1, stdout: expect.stringContaining("Plan: 0 to create, 5 to update") });
  expect(planned.stderr.match(/needs the role Maintainer or Owner/g)).toHaveLength(1);
  expect(planned.stderr).toMatch(/the list of integrations of team\/1 could not be read .*; also in team\/2, team\/3/);
});

test("a server that tells nothing of tokens is said to, and what can be read decides", async () => {
  const site = await serve(({ path }) =>
    path.endsWith("/integrations") ? { body: [] } : { status: 404, body: { error: "404 Not Found" } },
  );
  const env = { EVENKEEL_TOKEN: "t", EVENKEEL_URL: site.url };
  const unknown = await runProgram(["whoami"], tempFolder(), env);
  expect(unknown.code).toBe(0);
  expect(unknown.stdout).toContain("The server does not report the owner of this token\n  token    scopes unknown\n");
  expect(unknown.stdout).toMatch(/^\? {4}plan, /m);
  expect(unknown.stdout).toMatch(/^unknown: GET \S+\/user answered 404/m);
  const readable = await runProgram(["whoami", "--project", "p"], tempFolder(), env);
  expect(readable).toMatchObject({ code: 0, stdout: expect.stringContaining("project  p: role unknown, can be read") });
});

test("a rejected token, an empty project and no server are one sentence each", async () => {
  const { whoami } = await asking();
  expect(await whoami("wrong")).toMatchObject({ code: 1, stderr: expect.stringContaining("the token was rejected") });
  expect(await whoami("m", "--project", " ")).toMatchObject({ code: 64 });
  const nowhere = await runProgram(["whoami"], tempFolder(), { EVENKEEL_TOKEN: "t" });
  expect(nowhere.code).toBe(1);
  expect(nowhere.stderr.trim().split("\n")).toHaveLength(1);
});

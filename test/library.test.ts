import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { tempFolder } from "./support/folder.ts";

type Library = typeof import("../src/index.ts");

const built = join(inject("build"), "index.js");
const library = (await import(pathToFileURL(built).href)) as Library;
const token = "library-token";

let root: string;
let server: Awaited<ReturnType<Library["createServer"]>>;

beforeEach(async () => {
  root = tempFolder();
  const projects = [{ path: "p", licenses: { MIT: "denied" } }];
  server = await library.createServer({ token, seed: { projects } });
  writeFileSync(
    join(root, "evenkeel.yaml"),
    `apiVersion: evenkeel/v1\nkind: Workspace\nserver: { url: ${server.url} }\n`,
  );
  writeFileSync(
    join(root, "policy.yaml"),
    "apiVersion: evenkeel/v1\nkind: Policy\nname: all\nprojects: [p]\nlicenses: { MIT: allowed }\n" +
      "integrations:\n  chat-webhook-c: { webhook: { secret: env:HOOK } }\n",
  );
});

afterEach(async () => {
  await server.close();
});

const request = () => ({ folder: root, env: { EVENKEEL_TOKEN: token, HOOK: "hook" } });

test("plan, apply and plan again, as a program of one's own would", async () => {
  const { plan, differences, compared } = await library.plan(request());
  expect(compared).toBe(true);
  expect(plan.resource_changes.map(({ address }) => address)).toEqual([
    "p:integration/chat-webhook-c",
    "p:license/MIT",
  ]);
  expect(differences[0]?.changes).toHaveLength(2);
  expect(library.planText(plan, library.plain)).toContain("Plan: 1 to create, 1 to update");
  expect(server.requests.writes).toBe(0);

  expect((await library.rehearse(request())).requests?.map(({ method }) => method)).toEqual(["PUT", "PATCH"]);
  const declined = await library.apply(request(), { approve: async () => false, watchers: [] });
  expect([declined.outcomes, server.requests.writes]).toEqual([undefined, 0]);

  const seen: string[] = [];
  const watcher = { outcome: async ({ address }: { address: string }) => void seen.push(address) };
  const applied = await library.apply(request(), { approve: async () => true, watchers: [watcher] });
  expect([...(applied.outcomes ?? [])].map(([, { status }]) => status)).toEqual(["applied", "applied"]);
  expect(seen).toEqual(["p:integration/chat-webhook-c", "p:license/MIT"]);
  expect((await library.plan(request())).plan.summary.writes).toBe(0);
});

test("what a person can mend is a problem and not an exception", async () => {
  const refused = await library.plan({ ...request(), env: { EVENKEEL_TOKEN: "wrong" } });
  expect(refused.plan.problems).toMatchObject([{ rule: "unauthorized" }]);
  expect(library.planText(refused.plan, library.plain)).toMatch(/^error: GET .*the token was rejected/);
  const nowhere = await library.plan({ ...request(), folder: tmpdir() });
  expect(library.planText(nowhere.plan, library.plain)).toMatch(/\n\nNothing was compared\.\n/);
  expect(nowhere).toMatchObject({
    compared: false,
    plan: { problems: [{ rule: "setup", message: expect.stringContaining("evenkeel.yaml") }] },
  });
  const nobody = await library.apply({ ...request(), env: {} }, { approve: async () => true, watchers: [] });
  expect(nobody).toMatchObject({ compared: false, plan: { problems: [{ rule: "setup" }] } });
  expect(() => library.load(tmpdir())).toThrow(library.UserError);
});

test("a Maintainer's token is enough to plan and to apply, and a Developer's is not", async () => {
  const tokens = [
    { token: "of-a-maintainer", role: "maintainer" },
    { token: "of-a-developer", role: "developer" },
  ] as const;
  const open = await library.createServer({ token, seed: { projects: [{ path: "p" }], tokens } });
  const as = (name: string) => ({
    folder: root,
    env: { EVENKEEL_URL: open.url, EVENKEEL_TOKEN: name, HOOK: "hook" },
  });
  expect((await library.plan(as("of-a-developer"))).plan.problems).toHaveLength(1);
  const { outcomes } = await library.apply(as("of-a-maintainer"), { approve: async () => true, watchers: [] });
  expect([...(outcomes ?? [])].map(([, { status }]) => status)).toEqual(["applied", "applied"]);
  await open.close();
});

test("what is unexpected is thrown without secrets", async () => {
  const hooks = { HOOK: "https://hooks.example.com/s3cr3t-CANARY" };
  const watcher = {
    outcome: async () => {
      throw Object.assign(new TypeError(`Invalid URL: ${hooks.HOOK} ${token}`), { input: hooks.HOOK, code: "ERR_X" });
    },
  };
  const ran = library.apply(
    { ...request(), env: { EVENKEEL_TOKEN: token, ...hooks } },
    { approve: async () => true, watchers: [watcher] },
  );
  const error: unknown = await ran.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: "TypeError", message: "Invalid URL: env:HOOK [token]", code: "ERR_X" });
  expect(inspect(error, { showHidden: true })).not.toMatch(/CANARY|library-token/);
});

test("an apply that ends unexpectedly gives its lock back, and its deployment has failed", async () => {
  const fields = { environment: "production", sha: "1f2e", ref: "main", tag: false };
  const notices = { warn: () => {}, note: () => {} };
  const around = library.deploying({ project: "p", fields }, new AbortController().signal, notices);
  const hooks = { approve: async () => true, watchers: [], around };
  const outcome = () => Promise.reject(new TypeError("unexpected"));
  await expect(library.apply(request(), { ...hooks, watchers: [{ outcome }] })).rejects.toThrow("unexpected");
  expect((await library.apply(request(), hooks)).plan.problems).toEqual([]);
  const reader = await library.connectReader({ url: server.url, token, concurrency: 2, requestTimeout: 60_000 });
  const records = await library.listDeployments(reader, "p", { order_by: "id" });
  expect(records.map(({ status }) => status)).toEqual(["failed", "success"]);
  await reader.close();
});

test("the stages can be taken one by one", async () => {
  const { policies, problems } = library.validate(library.load(root));
  expect(problems).toEqual([]);
  const [project] = library.projectsOf(policies, undefined).projects;
  if (!project) throw new Error("a project was to be found");
  const { desired } = library.desired(policies, project);
  const secrets = library.createSecrets({ env: { HOOK: "hook" }, root, plaintext: new Map() });
  const reader = await library.connectReader({
    url: server.url,
    token,
    concurrency: 2,
    requestTimeout: 60_000,
    secrets,
  });
  const live = await library.readLive(reader, desired);
  await reader.close();
  expect(live.map(({ kind, key }) => `${kind}/${key}`)).toEqual(["license/MIT"]);
  const { changes } = library.diff(desired, live, { alwaysSend: false, resend: () => false, target: () => true });
  expect(changes.map((change) => library.callOf(change).method)).toEqual(["PUT", "PATCH"]);
  expect(reader).not.toHaveProperty("send");
});

test("a server of a release or dialect that does not exist is not started", async () => {
  await expect(library.createServer({ release: "fifteen" })).rejects.toThrow('"fifteen" is no release such as 14.5');
  await expect(library.createServer({ dialect: "github" })).rejects.toThrow("unknown dialect github");
});

test("a replacement is two calls", async () => {
  const replaced = `webhooks: { https://a.example.com: { push_events: true } }`;
  writeFileSync(
    join(root, "policy.yaml"),
    `apiVersion: evenkeel/v1\nkind: Policy\nname: all\nprojects: [p]\n${replaced}\n`,
  );
  const { differences, catalogue } = await library.plan(request());
  const [change] = differences[0]?.changes ?? [];
  if (!change) throw new Error("a change was to be found");
  const { kind, key } = change;
  const again = {
    ...change,
    action: "replace",
    live: { kind, key, fields: {}, active: true, row: { id: 3 } },
  } as const;
  expect(library.callsOf(again, catalogue).map(({ method }) => method)).toEqual(["DELETE", "POST"]);
  expect(library.callOf(again, catalogue).method).toBe("DELETE");
});

test("a secret that a server shows is dropped on reading", async () => {
  const hook = { "chat-webhook-c": { webhook: "shown-CANARY" } };
  const open = await library.createServer({
    token,
    behaviour: "observed",
    seed: { projects: [{ path: "p", integrations: hook }] },
  });
  const { desired } = library.desired(library.validate(library.load(root)).policies, { name: "p", path: "p" });
  const reader = await library.connectReader({ url: open.url, token, concurrency: 2, requestTimeout: 60_000 });
  const { single } = library.catalogue().kinds.get("integration")?.read ?? {};
  const answer = single && (await reader.get(library.call(single, { id: "p", slug: "chat-webhook-c" })));
  expect(JSON.stringify(answer?.body)).toContain("CANARY");
  const live = await library.readLive(reader, desired);
  expect(live).toMatchObject([{ key: "chat-webhook-c", active: true, fields: {} }]);
  expect(JSON.stringify(live)).not.toContain("CANARY");
  await reader.close();
  await open.close();
});

test("it is found by its name, and importing it does nothing", () => {
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8"));
  expect(manifest.exports["."].default).toBe("./dist/index.js");
  expect(manifest.bin.evenkeel).toBe("dist/cli.js");
  expect(manifest.scripts["build:js"]).toMatch(/src\/cli\.ts src\/index\.ts .*--outdir=dist/);
  const home = join(root, "node_modules/evenkeel");
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "package.json"), JSON.stringify({ ...manifest, exports: { ".": "./built/index.js" } }));
  symlinkSync(inject("build"), join(home, "built"));
  const before = "const before = [process.listenerCount('SIGINT'), Object.keys(globalThis).length, process.exitCode];";
  const after = "const after = [process.listenerCount('SIGINT'), Object.keys(globalThis).length, process.exitCode];";
  const program =
    `${before} const { plan, apply, createServer } = await import("evenkeel"); ${after}` +
    "console.log(JSON.stringify([typeof plan, typeof apply, typeof createServer, String(before) === String(after)]));";
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: root,
    encoding: "utf8",
    stdio: "pipe",
  });
  expect(said).toBe('["function","function","function",true]\n');
});

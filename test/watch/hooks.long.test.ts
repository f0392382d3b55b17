import { createHmac } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { followedBranch } from "../../src/watch/checkout.ts";
import { newStatus } from "../../src/watch/options.ts";
import { serveWatch } from "../../src/watch/service.ts";
import { start } from "../e2e/program.ts";
import { repository } from "../revision/repository.ts";
import { parsePrometheus } from "../support/prometheus.ts";
import { stage } from "../support/stage.ts";
import { until } from "../support/until.ts";
import { minute, movedClock, watching } from "./watching.ts";

const secret = "CANARY-of-the-hook";
const policy = { projects: ["team/*"], integrations: { "external-wiki": { external_wiki_url: "https://a" } } };
const projects = [{ id: 1, path: "team/p", integrations: policy.integrations }];

const push = (modified: readonly string[], more: object = {}) =>
  JSON.stringify({
    ref: "refs/heads/main",
    after: "a".repeat(40),
    commits: [{ added: [], modified, removed: [] }],
    total_commits_count: 1,
    ...more,
  });
const signed = (body: string) => ({
  "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
});
const known = { "x-gitlab-token": secret };

/** Begins a push with a body that never ends; what it was answered, as soon as it was. */
function unending(
  url: string,
  headers: Readonly<Record<string, string | number>>,
  bytes = 0,
): () => number | undefined {
  let status: number | undefined;
  const sending = request(`${url}/hooks/push`, { method: "POST", headers }, (answer) => {
    status = answer.statusCode;
    answer.resume();
  });
  sending.on("error", () => {}).flushHeaders();
  if (bytes > 0) sending.write(Buffer.alloc(bytes));
  return () => status;
}

async function listening() {
  const place = await stage({ projects, policy, workspace: { manifests: ["*.yaml"] } });
  const clock = movedClock(minute);
  const status = { ...newStatus(), checked: () => "c".repeat(40) };
  const service = await serveWatch({
    ...{ port: 0, host: "127.0.0.1", secret, status, clock },
    metrics: () => "up 1",
    branch: () => followedBranch(place.root),
  });
  const post = async (body: string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(`${service.url}/hooks/push`, { method: "POST", body, headers });
    return { status: answer.status, ...((await answer.json()) as { check?: boolean; why?: string; error?: string }) };
  };
  return { ...place, ...service, post, status, clock, close: () => service[Symbol.asyncDispose]() };
}

describe("POST /hooks/push", () => {
  test("wants its secret: said, or signed with", async () => {
    const { post, close, status } = await listening();
    const body = push(["all.yaml"]);
    expect(await post(body, known)).toMatchObject({ status: 202, check: true });
    expect(await post(body, signed(body))).toMatchObject({ status: 202, check: true });
    status.push = undefined;
    for (const headers of [
      {},
      { "x-gitlab-token": "" },
      { "x-gitlab-token": `${secret}x` },
      { "x-hub-signature-256": "sha256=00" },
      signed(`${body} `),
    ])
      expect(await post(body, headers)).toEqual({ status: 401, error: "wrong or missing secret" });
    expect(status.push).toBeUndefined();
    await close();
  });

  test("without EVENKEEL_HOOK_SECRET is refused, and the rest is there", async () => {
    const place = await stage({ projects, policy });
    const program = start(["watch", "--hooks", "0"], place.root, place.environment);
    await until(() => program.said().includes("in sync"));
    const [, url = ""] = /listening on (\S+)/.exec(program.said()) ?? [];
    expect((await fetch(`${url}/hooks/push`, { method: "POST", headers: known })).status).toBe(403);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    program.kill("SIGTERM");
    expect(await program.ended).toMatchObject({ code: 0, stderr: expect.stringContaining("EVENKEEL_HOOK_SECRET") });
  });

  test.each([
    [push(["all.yaml"]), true],
    [push(["README.md"], { commits: [] }), true],
    [push(["all.yaml"], { ref: "refs/heads/topic" }), false],
    [push(["all.yaml"], { ref: "refs/tags/v1" }), false],
    [push(["all.yaml"], { after: "c".repeat(40) }), false],
    ["not JSON", true],
    ["[]", true],
  ])("%s: check? %j", async (body, check) => {
    const place = await listening();
    repository(place.root).commit();
    expect(await place.post(body, known)).toMatchObject({ status: 202, check });
    expect(place.status.push !== undefined).toBe(check);
    await place.close();
  });

  test("of strangers take up little memory: large bodies are refused, and a small one gets through", async () => {
    const { post, url, close } = await listening();
    const megabyte = 2 ** 20;
    const tooLarge = unending(url, { ...known, "content-length": 2 * megabyte });
    const unread = unending(url, { "x-gitlab-token": "wrong", "content-length": megabyte });
    const large = unending(url, signed("x"), 2 * megabyte);
    await expect.poll(() => [tooLarge(), unread(), large()]).toEqual([413, 401, 413]);
    const body = push(["all.yaml"]);
    expect(await post(body, signed(body))).toMatchObject({ status: 202, check: true });
    await close();
  });

  test("other events are none, and other paths and methods say what is expected", async () => {
    const { post, url, close } = await listening();
    expect(await post(push(["all.yaml"]), { ...known, "x-gitlab-event": "Issue Hook" })).toMatchObject({
      check: false,
    });
    expect(await post(push(["all.yaml"]), { ...known, "x-gitlab-event": "Push Hook" })).toMatchObject({ check: true });
    expect(await post("{}", { ...known, "x-gitlab-event": "System Hook" })).toMatchObject({ check: false });
    expect(await post("x", { ...signed("x"), "x-github-event": "ping" })).toMatchObject({ check: false });
    expect((await fetch(`${url}/hooks/push`)).status).toBe(404);
    expect(await (await fetch(`${url}/hooks`)).json()).toEqual({
      error: "expected GET /healthz, GET /metrics or POST /hooks/push",
    });
    await close();
  });

  test("wakes the watcher, once for pushes that come together, and not for its own commit", async () => {
    const place = await stage({ projects, policy });
    const commit = repository(place.root).commit();
    const clock = movedClock(minute);
    const one = watching(place, { clock });
    await expect.poll(() => one.ends.length).toBe(1);
    const arrive = (commit?: string) => {
      one.status.push = { at: one.status.push?.at ?? clock.now() + 1000, ...(commit && { commit }) };
      one.status.wake();
    };
    for (const _ of [1, 2, 3]) arrive();
    clock.move(minute);
    await expect.poll(() => one.ends.length).toBe(2);
    arrive(commit);
    clock.move(minute);
    await expect.poll(() => one.status.push).toBeUndefined();
    expect(one.ends.map(({ whole }) => whole)).toEqual([true, true, true].slice(0, one.ends.length));
    one.stop();
    await one.ended;
  });
});

describe("GET /healthz and /metrics", () => {
  test.each([
    ["say nothing", ""],
    ["send headers without an end", "GET /healthz HTTP/1.1\r\nHost: x\r\n"],
    [
      "send a body without an end",
      "POST /hooks/push HTTP/1.1\r\nHost: x\r\nX-Hub-Signature-256: sha256=0\r\nContent-Length: 9\r\n\r\n",
    ],
  ])("are answered while 600 connections %s", async (_, text) => {
    const { url, close, post } = await listening();
    const { port } = new URL(url);
    const strangers = await Promise.all(
      Array.from({ length: 600 }, async () => {
        const socket = connect(Number(port), "127.0.0.1").on("error", () => {});
        await once(socket, "connect");
        socket.write(text);
        return socket;
      }),
    );
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await post(push(["all.yaml"]), known)).toMatchObject({ status: 202, check: true });
    for (const socket of strangers) socket.destroy();
    await close();
  });

  test("tell how a watcher fares", async () => {
    const place = await listening();
    const health = async () => {
      const answer = await fetch(`${place.url}/healthz`);
      return [answer.status, ((await answer.json()) as { status: string }).status];
    };
    expect(await health()).toEqual([200, "starting"]);
    place.status.late = place.clock.now() + 1;
    expect(await health()).toEqual([200, "watching"]);
    place.status.late = place.clock.now() - 1;
    expect(await health()).toEqual([503, "overdue"]);
    place.status.standby = { run: "r1", who: "ada", host: "desk", pid: 1, fence: 1, since: "now", deadline: "later" };
    expect(await health()).toEqual([200, "standby"]);
    await place.close();
  });

  test("say what --report prometheus says, and of the checks themselves", async () => {
    const place = await stage({ projects, policy: { ...policy, licenses: { MIT: "allowed" } } });
    const program = start(["watch", "--hooks", "0", "--every", "1h"], place.root, {
      ...place.environment,
      EVENKEEL_HOOK_SECRET: secret,
    });
    await until(() => program.said().includes("drift"));
    const [, url = ""] = /listening on (http:\/\/127\.0\.0\.1:\d+)\n/.exec(program.said()) ?? [];
    const text = await (await fetch(`${url}/metrics`)).text();
    const found = new Map(parsePrometheus(text).map(({ name, metrics }) => [name, metrics]));
    expect(found.get("evenkeel_watch_checks_total")).toMatchObject([{ value: "1", labels: { outcome: "drift" } }]);
    expect(found.get("evenkeel_watch_overdue")).toMatchObject([{ value: "0" }]);
    expect(found.get("evenkeel_run_exit_code")).toMatchObject([{ value: "2" }]);
    expect([...found.keys()]).toContain("evenkeel_drift_resources");
    expect(Number(found.get("evenkeel_watch_last_check_age_seconds")?.[0]?.value)).toBeGreaterThanOrEqual(0);
    const headers = { "x-gitlab-token": secret };
    expect((await fetch(`${url}/hooks/push`, { method: "POST", headers, body: push(["all.yaml"]) })).status).toBe(202);
    await until(() => program.said().split("drift").length > 2);
    program.kill("SIGINT");
    const { code, stdout, stderr } = await program.ended;
    expect(code).toBe(0);
    expect(stdout + stderr + text).not.toContain(secret);
  });
});

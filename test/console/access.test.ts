import { rmSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { projectHref } from "../../src/base/console-paths.ts";
import { withoutTrailing } from "../../src/base/text-format.ts";
import type { Cause } from "../../src/model/types.ts";
import { listRuns, recordRun } from "../../src/state/run-summary.ts";
import { fleetIndex } from "../../src/state/snapshots/read-snapshots.ts";
import { summary, taken } from "../state/laws.ts";
import { until } from "../support/until.ts";
import { consoleOver, drifted, fleet, seen, seenBy } from "./serving.ts";

const token = "console-token-CANARY";

function statusFor(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { host } }, ({ statusCode }) => resolve(statusCode))
      .once("error", reject)
      .end();
  });
}

describe("paths", () => {
  test("of projects lead to each, also where one ends like a form of another's page", async () => {
    const names = ["g/p", "g/p.json", "g/p.csv", "g/p.json.json", "g/p%2Ejson", "g/a b", "g/ü.csv"];
    const { root } = await seenBy(names.map((name) => seen(name)));
    const { get } = await consoleOver(root);
    for (const name of names) {
      const at = projectHref(name);
      expect(await (await get(at)).text()).toContain(`<title>${name}`);
      expect(await (await get(`${at}.json`)).json()).toMatchObject({ project: name });
    }
    expect(await (await get("/projects/g/p.json")).json()).toMatchObject({ project: "g/p" });
    expect(await (await get("/projects/g%2Fp.json")).json()).toMatchObject({ project: "g/p" });
  });

  test("of many slashes are answered like others", async () => {
    const { root } = await seenBy(fleet(1));
    const { get } = await consoleOver(root);
    for (const path of [
      `/${"/".repeat(15_000)}`,
      `/projects${"/".repeat(15_000)}x`,
      `/projects/x${"/".repeat(15_000)}`,
    ])
      expect([200, 404]).toContain((await get(path)).status);
    expect(withoutTrailing(`x${"/".repeat(1_000_000)}x//`, "/")).toHaveLength(1_000_002);
  });
});

describe("who may look", () => {
  test("on loopback everybody, but not a page elsewhere whose name leads here", async () => {
    const { root } = await seenBy(fleet(3));
    const { url, get } = await consoleOver(root);
    expect(await statusFor(url, "evil.example.com")).toBe(421);
    for (const host of ["localhost:1234", "127.0.0.1", "[::1]:8090"]) expect(await statusFor(url, host)).toBe(200);
    for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
      const answer = await get("/", { method });
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    }
    const head = await get("/", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(Object.fromEntries(head.headers)).toMatchObject({
      "content-security-policy": expect.stringMatching(/^default-src 'none'(?!.*unsafe).*frame-ancestors 'none'/),
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    });
  });

  test("with a token, as a bearer token or as a password; others are told nothing", async () => {
    const { root } = await seenBy(fleet(3));
    const { get } = await consoleOver(root, { by: "token", token });
    for (const path of ["/", "/fleet.json", "/runs", "/review", "/nowhere"]) {
      const answer = await get(path);
      expect([path, answer.status]).toEqual([path, 401]);
      expect(await answer.text()).not.toContain("group-0");
    }
    const statusWith = async (authorization: string) => (await get("/", { headers: { authorization } })).status;
    const basic = (pair: string) => `Basic ${Buffer.from(pair).toString("base64")}`;
    for (const right of [`Bearer ${token}`, `bearer ${token}`, basic(`ada:${token}`), basic(`:${token}`)])
      expect([right, await statusWith(right)]).toEqual([right, 200]);
    for (const wrong of ["Bearer wrong", "Bearer", token, basic(`ada:${token}x`), basic(`${token}:`), "Basic %"])
      expect([wrong, await statusWith(wrong)]).toEqual([wrong, 401]);
    expect((await get("/")).headers.get("www-authenticate")).toMatch(/^Basic /);
    expect(await (await get("/fleet.json")).json()).toEqual({ error: expect.stringContaining("Bearer") });
  });

  test("behind a proxy, whom it names", async () => {
    const { root } = await seenBy(fleet(3));
    const { url, get } = await consoleOver(root, { by: "header", header: "x-forwarded-user" });
    expect((await get("/")).status).toBe(401);
    expect((await get("/", { headers: { "x-forwarded-user": "ada" } })).status).toBe(200);
    expect(await statusFor(url, "console.example.com")).toBe(401);
  });
});

describe("what is there", () => {
  test("each page as JSON, by either spelling of a path; what is not there is a page too", async () => {
    const { root, state } = await seenBy(fleet(3), 2);
    const { get, errors } = await consoleOver(root);
    const [{ run = "" } = {}] = await listRuns(state);
    const json = async (path: string) => (await get(path)).json();
    expect(await json("/fleet.json")).toMatchObject({ total: 3, counts: { "in sync": 2, drifted: 1 } });
    expect(await json("/.json")).toMatchObject({ total: 3 });
    expect(await json("/fleet.json?status=drifted&group=group-1")).toMatchObject({ total: 1 });
    expect(await json("/fleet.json?resource=integration/irc-gateway&policy=nobody")).toMatchObject({ total: 0 });
    expect(await json("/fleet.json?resource=license/MIT&age=24")).toMatchObject({ total: 0 });
    for (const path of ["/projects/group-1/team-1/project-1", "/projects/GROUP-1%2Fteam-1%2Fproject-1"]) {
      expect(await json(`${path}.json`)).toMatchObject({ status: "drifted", differences: [{ cause: "drift" }] });
    }
    expect(await json(`/runs/${run}.json`)).toMatchObject({ run, command: "drift", plan: null });
    expect(await json("/runs.json?command=drift")).toMatchObject({ total: 2 });
    expect(await json("/review.json")).toMatchObject({ total: 0 });
    expect(await json("/search.json?q=irc-gate")).toMatchObject({ found: [{ sort: "integration" }] });
    for (const [path, error] of [
      ["/projects/a/b", "No run has recorded a project a/b."],
      ["/nowhere", "No page /nowhere."],
      ["/projects/%ff", "The URL is not valid."],
    ]) {
      const missing = await get(`${path}.json`);
      expect([missing.status, await missing.json()]).toEqual([404, { error }]);
    }
    for (const path of ["/nowhere", "/projects/a/b", "/runs/x", "/runs/x/plan", "/assets/x", "/projects/%ff"]) {
      const answer = await get(path);
      expect([path, answer.status, answer.headers.get("content-type")]).toEqual([
        path,
        404,
        "text/html; charset=UTF-8",
      ]);
    }
    expect(errors).toEqual([]);
  });

  test("a group says how many of its projects stand how; what only waits does not look like drift", async () => {
    const differing = (project: string, cause: Cause) => seen(project, [{ ...drifted(project), cause }]);
    const waiting = ["a", "b", "c"].map((name) => differing(`waits/${name}`, "pending"));
    const moved = [differing("moved/a", "drift"), differing("moved/b", "pending")];
    const { root } = await seenBy([...waiting, ...moved, seen("fine/a")]);
    const { get } = await consoleOver(root);
    const page = await (await get("/")).text();
    const cells = page.matchAll(/<a class="cell[^"]*"[^>]*><b>(.*?)<\/b><span[^>]*>(.*?)<\/span>(.*?)<\/a>/g);
    const pieces = (bar = "") => [...bar.matchAll(/class="piece (\w+)" d="M(\d+) 0H(\d+)/g)].map(([, ...each]) => each);
    expect([...cells].map(([, name, counts, bar]) => [name, counts, pieces(bar)])).toEqual([
      [
        "moved",
        "1 drifted, 1 pending of 2",
        [
          ["drifted", "0", "50"],
          ["pending", "50", "100"],
        ],
      ],
      ["waits", "3 pending of 3", [["pending", "0", "100"]]],
      ["fine", "1 in sync", []],
    ]);
  });

  test("a run that goes on tells how far it is, until it has ended", async () => {
    const { root, state } = await seenBy(fleet(3));
    const token = await taken(state, "r1");
    const progress = { at: "2026-11-22T08:00:00.000Z", stage: "writing", done: 3, total: 9 } as const;
    const going = summary("r1", { ended: null, outcome: null, progress });
    await recordRun(state, going);
    const { get } = await consoleOver(root);
    expect(await (await get("/runs/r1")).text()).toContain("writing, 3 of 9 projects");
    const progressOf = async () =>
      ((await (await get("/runs/r1.json")).json()) as { readonly progress: object | null }).progress;
    expect(await progressOf()).toMatchObject({ done: 3, total: 9 });
    await recordRun(state, summary("r1"));
    await state.leases("apply").release(token.run, token.fence);
    expect(await until(async () => ((await progressOf()) === null ? "ended" : undefined))).toBe("ended");
  });

  test("a state that goes away leaves what was last known, and that is said", async () => {
    const { root } = await seenBy(fleet(3));
    const { get } = await consoleOver(root);
    expect(await (await get("/")).text()).toContain("1 of 3 projects not in sync");
    rmSync(join(root, ".evenkeel"), { recursive: true });
    await new Promise((resolve) => setTimeout(resolve, 2100));
    await get("/");
    const page = await (await get("/")).text();
    expect(page).toContain("Showing the last known state");
    expect(page).toContain("1 of 3 projects not in sync");
    const [known] = fleet(3);
    const away = await get(`/projects/${known?.project.name}`);
    expect([away.status, await away.text()]).toEqual([503, expect.stringContaining("the state is gone")]);
  });

  test("a state of a later version is told, not misread", async () => {
    const { root, state } = await seenBy(fleet(3));
    await state.put("snapshots", [[fleetIndex, '{"format":99}']]);
    const { get } = await consoleOver(root);
    expect(await (await get("/")).text()).toContain("format 99, and this version of evenkeel knows 2");
  });
});

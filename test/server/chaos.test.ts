import { expect, test } from "vitest";
import type { ChaosRule } from "../../src/server/chaos.ts";
import type { Seed } from "../../src/server/seed.ts";
import { until } from "../support/until.ts";
import { serving } from "./serving.ts";

const seed: Seed = { projects: [{ id: 1, path: "a/b" }] };
const path = "/projects/1/managed_licenses";
const license = { form: { name: "MIT", approval_status: "allowed" } };

function under(...chaos: ChaosRule[]) {
  return serving({ seed, chaos });
}

test("429 comes as plain text with the headers of a rate limit, as often as was said", async () => {
  const { ask } = await under({ match: "*/managed_licenses", method: "GET", status: 429, times: 1, retry_after: 3 });
  const { status, text, headers } = await ask("GET", path);
  expect([status, text.trim(), headers.get("retry-after")]).toEqual([429, "Retry later", "3"]);
  for (const name of ["name", "limit", "observed", "remaining", "reset", "resettime"]) {
    expect(headers.has(`ratelimit-${name}`)).toBe(true);
  }
  expect((await ask("GET", path)).status).toBe(200);
});

test.each([
  [409, { message: "409 Conflict: Resource lock" }],
  [500, { message: "500 Internal Server Error" }],
  [418, { message: "418 Injected fault" }],
])("%i in JSON", async (status, body) => {
  const { ask } = await under({ status });
  const answered = await ask("GET", path);
  expect([answered.status, answered.json]).toEqual([status, body]);
});

test("a gateway's page is HTML", async () => {
  const { ask } = await under({ match: "*licenses", status: 502, times: 1 }, { html: true, status: 200 });
  const gateway = await ask("GET", path);
  expect([gateway.status, gateway.headers.get("content-type")]).toEqual([502, "text/html"]);
  const page = await ask("GET", path);
  expect([page.status, page.text]).toEqual([200, expect.stringContaining("<html>")]);
});

test("a reset and a cut body break the answer, and the server did not act unless it was told to", async () => {
  const { ask } = await under(
    { method: "POST", reset: true, times: 1 },
    { method: "POST", truncate: true, acted: true, times: 1 },
  );
  await expect(ask("POST", path, license)).rejects.toThrow();
  expect((await ask("GET", path)).json).toEqual([]);
  await expect(ask("POST", path, license)).rejects.toThrow();
  expect((await ask("GET", path)).json).toHaveLength(1);
});

test("a request that is left hanging ends with the server, and so does a slow one", async () => {
  const { server, ask } = await under({ hang: true });
  const hanging = ask("GET", path).catch(() => "ended");
  await until(() => server.requests.total > 0);
  await server.close();
  expect(await hanging).toBe("ended");
});

test("skip lets some through first; a share is hit by the same sequence each time", async () => {
  const statuses = async (rule: ChaosRule) => {
    const { ask } = await under(rule);
    const all: number[] = [];
    for (let count = 0; count < 20; count++) all.push((await ask("GET", path)).status);
    return all;
  };
  expect((await statuses({ status: 503, skip: 2, times: 1 })).slice(0, 4)).toEqual([200, 200, 503, 200]);
  const first = await statuses({ status: 503, probability: 0.5, seed: 7 });
  expect(new Set(first)).toEqual(new Set([200, 503]));
  expect(await statuses({ status: 503, probability: 0.5, seed: 7 })).toEqual(first);
});

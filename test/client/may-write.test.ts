import { expect, test } from "vitest";
import { call } from "../../src/model/call.ts";
import { licenseCalls } from "./kind-calls.ts";
import { serve, writer } from "./scripted.ts";

test("a write is asked for right before each attempt, and a read never", async () => {
  let lost: string | undefined;
  const site = await serve(({ method }) => {
    if (method === "GET") return { body: [] };
    lost = "the lease was lost";
    return { status: 503, body: {} };
  });
  const client = await writer(site.url, { mayWrite: () => lost });
  const change = call(licenseCalls.update, { id: "p", "row.id": "7" }, { approval_status: "denied" });
  await expect(client.send(change)).rejects.toThrow("answered 503");
  await expect(client.send(change)).rejects.toThrow("was not sent: the lease was lost");
  expect(site.seen.map(({ method }) => method)).toEqual(["PATCH"]);
  expect(await client.list(call(licenseCalls.list, { id: "p" }))).toEqual([]);
});

test("a stopped run finishes what it began, and begins nothing", async () => {
  const stop = new AbortController();
  const site = await serve(({ method }) => {
    if (method === "DELETE") stop.abort("interrupted");
    return method === "POST"
      ? { status: 201, body: { id: 8, name: "MIT", approval_status: "denied" } }
      : { status: 204 };
  });
  const client = await writer(site.url, { signal: stop.signal });
  const creation = { method: "POST", path: "/projects/p/managed_licenses", parameters: { name: "MIT" } } as const;
  await client.send({ method: "DELETE", path: "/projects/p/managed_licenses/7" });
  await expect(client.send(creation)).rejects.toThrow("was not sent: interrupted");
  expect(await client.send({ ...creation, finishes: true })).toMatchObject({ status: 201 });
});

test("a stopped run sends what finishes it once", async () => {
  const stop = new AbortController();
  const site = await serve(() => {
    stop.abort("interrupted");
    return { status: 503 };
  });
  const client = await writer(site.url, { signal: stop.signal });
  const settled = await client.settle({ method: "PUT", path: "/projects/p/managed_licenses/7", finishes: true });
  expect(settled).toMatchObject({ failure: { status: 503 } });
  expect(site.seen).toHaveLength(1);
});

test.each([
  ["/groups/g", "404 Group Not Found", false],
  ["/projects/p", "404 Project Not Found", false],
  ["/projects/p", "404 Group Not Found", true],
  ["/groups/g", "404 Not found", true],
])("a DELETE below %s that is answered %j is done: %s", async (owner, message, isDone) => {
  const site = await serve([{ status: 404, body: { message } }]);
  const settled = await (await writer(site.url)).settle({ method: "DELETE", path: `${owner}/hooks/7` });
  expect("found" in settled).toBe(isDone);
});

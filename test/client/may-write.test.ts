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

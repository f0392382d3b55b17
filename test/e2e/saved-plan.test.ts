import { expect, test } from "vitest";
import { scripted } from "./workspace.ts";

test("a target whose values moved is stale also where updated_at stands still", async () => {
  let url = "https://old";
  const row = { id: 1, slug: "external-wiki", active: true, updated_at: "2026-01-01T00:00:00Z" };
  const { run, server } = await scripted(
    ({ path }) => ({
      body: path.endsWith("/integrations") ? [row] : { ...row, properties: { external_wiki_url: url } },
    }),
    { policy: { projects: ["p"], integrations: { "external-wiki": { external_wiki_url: "https://new" } } } },
  );
  await run("plan", "--out", "plan.json");
  url = "https://mine";
  expect((await run("apply", "plan.json")).code).toBe(4);
  expect(server.seen.filter(({ method }) => method !== "GET")).toEqual([]);
});

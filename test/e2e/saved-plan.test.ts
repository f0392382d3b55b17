import { expect, test } from "vitest";
import { serve } from "../client/scripted.ts";
import { folder } from "../support/folder.ts";
import { runProgram } from "./program.ts";
import { policyText, token, workspaceText } from "./workspace.ts";

test("a target whose values moved is stale also where updated_at stands still", async () => {
  let url = "https://old";
  const row = { id: 1, slug: "external-wiki", active: true, updated_at: "2026-01-01T00:00:00Z" };
  const site = await serve(({ path }) => {
    return { body: path.endsWith("/integrations") ? [row] : { ...row, properties: { external_wiki_url: url } } };
  });
  const files = folder({
    "evenkeel.yaml": workspaceText({ url: site.url }),
    "all.yaml": policyText({
      projects: ["p"],
      integrations: { "external-wiki": { external_wiki_url: "https://new" } },
    }),
  });
  const run = (...args: string[]) => runProgram(args, files.root, { EVENKEEL_TOKEN: token });
  await run("plan", "--out", "plan.json");
  url = "https://mine";
  expect((await run("apply", "plan.json")).code).toBe(4);
  expect(site.seen.filter(({ method }) => method !== "GET")).toEqual([]);
});

import { describe, expect, test } from "vitest";
import { serve } from "../client/scripted.ts";
import { folder } from "../support/folder.ts";
import { runProgram } from "./program.ts";
import { policyText, token, workspaceText } from "./workspace.ts";

const licenses = { projects: ["p"], licenses: { MIT: "allowed" } };

describe("what cannot be read of a project keeps nothing else from being planned", () => {
  const wiki = { "external-wiki": { external_wiki_url: "https://wiki.example.com" } };

  test("and a saved plan fails what cannot be read any more, which is not stale", async () => {
    let broken = false;
    const [old, now] = ["https://old.example.com", "https://wiki.example.com"];
    const site = await serve(({ method, path }) => {
      if (path.includes("managed_licenses")) return broken ? { status: 403, body: {} } : { body: [] };
      const row = {
        id: 1,
        slug: "external-wiki",
        active: true,
        properties: { external_wiki_url: method === "PUT" ? now : old },
      };
      return { body: path.includes("/external-wiki") ? row : [row] };
    });
    const files = folder({
      "evenkeel.yaml": workspaceText({ url: site.url }),
      "all.yaml": policyText({ projects: ["p"], integrations: wiki, licenses: { MIT: "allowed" } }),
    });
    const run = (...args: string[]) => runProgram(args, files.root, { EVENKEEL_TOKEN: token });
    expect((await run("plan", "--out", "plan.json")).code).toBe(0);
    broken = true;
    const applied = await run("apply", "plan.json");
    expect(applied.code).toBe(1);
    expect(applied.stdout).toMatch(/failed p:license\/MIT: GET .*answered 403/);
    expect(applied.stdout).not.toContain("stale");
  });
});

test("fields and slugs that nobody has heard of are tolerated", async () => {
  const row = { id: 1, slug: "from-the-future", active: true, novelty: { deep: [1] } };
  const site = await serve(({ path }) => ({
    body: path.endsWith("/integrations") ? [row] : [{ id: 9, name: "MIT", approval_status: "allowed", more: null }],
  }));
  const files = folder({
    "evenkeel.yaml": workspaceText({ url: site.url }),
    "all.yaml": policyText({ ...licenses, exclusive: ["integrations", "licenses"] }),
  });
  const ran = await runProgram(["drift"], files.root, { EVENKEEL_TOKEN: token });
  expect(ran.code).toBe(0);
  expect(ran.stderr).toMatch(/warning: .*from-the-future is not in the catalogue/);
  expect(ran.stdout).toContain("1 unmanaged");
});

import { describe, expect, test } from "vitest";
import { outcomes, type Setting, scene, told } from "./workspace.ts";

const observed = { dialect: "gitlab", release: "17.9", behaviour: "observed" } as const;
const site = { dialect: "gitlab", release: "17.9" };
const wiki = (url: string) => ({ "external-wiki": { external_wiki_url: url } });
const seed: NonNullable<Setting["seed"]> = {
  projects: [
    { id: 1, path: "payments/api" },
    { id: 2, path: "payments/services/ledger", integrations: wiki("https://own") },
    { id: 3, path: "left/alone" },
  ],
  groups: [{ id: 1, path: "payments", integrations: { irker: { recipients: "#old" } } }, { path: "empty" }],
  tokens: [
    { token: "maintains", role: "maintainer" },
    { token: "develops", role: "developer" },
  ],
};
const policies = {
  groups: {
    groups: [1, "payments/**"],
    integrations: wiki("https://wiki/${group.path}"),
  },
  old: { groups: ["payments"], disabled: ["irker"] },
};

describe("integrations of groups", () => {
  test("are planned, applied, and then in sync", async () => {
    const { evenkeel, ask } = await scene({ ...observed, site, seed, policies });
    const planned = await evenkeel("plan", "--report", "json");
    expect(planned.stderr).toBe("");
    expect(told(planned.plan())).toEqual([
      "create payments/:integration/external-wiki",
      "disable payments/:integration/irker",
      "create payments/services/:integration/external-wiki",
    ]);
    expect(planned.plan().resource_changes[0]).toMatchObject({
      project: "payments/",
      project_id: 1,
      kind: "integration",
    });
    expect(planned.requests).toEqual([
      "GET /groups?per_page=100&order_by=id&sort=asc&pagination=keyset",
      "GET /groups/payments/integrations",
      "GET /groups/payments/services/integrations",
    ]);
    const applied = await evenkeel("apply", "--yes", "--allow-deletes", "1", "--report", "json");
    expect(outcomes(applied.plan())).toEqual([
      "applied payments/:integration/external-wiki",
      "applied payments/:integration/irker",
      "applied payments/services/:integration/external-wiki",
    ]);
    const shown = (await ask("GET", "/projects/1/integrations/external-wiki")).json;
    expect([shown.inherited, shown.properties.external_wiki_url]).toEqual([true, "https://wiki/payments"]);
    expect((await evenkeel("plan", "--detailed-exitcode")).code).toBe(0);
  });
});

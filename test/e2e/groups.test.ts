import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { type Setting, scene, told } from "./workspace.ts";

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

function git(root: string): void {
  const run = (...args: string[]) => execFileSync("git", args, { cwd: root, stdio: "ignore" });
  run("init", "-q");
  run("add", ".");
  run("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "first");
}

describe("integrations of groups", () => {
  test("are compared between revisions, with the groups that the last plan listed and without", async () => {
    const { evenkeel, policy, root } = await scene({ ...observed, site, seed, policies });
    git(root);
    policy({ ...policies.groups, integrations: wiki("https://new/${group.path}") }, "groups");
    const blind = await evenkeel("diff", "HEAD", "--report", "json");
    expect(JSON.parse(blind.stdout).changes.map(({ address }: { address: string }) => address)).toEqual([
      "1/:integration/external-wiki",
      "payments/**/:integration/external-wiki",
      "payments/:integration/external-wiki",
    ]);
    await evenkeel("plan");
    const known = await evenkeel("diff", "HEAD", "--report", "json");
    expect(
      JSON.parse(known.stdout).changes.map(({ address, kind }: { address: string; kind: string }) => [address, kind]),
    ).toEqual([
      ["payments/:integration/external-wiki", "integration"],
      ["payments/services/:integration/external-wiki", "integration"],
    ]);
    const since = await evenkeel("plan", "--since", "HEAD", "--report", "json");
    expect(told(since.plan())).toEqual([
      "create payments/:integration/external-wiki",
      "disable payments/:integration/irker",
      "create payments/services/:integration/external-wiki",
    ]);
  });
});

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scene } from "./workspace.ts";

const server = { dialect: "gitlab", release: "17.9", behaviour: "observed", tier: "ultimate" } as const;
const site = { dialect: "gitlab", release: "17.9", tier: "ultimate" };
const seed = {
  groups: [
    { id: 42, path: "payments" },
    { id: 7, path: "42" },
  ],
};

const digits = { groups: ["4*"], labels: { bug: { color: "#cc0000" } } };

test("a group whose path is digits is named by its ID, because the path is the ID of another group", async () => {
  const { evenkeel, ask, root } = await scene({ ...server, site, seed, policy: digits });
  expect(await evenkeel("plan", "--out", "plan.json")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("\n7/\n"),
  });
  expect(await evenkeel("apply", "plan.json")).toMatchObject({ code: 0 });
  expect((await ask("GET", "/groups/42/labels")).json).toEqual([]);
  expect((await ask("GET", "/groups/7/labels")).json).toMatchObject([{ name: "bug" }]);
  expect(await evenkeel("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
  rmSync(join(root, "all.yaml"));
  const imported = await evenkeel("import", "--group", "4*/", "--kinds", "labels");
  expect(imported).toMatchObject({ code: 0 });
  expect(readFileSync(join(root, "policies/7.yaml"), "utf8")).toContain("groups: [7]");
  expect(await evenkeel("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
});

import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { kinds } from "../kinds/kinds.ts";
import { declaredSection, kindCanary, kindSecrets, people } from "../laws/kind-values.ts";
import { type Setting, scene } from "./workspace.ts";

const observed = { dialect: "gitlab", release: "19.9", behaviour: "observed", tier: "ultimate" } as const;
const site = { dialect: "gitlab", release: "19.9", tier: "ultimate" };
const seed: NonNullable<Setting["seed"]> = {
  projects: [{ id: 40, path: "payments/api" }],
  groups: [
    { id: 61, path: "payments" },
    { id: 62, path: "payments/services" },
    { id: 63, path: "web" },
    { id: 64, path: "web/one" },
    { id: 65, path: "web/two" },
  ],
  users: Object.entries(people).map(([id, username]) => ({ id: Number(id), username })),
};
const setting = { ...observed, site, seed, secrets: kindSecrets };
const isDeclared = (section: object) => Object.keys(section).length > 0;
const ofGroups = [...kinds].filter(([, { of, under }]) => of === "group" && under === undefined);

describe.each(ofGroups)("%s", (_, kind) => {
  test.each(fc.sample(declaredSection(kind).filter(isDeclared), { seed: 11, numRuns: 2 }))(
    "what was imported plans as empty: %j",
    async (section) => {
      const policy = { groups: ["payments"], [kind.name]: section };
      const { evenkeel, root } = await scene({ ...setting, policy } as never);
      expect(await evenkeel("apply", "--yes")).toMatchObject({ code: 0 });
      rmSync(join(root, "all.yaml"));
      const imported = await evenkeel("import", "payments/", "--kinds", kind.name);
      expect(imported).toMatchObject({ code: 0, stderr: "" });
      const file = join(root, "policies/payments.yaml");
      const text = existsSync(file) ? readFileSync(file, "utf8") : "";
      if (kind.key !== undefined && Object.keys(section).length > 0) expect(text).toContain(`${kind.name}:`);
      expect(text + imported.stdout).not.toContain(kindCanary);
      expect(await evenkeel("fmt", "--check")).toMatchObject({ code: 0 });
      expect((await evenkeel("plan", "--report", "json")).plan()).toMatchObject({ resource_changes: [], problems: [] });
    },
  );
});

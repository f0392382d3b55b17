import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { kinds } from "../kinds/kinds.ts";
import { lawfulKinds } from "../laws/kind-laws.ts";
import { circles, declaredSection, kindCanary, kindSecrets, people } from "../laws/kind-values.ts";
import { stage } from "../support/stage.ts";

const seed = {
  projects: [
    { id: 40, path: "payments/api", default_branch: "main" },
    { id: 41, path: "payments/web" },
    { id: 42, path: "solo/x" },
  ],
  groups: Object.entries(circles).map(([id, path]) => ({ id: Number(id), path })),
  users: Object.entries(people).map(([id, username]) => ({ id: Number(id), username })),
};
const setting = { seed, release: "19.9", tier: "ultimate", site: { release: "19.9", tier: "ultimate" } } as const;

/** Bundled kinds of projects and of groups alone; those of a workspace are in cases/commands/own-kinds. */
const imported = lawfulKinds.flatMap(([file, kind]) => {
  const { of, key, calls } = kind;
  if (!kinds.has(file) || of === "instance" || (key !== undefined && !calls.create)) return [];
  const [owner, name] = of === "group" ? (["groups", "payments"] as const) : (["projects", "payments/api"] as const);
  const sections = fc.sample(declaredSection(kind), { seed: 7, numRuns: 2 });
  return sections.map((section, index) => ({ kind, owner, name, section, title: `${file} ${index}` }));
});

test.each(imported)("what was imported plans as empty: $title", async ({ kind, owner, name, section }) => {
  const policy = { [owner]: [name], [kind.name]: section };
  const { evenkeel, root, files } = await stage({ ...setting, secrets: kindSecrets, policy } as never);
  expect(await evenkeel("apply", "--yes")).toMatchObject({ code: 0 });
  rmSync(join(root, "all.yaml"));
  const ran = await evenkeel("import", owner === "groups" ? `${name}/` : name, "--kinds", kind.name);
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  const text = files()[`policies/${name}.yaml`] ?? "";
  if (kind.key !== undefined && Object.keys(section).length > 0) expect(text).toContain(`${kind.name}:`);
  expect(text + ran.stdout).not.toContain(kindCanary);
  for (const command of [["validate"], ["fmt", "--check"]])
    expect(await evenkeel(...command)).toMatchObject({ code: 0 });
  const planned = (await evenkeel("plan", "--report", "json")).plan();
  expect(planned).toMatchObject({ resource_changes: [], problems: [] });
});

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

const shared = {
  everyone: {
    groups: ["**"],
    badges: { all: { link_url: "https://all.example.com", image_url: "https://b.example.com" } },
  },
  below: {
    groups: ["payments/**"],
    badges: { ci: { link_url: "https://ci.example.com", image_url: "https://ci.example.com/b.svg" } },
  },
  each: {
    groups: ["web/*"],
    badges: { ci: { link_url: "https://ci.example.com/${group.path}", image_url: "https://ci.example.com/b.svg" } },
  },
  top: {
    groups: ["payments"],
    integrations: { slack: { webhook: { secret: "env:KIND_B" }, username: "keel" } },
  },
  projects: { projects: ["payments/api"], labels: { own: { color: "#00cc00" } } },
};

describe("import of groups", () => {
  test("--factor declares once what groups share, apart from projects, and plans as empty", async () => {
    const { evenkeel, root, read } = await scene({ ...setting, policies: shared });
    expect(await evenkeel("apply", "--yes")).toMatchObject({ code: 0 });
    for (const name of Object.keys(shared)) rmSync(join(root, `${name}.yaml`));
    const kindsToRead = ["--kinds", "labels,badges,integrations"];
    const imported = await evenkeel("import", "--all", "--group", "**/", "--factor", ...kindsToRead);
    expect(imported).toMatchObject({ code: 0, stderr: "" });
    expect(read("policies/shared.yaml")).toContain('name: shared-groups\ngroups: ["**"]\nbadges:\n  all:');
    const payments = read("policies/payments.yaml");
    expect(payments).toContain("name: payments-groups\ngroups: [payments/**]\nbadges:\n  ci:");
    expect(read("policies/web.yaml")).toContain("link_url: https://ci.example.com/${group.path}\n");
    expect(payments).toContain("name: payments/\ngroups: [payments]\nintegrations:");
    expect(read("policies/payments/api.yaml")).toContain("projects: [payments/api]\nlabels:\n  own:");
    expect(imported.stdout).toContain("payments/services/: slack is left out: it is inherited from the group");
    expect(imported.stdout).toContain("payments/api: slack is left out: it is inherited from the group");
    expect(await evenkeel("fmt", "--check")).toMatchObject({ code: 0 });
    expect((await evenkeel("plan", "--report", "json")).plan()).toMatchObject({ resource_changes: [], problems: [] });
  });

  test("a group by ID, a glob with a slash behind, and the projects below a group", async () => {
    const { evenkeel } = await scene({ ...setting, policies: shared });
    await evenkeel("apply", "--yes");
    const imported = await evenkeel("import", "62/", "--group", "w*/", "--kinds", "badges", "--report", "json");
    const { policies } = JSON.parse(imported.stdout);
    expect(policies.map(({ groups }: { groups: string[] }) => groups)).toEqual([["payments/services/"], ["web/"]]);
    const below = await evenkeel(
      "import",
      "--group",
      "payments/",
      "--kinds",
      "labels",
      "--out",
      "p",
      "--report",
      "json",
    );
    expect(JSON.parse(below.stdout).policies).toEqual([expect.objectContaining({ projects: ["payments/api"] })]);
  });

  test("without --kinds it reads integrations, and says where groups have none", async () => {
    const { evenkeel } = await scene({ ...setting, policies: shared });
    await evenkeel("apply", "--yes");
    const imported = await evenkeel("import", "payments/", "--report", "json");
    expect(JSON.parse(imported.stdout).policies).toEqual([
      expect.objectContaining({ name: "payments/", groups: ["payments/"], integrations: ["slack"] }),
    ]);
    const older = await scene({ release: "14.5", seed });
    expect(await older.evenkeel("import", "payments/")).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(
        /integrations of groups exist from release 17\.9 on.*for the projects of a group: --group GROUP/,
      ),
    });
  });

  test("--kinds that groups do not have, and a group that does not exist", async () => {
    const { evenkeel } = await scene(setting);
    expect(await evenkeel("import", "payments/", "--kinds", "protected_tags")).toMatchObject({
      code: 64,
      stderr: expect.stringContaining(
        "--kinds: policies of groups have no protected_tags; did you mean protected_branches?",
      ),
    });
    expect(await evenkeel("import", "99/", "--kinds", "labels")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("there is no group with the ID 99"),
    });
  });
});

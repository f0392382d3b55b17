import { expect, test } from "vitest";
import type { StorageMigration } from "../../src/manifest/migrations.ts";
import type { Platform } from "../../src/model/types.ts";
import { checkMigration } from "../../src/run/storage/moves.ts";

const start = () => ({ file: "a.yaml", line: 1, column: 1 });

const migration: StorageMigration = {
  name: "drain",
  document: {
    file: "a.yaml",
    index: 0,
    value: {},
    place: start,
    isCommented: () => false,
    within: start,
    numbered: () => {
      throw new Error("one document");
    },
  },
  from: "old",
  to: "new",
  repositories: ["projects"],
  destinationIsCluster: false,
  directFetchReplication: false,
};

function check(more: Partial<StorageMigration>, platform: Platform, held = 0): string[] {
  return checkMigration({ ...migration, ...more }, platform, held).map(({ message }) => message);
}

const cluster = { destinationIsCluster: true, directFetchReplication: true };

test.each([
  ["13.0", true],
  ["13.11.9", true],
  ["13.12.11", true],
  ["13.12.12", false],
  ["13.12.13", false],
  ["14.0.10", true],
  ["14.0.11", false],
  ["14.1.5", true],
  ["14.1.6", false],
  ["14.2", true],
  ["14.2.3", true],
  ["14.2.4", false],
  ["14.3", false],
  ["14.3.0", false],
  ["14.5", false],
  ["15.0", false],
])("release %s, into a cluster that holds projects: refused %s", (release, refused) => {
  const messages = check(cluster, { release }, 2);
  expect(messages).toHaveLength(refused ? 1 : 0);
  if (refused) expect(messages[0]).toMatch(/permanently delete .* 2 projects lie in new; fixed in 14\.3\.0/);
  expect(check(cluster, { release }, 0)).toEqual([]);
  expect(check({ ...cluster, destinationIsCluster: false }, { release }, 2)).toEqual([]);
});

test.each([
  ["13.11", false],
  ["13.12", true],
  ["14.0.11", true],
  ["14.1.9", true],
  ["14.2", false],
  ["14.5", false],
])("release %s, into a cluster, nothing said of direct-fetch replication: refused %s", (release, refused) => {
  expect(check({ destinationIsCluster: true }, { release })).toHaveLength(refused ? 1 : 0);
  expect([check(cluster, { release }), check({}, { release })]).toEqual([[], []]);
});

test.each([
  ["free", true],
  ["premium", false],
  ["ultimate", false],
  [undefined, false],
] as const)("groups on tier %s: refused %s", (tier, refused) => {
  const messages = check({ repositories: ["projects", "groups"] }, { release: "14.5", tier });
  const words = ["storage migration drain: groups need tier premium to move; the server is free"];
  expect(messages).toEqual(refused ? words : []);
  expect(check({ repositories: ["projects", "snippets"] }, { release: "14.5", tier })).toEqual([]);
});

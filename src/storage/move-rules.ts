import { counted } from "../base/text-format.ts";
import type { StorageMigration } from "../manifest/migrations.ts";
import { needsDirectFetch, tierIncludes } from "../model/availability.ts";
import { compareReleases, minorOf } from "../model/releases.ts";
import { repositoryKinds } from "../model/repository-kinds.ts";
import type { Platform } from "../model/types.ts";
import type { Objection } from "../plan/guards.ts";

/** Input of the rules for moving. */
export interface Question {
  readonly migration: StorageMigration;
  readonly platform: Platform;
  /** Projects on the destination; read only if {@link mayLoseRepositories}. */
  readonly held: number;
}

type Check = (question: Question) => string | undefined;

/**
 * The rules for moving that can be checked (docs/api.md#rules-for-moving): description -> the violation, if any.
 * The others are listed in every plan with moves.
 */
const rules: ReadonlyMap<string, Check> = new Map<string, Check>([
  [
    "the source and the destination differ",
    ({ migration: { from, to } }) => (from === to ? `${from} is both source and destination` : undefined),
  ],
  [
    "no moves into a cluster that holds projects on a release with the data-loss defect (7)",
    (question) => {
      const { migration, platform, held } = question;
      if (!mayLoseRepositories(question) || held === 0) return undefined;
      const reason = `release ${platform.release} can permanently delete repositories that are moved into the cluster that already holds them`;
      const many = counted(held, "project lies", "projects lie");
      return `${reason}, and ${many} in ${migration.to}; fixed in ${fixes.join(", ")}`;
    },
  ],
  [
    "from 13.12 to 14.1 a move into a cluster needs direct-fetch replication (6)",
    ({ migration: { to, destinationIsCluster, directFetchReplication }, platform: { release } }) => {
      if (!destinationIsCluster || directFetchReplication || !needsDirectFetch(release)) return undefined;
      const flag = "enable the feature flag for direct-fetch replication, then set directFetchReplication: true";
      return `on release ${release} a move into the cluster ${to} needs direct-fetch replication: ${flag}`;
    },
  ],
  [
    "the tier supports moves of every kind in the migration (4)",
    ({ migration: { repositories }, platform: { tier } }) => {
      const missing = repositories.filter((kind) => !tierIncludes(tier, repositoryKinds[kind].tier));
      const needs = missing.map((kind) => `${kind} need tier ${repositoryKinds[kind].tier} to move`);
      return missing.length > 0 ? `${needs.join(", ")}; the server is ${tier}` : undefined;
    },
  ],
]);

/** Violations of the rules for moving (docs/storage-moves.md). */
export function checkMigration(question: Question, addresses: readonly string[]): Objection[] {
  const { name } = question.migration;
  return [...rules.values()].flatMap((check) => {
    const broken = check(question);
    return broken ? [{ guard: "storage", message: `storage migration ${name}: ${broken}`, addresses }] : [];
  });
}

/** Releases that fix the defect of rule 7, each for its own series, and the first for all later ones. */
const fixes = ["14.3.0", "14.2.4", "14.1.6", "14.0.11", "13.12.12"] as const;

/** Whether a migration is unsafe if the destination already contains projects (docs/api.md#rules-for-moving, rule 7). */
export function mayLoseRepositories({ migration, platform }: Pick<Question, "migration" | "platform">): boolean {
  return migration.destinationIsCluster && hasDefect(platform.release);
}

function hasDefect(release: string): boolean {
  if (compareReleases(release, fixes[0]) >= 0) return false;
  const fix = fixes.find((each) => minorOf(each) === minorOf(release));
  return !fix || compareReleases(release, fix) < 0;
}

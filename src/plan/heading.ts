import { quantity, thousands } from "../base/text.ts";
import type { Plan, PlanScope } from "./plan.ts";

/** What a plan was limited to, by revision too: `shard 1/8, --target payments/*`; empty for everything. */
export function scopeText({ targets = [], shards = [], since, projects, of }: PlanScope = {}): string {
  const counts =
    projects === undefined
      ? ""
      : ` (${of === undefined ? "" : `${thousands(projects)} of `}${quantity(of ?? projects, "project")})`;
  const words = [
    ...(since === undefined ? [] : [`--since ${since.slice(0, 12)}${counts}`]),
    ...shards.map((shard) => `shard ${shard}`),
    ...targets.map((glob) => `--target ${glob}`),
  ];
  return words.join(", ");
}

/** When a plan was made and of which commit, in one line, so that an old one is seen. */
export function creationText({ created_at, manifests }: Pick<Plan, "created_at" | "manifests">): string {
  const commit = manifests.commit === null ? "" : `, commit ${manifests.commit.slice(0, 12)}`;
  return `${minuteText(created_at)}${commit}`;
}

/** An ISO time to the minute; anything else as it is. */
export function minuteText(iso: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d.*Z$/.test(iso) ? `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC` : iso;
}

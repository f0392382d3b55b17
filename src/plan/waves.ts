import { createHash } from "node:crypto";
import { compareTexts } from "../base/text.ts";
import type { Wave } from "../manifest/waves.ts";
import { type Plan, planDigest, type WaveCount } from "./plan.ts";

/** One wave of an apply, by its projects. */
export interface PlanWave extends Pick<WaveCount, "status" | "reason"> {
  readonly projects: readonly string[];
}

/**
 * The projects that change, wave by wave, each project in one of them and no wave empty. Canaries come first, all of
 * them in the first wave; then the order is that of a hash of the names, so that a wave is a sample of the fleet, and
 * the same one each time.
 */
export function inWaves(
  projects: readonly string[],
  waves: readonly Wave[],
  isCanary: (project: string) => boolean,
): readonly (readonly string[])[] {
  const canaries = projects.filter(isCanary).sort(compareTexts);
  const ranks = new Map(projects.map((project) => [project, rankOf(project)]));
  const rank = (project: string) => ranks.get(project) ?? "";
  const others = projects.filter((project) => !isCanary(project)).sort((a, b) => compareTexts(rank(a), rank(b)));
  const order = [...canaries, ...others];
  const ends = waves.map((wave) => Math.max(endOf(wave, order.length), canaries.length));
  return ends
    .flatMap((end, index) => {
      const from = Math.max(0, ...ends.slice(0, index));
      return end > from ? [order.slice(from, end)] : [];
    })
    .filter((wave) => wave.length > 0);
}

/** A share is rounded up, but for what a fraction in binary adds. */
function endOf({ amount, unit }: Wave, count: number): number {
  return unit === "percent" ? Math.ceil((amount * count) / 100 - 1e-9) : amount;
}

function rankOf(project: string): string {
  return createHash("sha256").update(project.toLowerCase()).digest("hex");
}

/** The plan with its waves: the number of each change's wave, and what became of each wave. */
export function withWaves(plan: Plan, waves: readonly PlanWave[] | undefined): Plan {
  if (!waves || waves.length === 0) return plan;
  const numbers = new Map(waves.flatMap(({ projects }, index) => projects.map((project) => [project, index + 1])));
  const changes = plan.resource_changes.map((change) => {
    const wave = numbers.get(change.project);
    return wave === undefined ? change : { ...change, wave };
  });
  const counts = waves.map(({ projects, status, reason }, index) => ({
    wave: index + 1,
    projects: projects.length,
    changes: changes.filter((change) => change.wave === index + 1).length,
    status,
    ...(reason !== undefined && { reason }),
  }));
  const told = { ...plan, summary: { ...plan.summary, waves: counts }, resource_changes: changes };
  return { ...told, digest: planDigest(told) };
}

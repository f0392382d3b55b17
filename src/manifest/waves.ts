import { createHash } from "node:crypto";
import { compareTexts } from "../base/text-format.ts";
import type { Problem } from "../model/types.ts";
import type { Document } from "./document.ts";
import { problemAt } from "./problem.ts";

/** The end of a wave: a number or a percentage of the changed projects, including earlier waves. */
export interface Wave {
  readonly amount: number;
  readonly unit: "projects" | "percent";
}

export type WavesText = string | number | readonly (string | number)[];

const all: Wave = { amount: 100, unit: "percent" };

/** Default with canaries: those first, then all. */
export const canariesThenAll: readonly Wave[] = [{ amount: 0, unit: "projects" }, all];

const expected = "expected increasing numbers of projects and percentages, such as 1,5%,100%";

/** Parses waves such as `1,5%,100%`. A missing 100% at the end is added. */
export function wavesIn(text: string): { readonly waves: readonly Wave[] } | { readonly fault: string } {
  const parts = text.split(",").map((part) => part.trim());
  const waves: Wave[] = [];
  for (const part of parts) {
    const [, amount, percent] = /^(\d{1,7}|\d{1,3}(?:\.\d{1,3})?(?=%))(%?)$/.exec(part) ?? [];
    if (amount === undefined) return { fault: `${JSON.stringify(part.slice(0, 50))} is not a wave; ${expected}` };
    const wave: Wave = { amount: Number(amount), unit: percent ? "percent" : "projects" };
    const fault = checkWave(wave, waves);
    if (fault) return { fault };
    waves.push(wave);
  }
  return { waves: isAll(waves.at(-1)) ? waves : [...waves, all] };
}

export function wavesOf(text: WavesText | undefined): readonly Wave[] | undefined {
  const parsed = text === undefined ? undefined : wavesIn(String(text));
  return parsed && "waves" in parsed ? parsed.waves : undefined;
}

export function waveProblems(document: Document, text: WavesText | undefined): readonly Problem[] {
  const parsed = text === undefined ? undefined : wavesIn(String(text));
  return parsed && "fault" in parsed ? [problemAt("wrong-value", parsed.fault, { document, path: ["waves"] })] : [];
}

export function waveText({ amount, unit }: Wave): string {
  return unit === "percent" ? `${amount}%` : String(amount);
}

function checkWave(wave: Wave, before: readonly Wave[]): string | undefined {
  const text = waveText(wave);
  if (wave.amount === 0) return `a wave of ${text} contains no project; ${expected}`;
  if (wave.unit === "percent" && wave.amount > 100) return `a wave of ${text} is more than all; ${expected}`;
  if (isAll(before.at(-1))) return `a wave of ${text} comes after 100%, when nothing is left; ${expected}`;
  const last = before.findLast(({ unit }) => unit === wave.unit);
  if (last === undefined || last.amount < wave.amount) return undefined;
  return `a wave of ${text} does not go beyond the ${waveText(last)} before it; ${expected}`;
}

function isAll(wave: Wave | undefined): boolean {
  return wave?.unit === "percent" && wave.amount === 100;
}

/**
 * Divides the changed projects into waves, without empty ones. All canaries are in the first wave. The others are ordered
 * by a hash of their names, so that each wave is a reproducible sample of the fleet.
 */
export function inWaves(
  projects: readonly string[],
  waves: readonly Wave[],
  isCanary: (project: string) => boolean,
): readonly (readonly string[])[] {
  const canaries = projects.filter(isCanary).sort(compareTexts);
  const hash = (project: string) => createHash("sha256").update(project.toLowerCase()).digest("hex");
  const ranks = new Map(projects.map((project) => [project, hash(project)]));
  const rank = (project: string) => ranks.get(project) ?? "";
  const others = projects.filter((project) => !isCanary(project)).sort((a, b) => compareTexts(rank(a), rank(b)));
  const order = [...canaries, ...others];
  const ends = waves.map(({ amount, unit }) => {
    // Percentages are rounded up, with a tolerance for floating-point errors.
    const end = unit === "percent" ? Math.ceil((amount * order.length) / 100 - 1e-9) : amount;
    return Math.max(end, canaries.length);
  });
  const sample = ends.map((end, index) => order.slice(Math.max(0, ...ends.slice(0, index)), end));
  return sample.filter((wave) => wave.length > 0);
}

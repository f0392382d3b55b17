import { shellWord } from "../base/shell-word.ts";
import { waveText } from "../manifest/waves.ts";
import type { Request } from "../reconcile/request.ts";
import type { Options } from "./flags.ts";

/** A plan that was saved before, by its file or by its run. */
export type Saved = Pick<Request, "saved" | "savedRun">;

/** `dryRun` as it is typed. */
export function optionOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/**
 * The command that goes on with an apply that ended between two waves: the same, since what was applied is in sync by
 * then; a saved plan would be stale.
 */
export function commandAgain({ yes, waves, ...options }: Options<"apply">, saved: Saved | undefined): string {
  const staged = waves ? ` --waves ${waves.map(waveText).join(",")}` : "";
  if (saved?.savedRun !== undefined) return `evenkeel plan --save, and apply the plan of that run${staged}`;
  if (saved) {
    const file = shellWord(saved.saved ?? "");
    return `evenkeel plan --out ${file} && evenkeel apply ${file}${staged}`;
  }
  const words = kept.flatMap((name) => wordsOf(name === "C" ? "-C" : optionOf(name), options[name]));
  const { shard } = options;
  const part = typeof shard === "object" ? `${shard.index}/${shard.total}` : shard;
  const all = [...words, ...wordsOf("--shard", part)].map((word) => ` ${word}`).join("");
  return `evenkeel apply${all}${staged}${yes ? " --yes" : ""}`;
}

/** Options that decide what is changed, and what is said of it elsewhere. */
const kept = [
  "C",
  "target",
  "since",
  "resend",
  "storage",
  "failOnLoosening",
  "allowDeletes",
  "allowProtected",
  "recordDeployment",
  "deploymentProject",
  "sha",
  "ref",
  "tag",
] as const;

function wordsOf(flag: string, value: string | number | boolean | readonly string[] | undefined): readonly string[] {
  if (value === undefined || value === false) return [];
  if (value === true) return [flag];
  return [value].flat().map((each) => `${flag} ${shellWord(String(each))}`);
}

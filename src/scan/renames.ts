import { isScalar, type Node, type Scalar, visit } from "yaml";
import { schedule, vocabulary, type YamlDetection } from "../model/deprecations.ts";
import type { Fallback, MergeRules } from "./ci-mapping.ts";
import { type CiFile, type PipelineFact, pipelineFactsOf } from "./pipeline.ts";

/**
 * The effect of renaming a key: `exact`, none; `kept`, a pipeline changes; `open`, an unknown include may change it;
 * `unknown`, a missing template may change it.
 */
export type Verdict = "exact" | "kept" | "open" | "unknown";

/** Detections of keys that take effect only where their new names are not set. */
export const fallbackDetections: readonly YamlDetection[] = schedule.flatMap(({ detect }) =>
  (detect ?? []).filter((each): each is YamlDetection => each.by === "yaml" && each.fallback === true),
);

const fallbacks: readonly Fallback[] = fallbackDetections.flatMap(({ path, rename }) => {
  const segments = path.split("/");
  const old = segments.at(-1) ?? "";
  return rename === undefined ? [] : [{ old, now: rename, inJob: segments[0] === vocabulary.ci.job }];
});

/**
 * Which keys can be renamed together without changing any pipeline under any merge rules.
 * @param isRenamable Whether a key would be rewritten at all.
 */
export function verdictsOf(
  pipelines: readonly CiFile[],
  isRenamable: (key: Scalar) => boolean,
): ReadonlyMap<Scalar, Verdict> {
  const cases = pipelines.flatMap((file) => allRules.map((rules) => caseOf(file, rules)));
  const verdicts = new Map<Scalar, Verdict>();
  for (const { before, rules } of cases) {
    for (const fact of before.values()) classify(fact, rules);
  }
  const renamed = new Set([...verdicts].flatMap(([key, verdict]) => (verdict === "exact" ? [key] : [])));
  withdrawChanged(cases, renamed);
  return new Map(
    [...verdicts].map(([key, verdict]) => [key, verdict === "exact" && !renamed.has(key) ? "kept" : verdict]),
  );

  function classify({ keys, certainty }: PipelineFact, { conditional }: MergeRules): void {
    // A template of a conditional include is not missing.
    const isUncertain = certainty === "open" || (certainty === "unknown" && conditional);
    for (const key of keys) {
      const verdict = isUncertain ? certainty : isRenamable(key) ? "exact" : "kept";
      if (rank[verdict] >= rank[verdicts.get(key) ?? "exact"]) verdicts.set(key, verdict);
    }
  }
}

const rank: Readonly<Record<Verdict, number>> = { exact: 0, kept: 1, open: 2, unknown: 3 };

const allRules: readonly MergeRules[] = (["own", "later"] as const).flatMap((wins) =>
  [true, false].map((conditional) => ({ wins, conditional, renamed: new Set<Scalar>() })),
);

interface Case {
  readonly file: CiFile;
  readonly rules: MergeRules;
  readonly before: ReadonlyMap<string, PipelineFact>;
}

function caseOf(file: CiFile, rules: MergeRules): Case {
  return { file, rules, before: pipelineFactsOf(file, fallbacks, rules) };
}

const maxRounds = 30;

/** Removes the keys of all facts that would change, until none does. */
function withdrawChanged(cases: readonly Case[], renamed: Set<Scalar>): void {
  for (let round = 0; round < maxRounds && renamed.size > 0; round++) {
    const changed = cases.flatMap((each) => changedIn(each, renamed));
    if (changed.length === 0) return;
    for (const key of changed) renamed.delete(key);
  }
  renamed.clear();
}

function changedIn({ file, rules, before }: Case, renamed: ReadonlySet<Scalar>): readonly Scalar[] {
  const after = pipelineFactsOf(file, fallbacks, { ...rules, renamed });
  return [...before].flatMap(([name, { value, keys }]) => (after.get(name)?.value === value ? [] : [...keys]));
}

/** All keys of documents in the order of the text. */
export function keysInOrder(documents: readonly (Node | null)[]): readonly Scalar[] {
  const keys: Scalar[] = [];
  const add = (key: unknown) => void (isScalar(key) && keys.push(key));
  for (const document of documents) if (document) visit(document, { Pair: (_, { key }) => add(key) });
  return keys;
}

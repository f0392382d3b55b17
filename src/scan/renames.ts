import { isScalar, type Node, type Scalar, visit } from "yaml";
import { schedule, vocabulary, type YamlDetection } from "../model/deprecations.ts";
import type { Fallback, MergeRules } from "./ci-mapping.ts";
import { type CiFile, type PipelineFact, pipelineFactsOf } from "./pipeline.ts";

/**
 * What renaming a key would do: `exact`, nothing but that; `kept`, something to a pipeline; `open`, perhaps something, by
 * an include that is not known; `unknown`, perhaps something, by a template that is missing.
 */
export type Verdict = "exact" | "kept" | "open" | "unknown";

/** Detections of keys that count only where their new names are not set. */
export const fallbackDetections: readonly YamlDetection[] = schedule.flatMap(({ detect }) =>
  (detect ?? []).filter((each): each is YamlDetection => each.by === "yaml" && each.fallback === true),
);

const fallbacks: readonly Fallback[] = fallbackDetections.flatMap(({ path, rename }) => {
  const segments = path.split("/");
  const old = segments.at(-1) ?? "";
  return rename === undefined ? [] : [{ old, now: rename, inJob: segments[0] === vocabulary.ci.job }];
});

/**
 * Which keys can be renamed together so that every pipeline stays what it is, however it is read.
 * @param isRenamable Whether a key is one that would be rewritten.
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
    // A template that only a conditional include has is not missing.
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

/** So often at most; what is not settled then is not renamed. */
const maxRounds = 30;

/** Takes back the keys of everything that would change, until nothing does. */
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

/** The keys of documents in the order of the text; rewriting changes neither their number nor their order. */
export function keysInOrder(documents: readonly (Node | null)[]): readonly Scalar[] {
  const keys: Scalar[] = [];
  const add = (key: unknown) => void (isScalar(key) && keys.push(key));
  for (const document of documents) if (document) visit(document, { Pair: (_, { key }) => add(key) });
  return keys;
}

import { isMap, type Scalar } from "yaml";
import { vocabulary } from "../model/deprecations.ts";
import {
  type CiFields,
  type CiValue,
  type Fallback,
  fieldsOf,
  type MergeRules,
  mergedFields,
  noFields,
  pairsReader,
  referenceMark,
} from "./ci-mapping.ts";
import { maxDepth, type Resolver } from "./resolver.ts";
import { nameOf } from "./yaml-nodes.ts";

/** A file of a configuration. One without a document only includes others, as the trigger of a child pipeline does. */
export interface CiFile {
  /** Of the document that the platform reads. */
  readonly resolver: Resolver | undefined;
  readonly includes: readonly Include[];
  /** Paths in `!reference` tags. */
  readonly references: readonly (readonly string[])[];
}

/** One entry of `include`. */
export interface Include {
  readonly files: readonly CiFile[];
  /** Whether its content is not known. */
  readonly isOpen: boolean;
  /** Whether it has rules. */
  readonly isConditional: boolean;
}

/** A property of a pipeline: the stage of a job, the list of stages, or the value of a `!reference`. */
export interface PipelineFact {
  readonly value: string;
  /** The old keys that contribute to it. */
  readonly keys: ReadonlySet<Scalar>;
  /** `open` where an unknown include may change it, `unknown` where a template is missing. */
  readonly certainty: "certain" | "open" | "unknown";
}

/** A configuration with its includes merged and `extends` not yet resolved. */
interface Root {
  readonly own: CiFields;
  readonly jobs: ReadonlyMap<string, CiFields>;
  readonly references: readonly (readonly string[])[];
  readonly isOpen: boolean;
}

interface Job {
  readonly fields: CiFields;
  readonly isKnown: boolean;
  /** The longest chain of templates that it extends. */
  readonly depth: number;
}

const unknownJob: Job = { fields: noFields, isKnown: false, depth: 0 };

/** Reads a pipeline as the platform does: merge keys, then includes, then `extends`, and only then fallbacks. */
export function pipelineFactsOf(
  file: CiFile,
  fallbacks: readonly Fallback[],
  rules: MergeRules,
): ReadonlyMap<string, PipelineFact> {
  return new PipelineReader(rootOf(file, fallbacks, rules, []), fallbacks).facts();
}

type NamedFact = readonly [name: string, fact: PipelineFact];

class PipelineReader {
  readonly #root: Root;
  readonly #fallbacks: readonly Fallback[];
  readonly #jobs = new Map<string, Job>();

  constructor(root: Root, fallbacks: readonly Fallback[]) {
    this.#root = root;
    this.#fallbacks = fallbacks;
  }

  facts(): ReadonlyMap<string, PipelineFact> {
    const { own, jobs, references } = this.#root;
    const [inJobs, inRoot] = [true, false].map((inJob) => this.#fallbacks.filter((each) => each.inJob === inJob));
    return new Map([
      ...(inRoot ?? []).map((each): NamedFact => [each.now, this.#fact(own, this.#effective(own, each), true)]),
      ...[...jobs.keys()].flatMap((name) => (inJobs ?? []).map((each) => this.#jobFact(name, each))),
      ...references.map((keys) => this.#referenceFact(keys)),
    ]);
  }

  #jobFact(name: string, fallback: Fallback): NamedFact {
    const { fields, isKnown } = this.#job(name, new Set());
    return [`${fallback.now} of ${name}`, this.#fact(fields, this.#effective(fields, fallback), isKnown)];
  }

  /** A reference names a key as it is written, old or new. */
  #referenceFact([name = "", key]: readonly string[]): NamedFact {
    const isJob = this.#root.jobs.has(name);
    const { fields, isKnown } = isJob ? this.#job(name, new Set()) : { fields: this.#root.own, isKnown: true };
    const value = isJob ? (key === undefined ? [...fields.values] : fields.values.get(key)) : fields.values.get(name);
    return [`!reference ${name}/${key}`, this.#fact(fields, value, isKnown)];
  }

  #effective({ values }: CiFields, { old, now }: Fallback): CiValue {
    return this.#resolved(values.get(now), 0) ?? this.#resolved(values.get(old), 0);
  }

  /** The value behind a `!reference` to a key of a job; any other value is itself. */
  #resolved(value: CiValue | undefined, steps: number): CiValue {
    if (typeof value !== "string" || !value.startsWith(referenceMark) || steps > maxDepth) return value ?? null;
    const [name = "", key = "", ...deeper] = JSON.parse(value.slice(referenceMark.length)) as readonly string[];
    const isKey = deeper.length === 0 && this.#fallbacks.some(({ old, now }) => key === old || key === now);
    return isKey ? this.#resolved(this.#job(name, new Set()).fields.values.get(key), steps + 1) : value;
  }

  #fact({ keys }: CiFields, value: unknown, isKnown: boolean): PipelineFact {
    const certainty = isKnown ? (this.#root.isOpen ? "open" : "certain") : "unknown";
    return { value: JSON.stringify(value ?? null), keys, certainty };
  }

  #job(name: string, above: ReadonlySet<string>): Job {
    const known = this.#jobs.get(name);
    if (known) return known;
    const own = this.#root.jobs.get(name);
    if (!own || above.has(name) || above.size > maxDepth) return unknownJob;
    const bases = listOf(own.values.get("extends")).map((base) => this.#job(base, new Set([...above, name])));
    const depth = Math.max(0, ...bases.map((base) => base.depth + 1));
    const isKnown = depth <= maxDepth && bases.every((base) => base.isKnown);
    const job = { fields: mergedFields([...bases.map(({ fields }) => fields), own]), isKnown, depth };
    this.#jobs.set(name, job);
    return job;
  }
}

function listOf(value: CiValue | undefined): readonly string[] {
  return value === undefined || value === null ? [] : [value].flat();
}

/** A file overrides what it includes, and a later include an earlier one. */
function rootOf(file: CiFile, fallbacks: readonly Fallback[], rules: MergeRules, above: readonly CiFile[]): Root {
  if (above.includes(file) || above.length > maxDepth) return { ...nothing, isOpen: true };
  const taken = file.includes.filter(({ isConditional }) => rules.conditional || !isConditional);
  // The order of the files that one wildcard matches is unspecified.
  const files = taken.flatMap((each) => (rules.wins === "own" ? each.files : each.files.toReversed()));
  const parts = files.map((each) => rootOf(each, fallbacks, rules, [...above, file]));
  const all = file.resolver ? [...parts, ownRoot(file, file.resolver, fallbacks, rules)] : parts;
  return {
    own: mergedFields(all.map(({ own }) => own)),
    jobs: mergedJobs(all),
    references: all.flatMap(({ references }) => references),
    isOpen: all.some(({ isOpen }) => isOpen) || taken.some(({ isOpen }) => isOpen),
  };
}

const nothing: Root = { own: noFields, jobs: new Map(), references: [], isOpen: false };

function mergedJobs(parts: readonly Root[]): ReadonlyMap<string, CiFields> {
  const jobs = new Map<string, CiFields>();
  for (const part of parts) {
    for (const [name, fields] of part.jobs) jobs.set(name, mergedFields([jobs.get(name) ?? noFields, fields]));
  }
  return jobs;
}

function ownRoot(file: CiFile, resolver: Resolver, fallbacks: readonly Fallback[], rules: MergeRules): Root {
  const { root, follow } = resolver;
  if (!root) return nothing;
  const pairsOf = pairsReader(resolver, rules.wins);
  const pairs = pairsOf(root);
  const ofRoot = fallbacks.filter(({ inJob }) => !inJob);
  const inJobs = fallbacks.filter(({ inJob }) => inJob);
  const own = fieldsOf(pairs, resolver, ofRoot, rules.renamed);
  const jobs = new Map<string, CiFields>();
  for (const { key, value } of pairs) {
    const job = follow(value);
    if (vocabulary.ci.reserved.has(nameOf(key)) || !isMap(job)) continue;
    jobs.set(nameOf(key), fieldsOf(pairsOf(job), resolver, inJobs, rules.renamed));
  }
  return { own, jobs, references: file.references, isOpen: false };
}

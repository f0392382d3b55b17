import { isMap, type Scalar } from "yaml";
import { vocabulary } from "../model/deprecations.ts";
import {
  type CiFields,
  type CiValue,
  type Fallback,
  fieldsOf,
  mergedFields,
  noFields,
  pairsReader,
  type Reading,
  referenceMark,
} from "./ci-mapping.ts";
import { furthest, type Resolver } from "./resolver.ts";
import { nameOf } from "./yaml-nodes.ts";

/** A file of a configuration; one without a document only includes others, as a child pipeline's trigger does. */
export interface CiFile {
  /** Answers questions about the document that counts. */
  readonly resolver: Resolver | undefined;
  readonly includes: readonly Include[];
  /** Paths in `!reference` tags. */
  readonly references: readonly (readonly string[])[];
}

/** One entry of `include`. */
export interface Include {
  readonly files: readonly CiFile[];
  /** Whether it may bring what is not known. */
  readonly isOpen: boolean;
  /** Whether rules may leave it out. */
  readonly isConditional: boolean;
}

/** What a pipeline shows of itself: the stage of a job, the list of stages, or what a `!reference` takes. */
export interface PipelineFact {
  readonly value: string;
  /** The old keys that take part in it. */
  readonly keys: ReadonlySet<Scalar>;
  /** `open` where an include that is not known may change it, `unknown` where a template is missing. */
  readonly certainty: "certain" | "open" | "unknown";
}

/** A configuration with its includes merged, before `extends`. */
interface Root {
  readonly own: CiFields;
  readonly jobs: ReadonlyMap<string, CiFields>;
  readonly references: readonly (readonly string[])[];
  readonly isOpen: boolean;
}

interface Job {
  readonly fields: CiFields;
  readonly isKnown: boolean;
  /** How many templates it goes through. */
  readonly depth: number;
}

const unknownJob: Job = { fields: noFields, isKnown: false, depth: 0 };

/** Reads a pipeline as the platform does: merge keys, then includes, then `extends`, and only then what counts. */
export function observationsOf(
  file: CiFile,
  fallbacks: readonly Fallback[],
  reading: Reading,
): ReadonlyMap<string, PipelineFact> {
  const root = rootOf(file, fallbacks, reading, []);
  const jobs = new Map<string, Job>();
  return new Map([...ofRoot(), ...ofJobs(), ...ofReferences()]);

  function ofRoot(): readonly (readonly [string, PipelineFact])[] {
    const asked = fallbacks.filter(({ inJob }) => !inJob);
    return asked.map((fallback) => [fallback.now, observed(root.own, effective(root.own, fallback), true)]);
  }

  function ofJobs(): readonly (readonly [string, PipelineFact])[] {
    const asked = fallbacks.filter(({ inJob }) => inJob);
    return [...root.jobs.keys()].flatMap((name) => {
      const { fields, isKnown } = jobOf(name, new Set());
      return asked.map(
        (each) => [`${each.now} of ${name}`, observed(fields, effective(fields, each), isKnown)] as const,
      );
    });
  }

  /** A reference takes a key by its name, old or new. */
  function ofReferences(): readonly (readonly [string, PipelineFact])[] {
    return root.references.flatMap(([name = "", key]) => {
      const isJob = root.jobs.has(name);
      const { fields, isKnown } = isJob ? jobOf(name, new Set()) : { fields: root.own, isKnown: true };
      const taken = isJob ? (key === undefined ? [...fields.values] : fields.values.get(key)) : fields.values.get(name);
      return [[`!reference ${name}/${key}`, observed(fields, taken, isKnown)] as const];
    });
  }

  function effective({ values }: CiFields, { old, now }: Fallback): CiValue {
    return given(values.get(now), 0) ?? given(values.get(old), 0);
  }

  /** What a `!reference` to a key of a job gives, which may be nothing; any other value is itself. */
  function given(value: CiValue | undefined, steps: number): CiValue {
    if (typeof value !== "string" || !value.startsWith(referenceMark) || steps > furthest) return value ?? null;
    const [name = "", key = "", ...deeper] = JSON.parse(value.slice(referenceMark.length)) as readonly string[];
    const isKey = deeper.length === 0 && fallbacks.some(({ old, now }) => key === old || key === now);
    return isKey ? given(jobOf(name, new Set()).fields.values.get(key), steps + 1) : value;
  }

  function observed({ keys }: CiFields, value: unknown, isKnown: boolean): PipelineFact {
    return {
      value: JSON.stringify(value ?? null),
      keys,
      certainty: isKnown ? (root.isOpen ? "open" : "certain") : "unknown",
    };
  }

  function jobOf(name: string, above: ReadonlySet<string>): Job {
    const known = jobs.get(name);
    if (known) return known;
    const own = root.jobs.get(name);
    if (!own || above.has(name) || above.size > furthest) return unknownJob;
    const bases = listOf(own.values.get("extends")).map((base) => jobOf(base, new Set([...above, name])));
    const depth = Math.max(0, ...bases.map((base) => base.depth + 1));
    const isKnown = depth <= furthest && bases.every((base) => base.isKnown);
    const job = { fields: mergedFields([...bases.map(({ fields }) => fields), own]), isKnown, depth };
    jobs.set(name, job);
    return job;
  }
}

function listOf(value: CiValue | undefined): readonly string[] {
  return value === undefined || value === null ? [] : [value].flat();
}

/** What an include brings is overridden by what stands in the file, and that of an earlier one by a later one. */
function rootOf(file: CiFile, fallbacks: readonly Fallback[], reading: Reading, above: readonly CiFile[]): Root {
  if (above.includes(file) || above.length > furthest) return { ...nothing, isOpen: true };
  const taken = file.includes.filter(({ isConditional }) => reading.conditional || !isConditional);
  // The order of the files of one wildcard is not known.
  const files = taken.flatMap((each) => (reading.wins === "own" ? each.files : each.files.toReversed()));
  const parts = files.map((each) => rootOf(each, fallbacks, reading, [...above, file]));
  const all = file.resolver ? [...parts, ownRoot(file, file.resolver, fallbacks, reading)] : parts;
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

function ownRoot(file: CiFile, resolver: Resolver, fallbacks: readonly Fallback[], reading: Reading): Root {
  const { root, follow } = resolver;
  if (!root) return nothing;
  const pairsOf = pairsReader(resolver, reading.wins);
  const pairs = pairsOf(root);
  const ofRoot = fallbacks.filter(({ inJob }) => !inJob);
  const inJobs = fallbacks.filter(({ inJob }) => inJob);
  const own = fieldsOf(pairs, resolver, ofRoot, reading.renamed);
  const jobs = new Map<string, CiFields>();
  for (const { key, value } of pairs) {
    const job = follow(value);
    if (vocabulary.ci.reserved.has(nameOf(key)) || !isMap(job)) continue;
    jobs.set(nameOf(key), fieldsOf(pairsOf(job), resolver, inJobs, reading.renamed));
  }
  return { own, jobs, references: file.references, isOpen: false };
}

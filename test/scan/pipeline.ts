import { parse, type ScalarTag } from "yaml";

/**
 * What the platform makes of a set of CI/CD files, read from its documentation and its code alone: local includes, then
 * `extends`, then `!reference`, and at last `type` and `types` where `stage` and `stages` are not set.
 */
export interface Pipeline {
  readonly jobs: Readonly<Record<string, string>>;
  readonly stages: readonly string[];
}

type Mapping = Record<string, unknown>;

class Reference {
  constructor(readonly path: readonly string[]) {}
}

const referenceTag = {
  tag: "!reference",
  collection: "seq",
  resolve: (list: { toJSON: () => readonly string[] }) => new Reference(list.toJSON()),
} as unknown as ScalarTag;

const isMapping = (value: unknown): value is Mapping =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Reference);

function deepMerged(below: Mapping, above: Mapping): Mapping {
  const result = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const before = result[key];
    result[key] = isMapping(before) && isMapping(value) ? deepMerged(before, value) : value;
  }
  return result;
}

function loaded(files: Readonly<Record<string, string>>, name: string): Mapping {
  const { include = [], ...own } = parse(files[name] ?? "", { merge: true, customTags: [referenceTag] }) as Mapping;
  const entries = [include].flat() as readonly (string | { local: string })[];
  const paths = entries.map((entry) => (typeof entry === "string" ? entry : entry.local).replace(/^\//, ""));
  return [...paths.map((path) => loaded(files, path)), own].reduce(deepMerged, {});
}

function extended(all: Mapping, name: string): Mapping {
  const own = all[name];
  if (!isMapping(own)) throw new Error(`no job ${name}`);
  const bases = [own.extends].flat().filter((base): base is string => typeof base === "string");
  return deepMerged(bases.map((base) => extended(all, base)).reduce(deepMerged, {}), own);
}

const reserved = new Set(["stages", "types", "default", "variables", "workflow", "include"]);

export function pipelineOf(files: Readonly<Record<string, string>>, root = ".gitlab-ci.yml"): Pipeline {
  const all = loaded(files, root);
  const names = Object.keys(all).filter((name) => !reserved.has(name) && isMapping(all[name]));
  const jobs = Object.fromEntries(names.map((name) => [name, extended(all, name)]));
  const whole: Mapping = { ...all, ...jobs };
  const followed = (value: unknown): unknown =>
    value instanceof Reference
      ? value.path.reduce<unknown>((at, key) => (isMapping(at) ? at[key] : undefined), whole)
      : value;
  const stageOf = (job: Mapping) => followed(job.stage) ?? followed(job.type) ?? "test";
  return {
    jobs: Object.fromEntries(
      names.filter((name) => !name.startsWith(".")).map((name) => [name, String(stageOf(jobs[name] ?? {}))]),
    ),
    stages: (followed(all.stages) ?? followed(all.types) ?? ["build", "test", "deploy"]) as readonly string[],
  };
}

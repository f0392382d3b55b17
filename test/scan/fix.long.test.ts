import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { includedFiles } from "../../src/scan/pipelines.ts";
import { scanText } from "../../src/scan/scan.ts";
import { pipelineOf } from "./pipeline.ts";

type Files = Readonly<Record<string, string>>;

function scanned(files: Files) {
  const includes = includedFiles(Object.keys(files), (file) => files[file]);
  const each = Object.entries(files).map(
    ([file, text]) => [file, scanText({ file, text, release: "15.0" }, includes)] as const,
  );
  const fixed = Object.fromEntries(each.map(([file, result]) => [file, result.fixed]));
  return { fixed, findings: each.flatMap(([, { findings }]) => findings) };
}

const stage = fc.constantFrom("build", "test", "deploy");
const names = ["a", "b", ".c", ".d", ".e"];

interface Part {
  readonly lines: readonly string[];
}

const stageLine = fc.oneof(
  { weight: 6, arbitrary: stage.map((value) => `stage: ${value}`) },
  { weight: 1, arbitrary: fc.constantFrom(...names).map((name) => `stage: !reference [${name}, type]`) },
);
const typeLine = fc.oneof(
  { weight: 8, arbitrary: stage.map((value) => `type: ${value}`) },
  { weight: 1, arbitrary: fc.constant("type:") },
);

/** The lines of a job; names that it extends or merges come before its own in the list, so nothing goes in circles. */
function jobLines(index: number, anchored: readonly string[]): fc.Arbitrary<Part> {
  const earlier = names.slice(index + 1);
  const some = <T>(values: readonly T[]) => fc.shuffledSubarray([...values], { maxLength: Math.min(2, values.length) });
  return fc
    .record({
      type: fc.option(typeLine, { nil: undefined }),
      stage: fc.option(stageLine, { nil: undefined, freq: 2 }),
      extended: some(earlier),
      merged: some(anchored),
      isLast: fc.boolean(),
    })
    .map(({ type, stage: own, extended, merged, isLast }) => {
      const merging =
        merged.length > 0 ? [`<<: [${merged.map((name) => `*${name.replace(".", "x")}`).join(", ")}]`] : [];
      const keys = [...(type ? [type] : []), ...(own ? [own] : [])];
      const base = extended.length > 0 ? [`extends: [${extended.join(", ")}]`] : [];
      return { lines: ["script: make", ...(isLast ? [...keys, ...merging] : [...merging, ...keys]), ...base] };
    });
}

/** A file with some of the jobs; `all` has each of them, so that no template is missing. */
function fileOf(all: boolean, includes: readonly string[]): fc.Arbitrary<string> {
  const parts = names.toReversed().map((name, step, order) => {
    const part = jobLines(names.length - 1 - step, all ? order.slice(0, step) : []);
    return fc
      .tuple(all ? fc.constant(true) : fc.boolean(), part)
      .map(([isThere, { lines }]) =>
        isThere ? `${name}: &${name.replace(".", "x")}\n${lines.map((line) => `  ${line}\n`).join("")}` : "",
      );
  });
  const list = fc.option(fc.shuffledSubarray(["build", "test", "deploy"], { minLength: 1 }), { nil: undefined });
  return fc.tuple(list, list, ...parts).map(([types, stages, ...jobs]) => {
    const include = includes.length > 0 ? `include:\n${includes.map((path) => `  - local: /${path}\n`).join("")}` : "";
    const lists = `${types ? `types: [${types}]\n` : ""}${stages ? `stages: [${stages}]\n` : ""}`;
    return `${include}${lists}default: { image: ruby }\n${jobs.join("")}`;
  });
}

const fileSets: fc.Arbitrary<Files> = fc.oneof<fc.Arbitrary<Files>[]>(
  fc.record({ ".gitlab-ci.yml": fileOf(true, []) }),
  fc.record({ ".gitlab-ci.yml": fileOf(false, ["ci/one.yml"]), "ci/one.yml": fileOf(true, []) }),
  fc.record({
    ".gitlab-ci.yml": fileOf(false, ["ci/one.yml", "ci/two.yml"]),
    "ci/one.yml": fileOf(true, ["ci/three.yml"]),
    "ci/two.yml": fileOf(false, []),
    "ci/three.yml": fileOf(false, []),
  }),
);

describe("--fix over the files of a pipeline", () => {
  it("leaves the stage of each job and the list of stages as they are, and has nothing left to do", () => {
    let rewritten = 0;
    fc.assert(
      fc.property(fileSets, (files: Files) => {
        const { fixed } = scanned(files);
        expect(pipelineOf(fixed)).toEqual(pipelineOf(files));
        expect(scanned(fixed).fixed).toEqual(fixed);
        rewritten += Object.keys(files).filter((name) => files[name] !== fixed[name]).length;
      }),
      { numRuns: 200 },
    );
    expect(rewritten).toBeGreaterThan(2);
  });
});

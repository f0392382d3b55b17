import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { desiredOf } from "../../src/manifest/layers.ts";
import { needsLookup, projectsOf } from "../../src/manifest/projects.ts";
import { validate } from "../../src/manifest/validate.ts";
import { kindWord } from "../../src/model/owner.ts";
import { problemLine } from "../../src/model/problem-line.ts";
import type { DesiredProject, Fields, Kind, Project } from "../../src/model/types.ts";
import { loadWorkspace } from "../../src/workspace/load.ts";
import { folder as folderWith } from "../support/folder.ts";

/**
 * A case is a YAML file in test/cases/validate or test/cases/desired; see the README there. Without an evenkeel.yaml
 * of its own it gets the smallest one.
 */
interface Case {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly listing?: readonly { readonly id: number; readonly path: string }[];
  readonly expect: unknown;
}

const cases = join(import.meta.dirname, "..", "cases");

function load(folder: string, file: string): Case {
  return parse(readFileSync(join(cases, folder, file), "utf8"));
}

function layOut(files: Case["files"]): string {
  return folderWith({ "evenkeel.yaml": "apiVersion: evenkeel/v1\nkind: Workspace\n", ...files }).root;
}

function written({ resources, exclusive }: DesiredProject): object {
  const inFull = new Set(["integration", "license"]);
  const others = resources
    .map((resource) => ({ ...resource, word: kindWord(resource.kind) }))
    .filter(({ word }) => !inFull.has(word))
    .map(({ word, key, presence, fields }) => [`${word}/${key}`, presence === "absent" ? "absent" : fields] as const);
  const of = (kind: Kind) => resources.filter((resource) => kindWord(resource.kind) === kind);
  return {
    integrations: Object.fromEntries(
      of("integration").map(({ key, presence, fields }): [string, Fields | "disabled"] => [
        key,
        presence === "absent" ? "disabled" : fields,
      ]),
    ),
    licenses: Object.fromEntries(of("license").map(({ key, fields }) => [key, fields.approval_status])),
    ...(others.length > 0 && { others: Object.fromEntries(others) }),
    exclusive: [...exclusive.keys()].map(kindWord).sort(),
  };
}

const empty = { integrations: {}, licenses: {}, exclusive: [] };

describe("validate", () => {
  for (const file of readdirSync(join(cases, "validate")).filter((name) => name.endsWith(".yaml"))) {
    const { name, files, expect: lines } = load("validate", file);
    it(name, () => {
      const { problems } = validate(loadWorkspace(layOut(files)));
      expect(
        problems.map((problem) => (problem.severity === "warning" ? "warning " : "") + problemLine(problem)),
      ).toEqual(lines);
    });
  }
});

describe("desired", () => {
  for (const file of readdirSync(join(cases, "desired")).filter((name) => name.endsWith(".yaml"))) {
    const { name, files, listing, expect: wanted } = load("desired", file);
    it(name, () => {
      const { policies, problems } = validate(loadWorkspace(layOut(files)));
      expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
      expect(needsLookup(policies)).toBe(listing !== undefined);
      const listed = listing?.map(({ id, path }): Project => ({ name: path, id, path }));
      const { projects, problems: ofListing } = projectsOf(policies, listed);
      const merged = projects.map((project) => desiredOf(policies, project));
      const found = Object.fromEntries(merged.map(({ desired }) => [desired.project.name, written(desired)]));
      const expected = Object.entries((wanted as { projects: Record<string, object> }).projects);
      expect(found).toEqual(Object.fromEntries(expected.map(([project, says]) => [project, { ...empty, ...says }])));
      const lines = [...ofListing, ...merged.flatMap(({ problems }) => problems)].map(problemLine);
      expect(lines).toEqual((wanted as { problems?: string[] }).problems ?? []);
    });
  }
});

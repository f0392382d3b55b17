import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { readConfiguration } from "../../src/author/import/from/gitlabform/configuration.ts";
import { importGitlabform } from "../../src/author/import/from/gitlabform/import.ts";
import { type Effective, effectiveIn, isSkippedName } from "../../src/author/import/from/gitlabform/inherit.ts";
import { policyFileText } from "../../src/author/import/policy.ts";
import { desiredOf } from "../../src/manifest/layers.ts";
import { validate } from "../../src/manifest/validate.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { isReference } from "../../src/model/values.ts";
import { loadWorkspace } from "../../src/workspace/load.ts";
import { folder } from "../support/folder.ts";

const platform = { release: "14.5", dialect: "gitlab" } as const;
const choice = { catalogue: catalogueOf("gitlab"), platform, secrets: "by-project" } as const;
const read = (text: string) => importGitlabform({ name: "config.yml", text }, choice);

const room = fc.constantFrom("#a", "#b");
const integration = fc.oneof(
  fc.constant({ delete: true }),
  fc.record(
    { inherit: fc.constant(false), username: room, channel: room, delete: fc.constant(false) },
    { requiredKeys: [] },
  ),
);
const integrations = fc.record(
  { inherit: fc.constant(false), skip: fc.boolean(), slack: integration, mattermost: integration },
  { requiredKeys: [] },
);
const keys = ["*", "a/*", "a/b/*", "a/b/c/*", "c/*", "a/p", "a/pq", "a/b/p", "a/p*", "a/pq*", "c/*x*", "c/px", "d/p"];
const projects = [
  ...["a/p", "a/pq", "a/pqr", "a/z", "a/b/p", "a/b/z", "a/b/c/z", "a/x/y/z", "c/px", "c/axb", "c/d/z", "d/p", "d/q"],
  "e/f/g",
];

const one = fc.record(
  {
    inherit: fc.constant(false),
    visibility: fc.constantFrom("private", "internal"),
    description: fc.constantFrom("x", "y"),
    lfs_enabled: fc.boolean(),
  },
  { requiredKeys: [] },
);
const label = fc.record(
  { color: fc.constantFrom("#111111", "#222222"), inherit: fc.constant(false) },
  { requiredKeys: ["color"] },
);
const several = fc.record({ inherit: fc.constant(false), bug: label, idea: label }, { requiredKeys: [] });
const levels = fc.record(
  { integrations, project_settings: one, labels: several, group_settings: one, group_labels: several },
  { requiredKeys: [] },
);
const leveled = fc.record({
  projects_and_groups: fc
    .subarray(keys)
    .chain((chosen) => fc.record(Object.fromEntries(chosen.map((key) => [key, levels])))),
  skip_projects: fc.subarray(["a/pq", "c/*", "d/p*"], { maxLength: 1 }),
  skip_groups: fc.subarray(["a/b", "c", "a/b/*"], { maxLength: 1 }),
});
const groups = ["a", "a/b", "a/b/c", "a/x", "c", "c/d", "e"];

test("for every project and group the policies come to what gitlabform's layers do", () => {
  fc.assert(
    fc.property(leveled, (generated) => {
      const text = stringify(generated);
      const { drafts, problems } = read(text);
      expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
      const policies = policiesOf(
        drafts.map((draft, index) => [`policies/${index}.yaml`, policyFileText([draft], "s", choice.catalogue)]),
      );
      const effective = effectiveIn(readConfiguration({ name: "config.yml", text }));
      const declared = (name: string) => {
        const { desired, problems: ties } = desiredOf(policies, { name, path: name });
        expect(ties).toEqual([]);
        return fieldsBy(desired.resources);
      };
      for (const path of projects) {
        if (isSkippedName(generated.skip_projects, path)) continue;
        const isKnown = Object.hasOwn(generated.projects_and_groups, path);
        const isLeft = !isKnown && isSkippedName(generated.skip_groups, path.slice(0, path.lastIndexOf("/")));
        const own = effective(path).resources;
        const expected = isLeft ? {} : sectionsIn(own, "integrations", "project_settings", "labels");
        expect([path, declared(path)]).toEqual([path, expected]);
      }
      for (const path of groups) {
        const isLeft = isSkippedName(generated.skip_groups, path);
        const own = isLeft ? {} : sectionsIn(effective(`${path}/~`).resources, "group_settings", "group_labels");
        expect([path, declared(`${path}/`)]).toEqual([path, own]);
      }
    }),
    { numRuns: 60 },
  );
});

/** The literal fields of resources by key; null for one that has to be absent. */
function fieldsBy(resources: ReturnType<typeof desiredOf>["desired"]["resources"]) {
  return Object.fromEntries(
    resources.map(({ key, presence, fields }) => {
      const literals = Object.entries(fields).filter(([name, value]) => name !== "active" && !isReference(value));
      return [key, presence === "absent" ? null : Object.fromEntries(literals)];
    }),
  );
}

/** The fields of these sections, by the names of resources: of settings without one. */
function sectionsIn(resources: Effective["resources"], ...sections: readonly string[]) {
  const own = [...resources.values()].filter(({ section }) => sections.includes(section));
  const fields = own.map(({ section, name, value }) => {
    const { inherit: _, delete: isAbsent, ...rest } = value as Record<string, unknown>;
    return [section, name, isAbsent ? null : rest] as const;
  });
  const isDeclared = (section: string, each: object | null) =>
    section === "integrations" || Object.keys(each ?? {}).length > 0;
  return Object.fromEntries(
    fields.flatMap(([section, name, each]) => (isDeclared(section, each) ? [[name, each]] : [])),
  );
}

function policiesOf(files: readonly (readonly [string, string])[]) {
  const { root } = folder({
    "evenkeel.yaml": "apiVersion: evenkeel/v1\nkind: Workspace\nserver: { dialect: gitlab }\n",
    ...Object.fromEntries(files),
  });
  const { policies, problems } = validate(loadWorkspace(root, {}));
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  return policies;
}

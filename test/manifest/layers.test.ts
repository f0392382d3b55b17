import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { parseManifest } from "../../src/manifest/document.ts";
import { desiredOf } from "../../src/manifest/layers.ts";
import { readPolicies } from "../../src/manifest/policies.ts";
import { needsLookup, projectsOf } from "../../src/manifest/projects.ts";
import { hasErrors } from "../../src/manifest/validate.ts";
import { readWorkspace } from "../../src/manifest/workspace.ts";
import type { Project } from "../../src/model/types.ts";

const { workspace } = readWorkspace(
  parseManifest("evenkeel.yaml", "apiVersion: evenkeel/v1\nkind: Workspace\nledger: l.ndjson\n"),
);

const listing: readonly Project[] = ["a/x", "a/y", "a/b/x", "a/b/Y", "c/x"].map((path, i) => ({
  name: path,
  path,
  id: i + 1,
}));

type Policy = Readonly<Record<string, unknown>>;

const policyBody = fc.record(
  {
    projects: fc.uniqueArray(
      fc.constantFrom<(string | number)[]>(1, 3, "a/x", "A/Y", "a/*", "a/**", "**", "a/b/*", "c/x", "9"),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
    except: fc.uniqueArray(fc.constantFrom(2, "a/b/*", "c/x"), { maxLength: 1 }),
    priority: fc.integer({ min: 0, max: 2 }),
    vars: fc.dictionary(fc.constantFrom("v", "w"), fc.constantFrom("1", 2, "${project.path}", "${vars.w}"), {
      maxKeys: 2,
    }),
    integrations: fc.record(
      {
        "irc-gateway": fc.record({ recipients: fc.constantFrom("x", "${vars.v}"), push_events: fc.boolean() }),
        "external-wiki": fc.constant({ external_wiki_url: "https://wiki/${project.id}" }),
      },
      { requiredKeys: [] },
    ),
    disabled: fc.uniqueArray(fc.constantFrom("irc-gateway", "chat-webhook-c"), { maxLength: 1 }),
    licenses: fc.dictionary(fc.constantFrom("MIT", "GPL"), fc.constantFrom("allowed", "denied"), { maxKeys: 2 }),
    exclusive: fc.uniqueArray(fc.constantFrom("integrations", "licenses")),
  },
  { requiredKeys: ["projects"] },
);

const policies = fc
  .array(policyBody, { minLength: 1, maxLength: 5 })
  .map((bodies) =>
    bodies.map((body, i): Policy => ({ apiVersion: "evenkeel/v1", kind: "Policy", name: `p${i}`, ...body })),
  );

/** What policies come to, each file holding some of them; places are left out, since moving text moves those. */
function outcome(files: readonly (readonly Policy[])[]): unknown {
  const documents = files.flatMap(
    (each, i) => parseManifest(`${i}.yaml`, each.map((policy) => `---\n${stringify(policy)}`).join("")).documents,
  );
  const { policies } = readPolicies({ documents, workspace });
  return selectedBy(policies).map((project) => {
    const { desired, problems } = desiredOf(policies, project);
    const resources = desired.resources.map(({ kind, key, presence, fields }) => ({ kind, key, presence, fields }));
    const rules = problems.map(({ rule }) => rule).sort();
    return {
      project,
      resources,
      kinds: [...desired.kinds].sort(),
      exclusive: [...desired.exclusive.keys()].sort(),
      rules,
    };
  });
}

function selectedBy(policies: ReturnType<typeof readPolicies>["policies"]): readonly Project[] {
  return projectsOf(policies, needsLookup(policies) ? listing : undefined).projects;
}

/** A mapping with its keys in the order that a list of numbers gives. */
function shuffled(policy: Policy, order: readonly number[]): Policy {
  const rank = (index: number) => order[index % order.length] ?? 0;
  const entries = Object.entries(policy).map((entry, index) => ({ entry, rank: rank(index) }));
  return Object.fromEntries(entries.sort((a, b) => a.rank - b.rank).map(({ entry }) => entry));
}

describe("layers", () => {
  it("do not depend on the order of files, documents and keys", () => {
    fc.assert(
      fc.property(
        policies.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray([...all], { minLength: all.length }))),
        fc.array(fc.integer(), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 3 }),
        ([all, other], order, size) => {
          const keyed = other.map((policy) => shuffled(policy, order));
          const files = keyed.flatMap((_, i) => (i % size === 0 ? [keyed.slice(i, i + size)] : []));
          expect(outcome(files)).toEqual(outcome([all]));
        },
      ),
    );
  });

  it("let a policy that nothing is nearer than win whole", () => {
    fc.assert(
      fc.property(policies, fc.constantFrom("allowed", "denied"), (all, status) => {
        const nearest = {
          ...all[0],
          name: "nearest",
          projects: ["a/x"],
          except: [],
          priority: 9,
          licenses: { mit: status },
        };
        const found = outcome([[...all, nearest]]) as {
          project: Project;
          resources: { key: string; fields: object }[];
        }[];
        const project = found.find(({ project }) => project.name === "a/x");
        const license = project?.resources.find(({ key }) => key.toLowerCase() === "mit");
        expect(license).toMatchObject({ key: "mit", fields: { approval_status: status } });
      }),
    );
  });
});

describe("a look-up", () => {
  const needs = (body: string) => {
    const head = "apiVersion: evenkeel/v1\nkind: Policy\nname: a\n";
    const { documents } = parseManifest("a.yaml", head + body);
    const { policies, problems } = readPolicies({ documents, workspace });
    expect(hasErrors(problems)).toBe(false);
    return needsLookup(policies);
  };
  it.each([
    ["IDs alone", "projects: [1, 2]\n", false],
    ["paths alone", "projects: [a/b]\n", false],
    ["paths and globs to leave out", "projects: [a/b]\nexcept: ['a/*']\n", false],
    ["IDs with ${project.id}", "projects: [1]\nvars: { v: '${project.id}' }\n", false],
    ["paths with ${project.path}", "projects: [a/b]\nvars: { v: '${project.path}' }\n", false],
    ["IDs and paths", "projects: [1, a/b]\n", true],
    ["an ID to leave out", "projects: [a/b]\nexcept: [1]\n", true],
    ["IDs and globs to leave out", "projects: [1]\nexcept: ['a/*']\n", true],
    ["globs", "projects: ['a/*']\n", true],
    ["IDs with ${project.path}", "projects: [1]\nvars: { v: '${project.path}' }\n", true],
    ["IDs with ${project.name}", "projects: [1]\nvars: { v: '${project.name}' }\n", true],
    ["paths with ${project.id}", "projects: [a/b]\nvars: { v: '${project.id}' }\n", true],
  ])("%s", (_, body, wanted) => {
    expect(needs(body)).toBe(wanted);
  });
});

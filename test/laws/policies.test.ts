import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { changesByPruning, pruneTexts } from "../../src/author/prune.ts";
import { parseManifest } from "../../src/manifest/document.ts";
import { desiredOf } from "../../src/manifest/layers.ts";
import { type Policy, readPolicies } from "../../src/manifest/policies.ts";
import { knownProjects } from "../../src/manifest/projects.ts";
import { prunableEntries, widePolicies } from "../../src/manifest/prune.ts";
import { defaultWorkspace } from "../../src/manifest/workspace.ts";
import { resourceName } from "../../src/model/address.ts";
import type { Project } from "../../src/model/types.ts";
import { overridesAmong } from "../../src/plan/overrides.ts";
import { validateWorkspace } from "../../src/run/context.ts";
import { loadWorkspace } from "../../src/workspace/load.ts";
import { folder } from "../support/folder.ts";
import { law } from "./stage.ts";

const paths = ["shop/api", "shop/web", "pay/api", "solo/x"];
const projects: readonly Project[] = paths.map((path, index) => ({ id: index + 1, path, name: path }));

/** A policy as it is written; each has a priority of its own, so that none tie. */
interface Written {
  readonly projects: readonly string[];
  readonly except: readonly string[];
  readonly enforce: boolean;
  readonly color?: string;
  /** Values by entry; `absent` for what must not be there. */
  readonly entries: Readonly<Record<string, unknown>>;
}

const absent = "absent";
const selector = fc.constantFrom("**", "shop/*", "*/api", "shop/**", ...paths);
const label = fc.record(
  {
    color: fc.constantFrom("#000001", "#000002", "${vars.color}"),
    description: fc.constantFrom("a", "${project.path}"),
  },
  { requiredKeys: ["color"] },
);
const inheriting = label.map(({ description, ...rest }) => ({
  inherit: true,
  ...(description ? { description } : rest),
}));
const written: fc.Arbitrary<Written> = fc.record(
  {
    projects: fc.uniqueArray(selector, { minLength: 1, maxLength: 2 }),
    except: fc.uniqueArray(selector, { maxLength: 1 }),
    enforce: fc.boolean(),
    color: fc.constantFrom("#000001", "#000003"),
    entries: fc.record(
      {
        "label/bug": fc.oneof(label, inheriting, fc.constant(absent)),
        "integration/irc-gateway": fc.oneof(fc.record({ recipients: fc.constantFrom("a", "b") }), fc.constant(absent)),
        "variable/KEY": fc.record({ value: fc.constantFrom({ secret: "env:A" }, { secret: "env:B" }) }),
        "settings.visibility": fc.constantFrom("private", "public"),
        "settings.merge_method": fc.constantFrom("ff", "merge"),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ["projects", "except", "enforce", "entries"] },
);
const fleets = fc.array(written, { minLength: 1, maxLength: 4 });

const sections: Readonly<Record<string, string>> = {
  label: "labels",
  integration: "integrations",
  variable: "variables",
};

function documentOf({ color, entries, ...head }: Written, index: number): string {
  const body: Record<string, Record<string, unknown>> = {};
  const disabled: string[] = [];
  const labels: string[] = [];
  for (const [name, value] of Object.entries(entries)) {
    const [, word = "", sign, key = ""] = /^(\w+)([/.])(.+)$/.exec(name) ?? [];
    const section = sign === "." ? word : (sections[word] ?? "");
    if (value !== absent) body[section] = { ...body[section], [key]: value };
    else (word === "label" ? labels : disabled).push(key);
  }
  const more = { ...(disabled.length > 0 && { disabled }), ...(labels.length > 0 && { absent: { labels } }) };
  const vars = { color: "#000009", ...(color !== undefined && { color }) };
  const meta = { apiVersion: "evenkeel/v1", kind: "Policy", name: `p${index}`, priority: index };
  return JSON.stringify({ ...meta, ...head, vars, ...body, ...more });
}

function textOf(fleet: readonly Written[]): string {
  return fleet.map(documentOf).join("\n---\n");
}

function policiesOf(fleet: readonly Written[]): readonly Policy[] {
  const { documents } = parseManifest("p.yaml", textOf(fleet));
  return readPolicies({ documents, workspace: defaultWorkspace }).policies;
}

function matches(selectors: readonly string[], path: string): readonly string[] {
  const patterns: Readonly<Record<string, RegExp>> = {
    "**": /./,
    "shop/*": /^shop\//,
    "shop/**": /^shop\//,
    "*/api": /\/api$/,
  };
  return selectors.filter((each) => (patterns[each] ? patterns[each].test(path) : each === path));
}

/** The policies of a project, with their index; the one that takes effect first. */
function ranked(fleet: readonly Written[], path: string): readonly (readonly [Written, number])[] {
  const rank = (one: Written, index: number) => {
    const weights = matches(one.projects, path).map((each) =>
      each.includes("*") ? each.replaceAll("*", "").length : 99,
    );
    return Number(one.enforce) * 1e6 + Math.max(...weights) * 1e3 + index;
  };
  return fleet
    .map((one, index) => [one, index] as const)
    .filter(([one]) => matches(one.projects, path).length > 0 && matches(one.except, path).length === 0)
    .sort((a, b) => rank(...b) - rank(...a));
}

/** The value of an entry in a project, interpolated. */
function valueIn(layers: readonly (readonly [Written, number])[], path: string, value: unknown): unknown {
  const color = layers[0]?.[0].color ?? "#000009";
  return JSON.parse(JSON.stringify(value).replaceAll("${vars.color}", color).replaceAll("${project.path}", path));
}

/** Entry -> value in effect, for one project. */
function expectedIn(fleet: readonly Written[], path: string): Map<string, unknown> {
  const layers = ranked(fleet, path);
  const values = new Map<string, unknown>();
  for (const [name, value] of layers.toReversed().flatMap(([one]) => Object.entries(one.entries))) {
    const { inherit, ...own } = Object(valueIn(layers, path, value));
    const below = values.get(name);
    const base = inherit && typeof below === "object" ? below : {};
    values.set(name, typeof value === "object" ? { ...base, ...own } : value);
  }
  return values;
}

/** The same as the program computes it. */
function actualIn(policies: readonly Policy[], project: Project): Map<string, unknown> {
  const { resources } = desiredOf(policies, project).desired;
  return new Map(
    resources.flatMap(({ kind, key, presence, fields }): (readonly [string, unknown])[] => {
      const name = resourceName(kind, key);
      if (presence === "absent") return [[name, absent]];
      if (key !== "") return [[name, { ...fields }]];
      return Object.entries(fields).map(([field, value]) => [`${name}.${field}`, value]);
    }),
  );
}

test("an enforced entry holds in every project that its policy selects, whatever the others declare", () =>
  law(100, [fleets], async (fleet) => {
    const policies = policiesOf(fleet);
    for (const project of projects) {
      expect(actualIn(policies, project)).toEqual(expectedIn(fleet, project.name));
      const [enforced] = ranked(fleet, project.name).filter(([{ enforce }]) => enforce);
      for (const name of Object.keys(enforced?.[0].entries ?? {})) {
        const alone = valueIn(ranked(fleet, project.name), project.name, enforced?.[0].entries[name]);
        const { inherit: _, ...own } = Object(alone);
        const now = actualIn(policies, project).get(name);
        if (typeof alone === "object") expect(now).toMatchObject(own);
        else expect(now).toBe(alone);
      }
    }
  }));

test("overrides are the entries of policies with a wildcard that do not hold", () =>
  law(100, [fleets], async (fleet) => {
    const counts = new Map<string, number>();
    for (const path of paths) {
      const layers = ranked(fleet, path);
      const effective = expectedIn(fleet, path);
      for (const [one, index] of layers.filter(([{ projects: all }]) => all.some((each) => each.includes("*")))) {
        for (const [name, value] of Object.entries(one.entries)) {
          const now = effective.get(name);
          const wanted = valueIn(layers, path, value);
          const { inherit: _, ...own } = Object(wanted);
          const isHeld = typeof now === "object" && typeof wanted === "object";
          const holds = isHeld ? isDeepStrictEqual({ ...now, ...own }, { ...now }) : now === wanted;
          const id = `p${index} ${name}`;
          if (!holds) counts.set(id, (counts.get(id) ?? 0) + 1);
        }
      }
    }
    const found = overridesAmong(policiesOf(fleet), projects);
    expect(new Map(found.map(({ policy, entry, projects: count }) => [`${policy} ${entry}`, count]))).toEqual(counts);
  }));

test("prune changes no effective state, in known projects and in those to come, and leaves nothing to prune", () =>
  law(50, [fleets, fc.subarray([...projects], { minLength: 0 })], async (fleet, listing) => {
    const place = folder({ "evenkeel.yaml": "apiVersion: evenkeel/v1\nkind: Workspace\n", "p.yaml": textOf(fleet) });
    const checked = validateWorkspace(loadWorkspace(place.root), { folder: place.root, env: {} });
    const { policies } = checked;
    const known = knownProjects(policies, listing);
    const prune = (now: readonly Policy[]) =>
      prunableEntries({ policies: now, projects: known, wide: widePolicies(now), yields: false });
    const found = prune(policies);
    const { texts, left } = pruneTexts(checked, found);
    expect([left, changesByPruning(checked, { texts }, known)]).toEqual([[], []]);
    const { documents } = parseManifest("p.yaml", texts.get("p.yaml") ?? textOf(fleet));
    const after = readPolicies({ documents, workspace: defaultWorkspace }).policies;
    for (const project of projects) expect(actualIn(after, project)).toEqual(actualIn(policies, project));
    expect(prune(after)).toEqual([]);
  }));

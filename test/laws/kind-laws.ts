import { join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { digestOf } from "../../src/base/json.ts";
import { type Owner, owners } from "../../src/model/owner.ts";
import { ownersOf, type ResourceKind } from "../../src/model/resource-kind.ts";
import type { Seed } from "../../src/server/seed.ts";
import { type KindFile, kinds, kindsIn } from "../kinds/kinds.ts";
import { essenceOf } from "./essence.ts";
import type { Fleet } from "./fleet.ts";
import { circles, declaredSection, kindCanary, kindSecrets, people, togetherIn, words } from "./kind-values.ts";
import { changesOf, checkConvergence, impatience, inSync, onStage, type Setting, type Stage } from "./stage.ts";
import type { Fate } from "./wire.ts";

const ownKinds = kindsIn(join(import.meta.dirname, "own"));

/**
 * Every bundled kind that is a section, and some that only a workspace has; licenses have laws of their own. Those of
 * `create:` are {@link creatingKinds}.
 */
export const lawfulKinds: readonly (readonly [name: string, kind: KindFile])[] = [
  ...[...kinds].filter(([file, { under }]) => file !== "licenses" && under === undefined),
  ...ownKinds,
];

/** The kinds of `create:`. They are declared alone: globs of other policies select what is created in the next run. */
export const creatingKinds = [...kinds].filter(([, { under }]) => under === "create");

const paths = ["payments/api", "payments/web", "solo/x"] as const;

/** Resources that pipelines make, and nobody else. */
const uncreatable = { resource_groups: words.map((key) => ({ key, process_mode: "unordered" })) };

const seed: Seed = {
  projects: paths.map((path, index) => ({ id: 40 + index, path, default_branch: "main", resources: uncreatable })),
  groups: Object.entries(circles).map(([id, path]) => ({ id: Number(id), path })),
  users: Object.entries(people).map(([id, username]) => ({ id: Number(id), username })),
};

type Sections = Readonly<Record<string, unknown>>;

/** What policies say of these kinds: of all projects or groups, or of the instance, and of one more. */
interface OfOwner {
  readonly all: Sections;
  readonly one: Sections;
  readonly exclusive: readonly string[];
}

export type Declared = Readonly<Record<Owner, OfOwner>>;

export function declaredKinds(files: readonly KindFile[]): fc.Arbitrary<Declared> {
  const of = (owner: Owner) => declaredOf(files.filter((file) => ownersOf(file as ResourceKind).includes(owner)));
  return fc.record({ project: of("project"), group: of("group"), instance: of("instance") }).map(apart);
}

/** Policies that create projects and groups below one group, and groups of the instance. */
export function declaredCreations(files: readonly KindFile[]): fc.Arbitrary<Declared> {
  const none: OfOwner = { all: {}, one: {}, exclusive: [] };
  const of = (owner: Owner) => {
    const own = files.filter((file) => ownersOf(file as ResourceKind).includes(owner));
    const sections = fc.record(Object.fromEntries(own.map((kind) => [kind.name, declaredSection(kind)])));
    return sections.map((create): OfOwner => ({ ...none, one: { create: filled(create) } }));
  };
  return fc.record({ project: fc.constant(none), group: of("group"), instance: of("instance") });
}

/** A project or group cannot have the labels of groups above it, so those of the groups are of the top group alone. */
function apart({ project, group, instance }: Declared): Declared {
  const { labels: _, ...rest } = group.all as Sections & { labels?: unknown };
  const { labels = {}, ...single } = group.one as Sections & { labels?: object };
  const named = Object.entries(labels).map(([name, label]) => [`${name} of the group`, label] as const);
  return {
    project,
    instance,
    group: { ...group, all: rest, one: { ...single, ...(named.length > 0 && { labels: Object.fromEntries(named) }) } },
  };
}

function declaredOf(files: readonly KindFile[]): fc.Arbitrary<OfOwner> {
  const keyed = files.filter(({ key, calls }) => key !== undefined && calls.delete).map(({ name }) => name);
  const sections = fc.record(Object.fromEntries(files.map((kind) => [kind.name, declaredSection(kind)])));
  const singletons = files
    .filter(({ key }) => key === undefined)
    .map((kind) => ({ name: kind.name, together: togetherIn(kind) }));
  const fitsAll = ({ all, one }: { all: Sections; one: Sections }) =>
    singletons.every(({ name, together }) => together({ ...(all[name] as object), ...(one[name] as object) }));
  return fc.record({ all: sections, one: sections, exclusive: fc.subarray(keyed) }).filter(fitsAll);
}

const selectors = {
  project: { all: { projects: ["**"] }, one: { projects: ["payments/api"] } },
  group: { all: { groups: ["**"] }, one: { groups: ["payments"] } },
  instance: { all: { instance: true }, one: { instance: true, priority: 1 } },
} as const;

/** The same as manifests, for a server that has every kind. */
function fleetOf(declared: Declared): Fleet {
  const policies = owners.flatMap((owner) => policiesOf(owner, declared[owner]));
  const platform = { release: "19.9", tier: "ultimate", environment: "production", dialect: "neutral" };
  return { platform, projects: [], policies, seed, kinds: [...ownKinds.values()] } as unknown as Fleet;
}

function policiesOf(owner: Owner, { all, one, exclusive }: OfOwner): readonly object[] {
  const { all: every, one: single } = selectors[owner];
  return [
    { name: `all ${owner}s`, ...every, ...filled(all), exclusive },
    { name: `one ${owner}`, ...single, ...filled(one) },
  ];
}

function filled(sections: Sections): Sections {
  return Object.fromEntries(Object.entries(sections).filter(([, value]) => Object.keys(value as object).length > 0));
}

/** A stage on which the secrets of kinds are known. */
async function onKindStage(declared: Declared, setting: Setting, work: (stage: Stage) => Promise<void>) {
  await onStage(fleetOf(declared), setting, async (stage) => {
    const env = { ...stage.env, ...kindSecrets };
    await work({
      ...stage,
      env,
      plan: (more) => stage.plan({ env, ...more }),
      rehearse: (more) => stage.rehearse({ env, ...more }),
      apply: (more, hooks) => stage.apply({ env, ...more }, hooks),
    });
  });
}

/** What is declared first is made, what is declared then is changed to, and both times a plan is empty afterwards. */
export async function checkBoth(first: Declared, second: Declared, setting: Setting): Promise<void> {
  await onKindStage(first, setting, async (stage) => {
    await checkConvergence(stage);
    stage.write(fleetOf(second), setting);
    expect(JSON.stringify((await stage.plan()).plan)).not.toContain(kindCanary);
    await checkConvergence(stage);
    for (const text of stage.written().values()) expect(text).not.toContain(kindCanary);
  });
}

/** A change of what is declared is cut at a request, if there are as many, and run again. */
export async function checkCut(first: Declared, second: Declared, cut: number, setting: Setting): Promise<void> {
  await onKindStage(first, setting, async (stage) => {
    await stage.apply();
    stage.write(fleetOf(second), setting);
    stage.wire.reset();
    stage.wire.fate = (_, index): Fate => (index < cut ? "pass" : index === cut ? "acted and lost" : "lost");
    await stage.apply({ patience: impatience });
    stage.wire.reset();
    await stage.apply();
    expect(changesOf(await stage.plan())).toEqual(inSync);
  });
}

/** A change of what is declared gives the same plan whatever the order of keys, documents and files is. */
export async function checkOrder(first: Declared, second: Declared, arrangement: number, setting: Setting) {
  await onKindStage(first, setting, async (stage) => {
    await stage.apply();
    stage.write(fleetOf(second), setting);
    const plain = essenceOf(await stage.plan());
    stage.write(fleetOf(second), { ...setting, arrangement });
    const arranged = essenceOf(await stage.plan());
    expect(arranged).toEqual(plain);
    expect(digestOf(arranged)).toBe(digestOf(plain));
  });
}

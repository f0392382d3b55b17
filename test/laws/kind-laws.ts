import fc from "fast-check";
import { expect } from "vitest";
import type { Seed } from "../../src/server/seed.ts";
import { type KindFile, kinds } from "../kinds/kinds.ts";
import type { Fleet } from "./fleet.ts";
import { circles, declaredSection, kindCanary, kindSecrets, people } from "./kind-values.ts";
import { changesOf, checkConvergence, impatience, inSync, onStage, type Setting, type Stage } from "./stage.ts";
import type { Fate } from "./wire.ts";

/** Every bundled kind of projects; licenses have laws of their own. */
export const lawfulKinds: readonly (readonly [file: string, kind: KindFile])[] = [...kinds].filter(
  ([file, { of }]) => of === "project" && file !== "licenses",
);

const paths = ["payments/api", "payments/web", "solo/x"] as const;

const seed: Seed = {
  projects: paths.map((path, index) => ({ id: 40 + index, path, default_branch: "main" })),
  groups: Object.entries(circles).map(([id, path]) => ({ id: Number(id), path })),
  users: Object.entries(people).map(([id, username]) => ({ id: Number(id), username })),
};

type Sections = Readonly<Record<string, unknown>>;

/** What policies say of these kinds: of all projects, and of one more. */
export interface Declared {
  readonly all: Sections;
  readonly one: Sections;
  readonly exclusive: readonly string[];
}

/** Policies of these kinds. */
export function declaredKinds(files: readonly KindFile[]): fc.Arbitrary<Declared> {
  const keyed = files.filter(({ key }) => key !== undefined).map(({ name }) => name);
  const sections = fc.record(Object.fromEntries(files.map((kind) => [kind.name, declaredSection(kind)])));
  return fc.record({ all: sections, one: sections, exclusive: fc.subarray(keyed) });
}

/** The same as manifests, for a server that has every kind. */
function fleetOf({ all, one, exclusive }: Declared): Fleet {
  const policy = { priority: 0, vars: {}, integrations: {}, disabled: [], licenses: {}, exclusive };
  const policies = [
    { ...policy, name: "all", projects: ["**"], ...filled(all) },
    { ...policy, name: "one", projects: ["payments/api"], exclusive: [], ...filled(one) },
  ];
  const platform = { release: "19.9", tier: "ultimate", environment: "production", dialect: "neutral" };
  return { platform, projects: [], policies, seed } as unknown as Fleet;
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
    const planned = await stage.plan();
    expect(JSON.stringify(planned.plan)).not.toContain(kindCanary);
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

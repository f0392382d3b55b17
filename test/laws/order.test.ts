import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { digestOf } from "../../src/base/json.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { fleet } from "./fleet.ts";
import { law, onStage, withoutPauses } from "./stage.ts";

withoutPauses();

/** A plan without what tells where things are written. */
function essence({ plan }: { readonly plan: Plan }) {
  const { manifests: _, created_at: __, digest: ___, warnings, problems, ...rest } = plan;
  const changes = rest.resource_changes.map(({ source: _, ...change }) => change);
  return { ...rest, resource_changes: changes, told: told([...warnings, ...problems]) };
}

/** Warnings and problems stand in the order of their places, which is what changes here. */
function told(problems: Plan["problems"]): string[] {
  return problems.map(({ rule, message, project = "" }) => `${rule} ${project} ${message}`).sort();
}

describe.each([false, true])("with a ledger: %s", (ledger) => {
  test("the order of keys, documents and files does not matter", async () => {
    await law(4, [fleet(), fleet(), fc.integer({ min: 1, max: 1e6 })], async (generated, before, arrangement) => {
      const setting = { behaviour: "spec", ledger } as const;
      const live = {
        ...generated,
        policies: before.platform.release === generated.platform.release ? before.policies : [],
      };
      await onStage(live, setting, async (stage) => {
        await stage.apply();
        stage.write(generated, setting);
        const plain = essence(await stage.plan());
        stage.write(generated, { ...setting, arrangement });
        const arranged = essence(await stage.plan());
        expect(arranged).toEqual(plain);
        expect(digestOf(arranged)).toBe(digestOf(plain));
      });
    });
  });
});

test("the same input gives the same plan, byte for byte", async () => {
  await law(5, [fleet()], async (generated) => {
    await onStage(generated, { behaviour: "observed" }, async (stage) => {
      const plans = [await stage.plan({ concurrency: 1 }), await stage.plan({ concurrency: 16 })];
      const [first, second] = plans.map(({ plan }) => JSON.stringify({ ...plan, created_at: "" }));
      expect(second).toBe(first);
    });
  });
});

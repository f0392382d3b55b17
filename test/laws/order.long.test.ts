import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { digestOf } from "../../src/base/json.ts";
import { essenceOf } from "./essence.ts";
import { fleet } from "./fleet.ts";
import { law, onStage, withoutPauses } from "./stage.ts";

withoutPauses();

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
        const plain = essenceOf(await stage.plan());
        stage.write(generated, { ...setting, arrangement });
        const arranged = essenceOf(await stage.plan());
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

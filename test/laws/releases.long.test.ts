import { describe, expect, test } from "vitest";
import { dialects } from "../../src/model/dialects.ts";
import { fleet } from "./fleet.ts";
import { importInto } from "./import-into.ts";
import { changesOf, checkConvergence, inSync, law, onStage, withoutPauses } from "./stage.ts";

withoutPauses();

/** Each differs from the one before in something that servers do. */
const releases = ["13.12", "14.5", "15.0", "15.8", "16.0", "17.3", "17.9", "18.0", "19.5"];

const worlds = [...dialects.keys()].flatMap((dialect) =>
  releases.flatMap((release) => (["spec", "observed"] as const).map((behaviour) => ({ dialect, release, behaviour }))),
);

describe.each(worlds)("$dialect, $release, behaviour $behaviour", ({ behaviour, ...chosen }) => {
  test("with a ledger, plan after apply is empty, and a second apply writes nothing", async () => {
    await law(2, [fleet(chosen)], async (generated) => {
      await onStage(generated, { behaviour, ledger: true }, checkConvergence);
    });
  });

  test("plan after import is empty", async () => {
    await law(1, [fleet(chosen)], async (generated) => {
      await onStage(generated, { behaviour }, async (stage) => {
        await importInto(stage, generated, { all: true });
        expect(changesOf(await stage.plan())).toEqual(inSync);
      });
    });
  });
});

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Fleet, fleet } from "./fleet.ts";
import { changesOf, law, onStage, type Stage, withoutPauses } from "./stage.ts";

withoutPauses();

const setting = { behaviour: "observed", ledger: true, reads: "trust-updated-at" } as const;

const ledgerIn = (stage: Stage) => join(stage.folder, ".evenkeel/ledger.ndjson");

/** The entries of the projects themselves, without which each field is looked at on its own. */
function withoutOwnEntries(stage: Stage): number {
  // Where no project wants anything, nothing is remembered.
  if (!existsSync(ledgerIn(stage))) return 0;
  const text = readFileSync(ledgerIn(stage), "utf8");
  const without = text.replace(/"":\{"sent":\{"":"[^"]*"\}\},?/g, "");
  writeFileSync(ledgerIn(stage), without);
  return text.length - without.length;
}

async function planned(stage: Stage) {
  const found = await stage.plan();
  return { ...(changesOf(found) as object), unverified: found.plan.unverified, summary: found.plan.summary };
}

/** Turns every integration of the first project off, past the manifests. */
async function turnOff(stage: Stage, { projects: [first], platform }: Fleet): Promise<void> {
  if (!first) return;
  const segment = Number.parseFloat(platform.release) < 14 ? "services" : "integrations";
  const base = `/projects/${first.id}/${segment}`;
  for (const { slug } of (await stage.ask("GET", base)) as readonly { slug: string }[])
    await stage.ask("DELETE", `${base}/${slug}`);
}

test("one look at what stood still together finds what a look at each field finds", async () => {
  const edits = fc.record({ isTurnedOff: fc.boolean(), dropped: fc.nat({ max: 3 }), arrangement: fc.nat({ max: 9 }) });
  let stripped = 0;
  await law(8, [fleet(), edits], async (generated, { isTurnedOff, dropped, arrangement }) => {
    await onStage(generated, setting, async (stage) => {
      await stage.apply();
      await stage.apply();
      if (isTurnedOff) await turnOff(stage, generated);
      const policies = generated.policies.filter((_, index) => index !== dropped);
      stage.write({ ...generated, policies }, { ...setting, arrangement });
      const whole = await planned(stage);
      stripped += withoutOwnEntries(stage);
      expect(await planned(stage)).toEqual(whole);
    });
  });
  expect(stripped).toBeGreaterThan(0);
});

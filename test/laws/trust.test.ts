import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Fleet, fleet } from "./fleet.ts";
import { changesOf, law, onStage, type Stage, withoutPauses } from "./stage.ts";

withoutPauses();

const setting = { behaviour: "observed", ledger: true, reads: "trust-updated-at" } as const;

const ledgerIn = (stage: Stage) => join(stage.folder, ".evenkeel/ledger.ndjson");

/** The entries of the projects themselves, without which each list is read. */
function withoutOwnEntries(stage: Stage): number {
  const text = readFileSync(ledgerIn(stage), "utf8");
  const without = text.replace(/"":\{"sent":\{"":"[^"]*"\}\},?/g, "");
  writeFileSync(ledgerIn(stage), without);
  return text.length - without.length;
}

async function planned(stage: Stage, env: Readonly<Record<string, string>>) {
  const found = await stage.plan({ env: { ...stage.env, ...env } });
  const { reads, unverified, ...counted } = found.plan.summary;
  return { told: { ...(changesOf(found) as object), summary: counted }, looks: { reads, unverified } };
}

/** Plans with what the ledger knows of lists and without it, and leaves it as it was. Returns how much that is. */
async function expectSpared(stage: Stage, env: Readonly<Record<string, string>>): Promise<number> {
  const spared = await planned(stage, env);
  // Where no project wants anything, nothing is remembered.
  if (!existsSync(ledgerIn(stage))) return 0;
  const ledger = readFileSync(ledgerIn(stage), "utf8");
  const stripped = withoutOwnEntries(stage);
  const unspared = await planned(stage, env);
  expect(unspared.told).toEqual(spared.told);
  // An integration whose secret is another one is read only by a plan that does not know its list, and may not show all fields.
  expect(spared.looks.reads).toBeLessThanOrEqual(unspared.looks.reads);
  expect(spared.looks.unverified).toBeLessThanOrEqual(unspared.looks.unverified);
  if (Object.keys(env).length === 0) expect(spared.looks).toEqual(unspared.looks);
  writeFileSync(ledgerIn(stage), ledger);
  return stripped;
}

/** What may happen to a project past the manifests. */
const incidents = {
  nothing: async () => {},
  "its integrations are turned off": turnOff,
  "a license is decided otherwise": decideOtherwise,
  "a license is added": (stage: Stage, { projects: [first] }: Fleet) =>
    stage.ask("POST", `/projects/${first?.id}/managed_licenses`, { name: "Beerware", approval_status: "approved" }),
};

async function decideOtherwise(stage: Stage, { projects: [first] }: Fleet): Promise<void> {
  const base = `/projects/${first?.id}/managed_licenses`;
  const [row] = (await stage.ask("GET", base)) as readonly { id: number; approval_status: string }[];
  if (!row) return;
  const status = /approved|allowed/.test(row.approval_status) ? "blacklisted" : "approved";
  await stage.ask("PATCH", `${base}/${row.id}`, { approval_status: status });
}

async function turnOff(stage: Stage, { projects: [first], platform }: Fleet): Promise<void> {
  if (!first) return;
  const segment = Number.parseFloat(platform.release) < 14 ? "services" : "integrations";
  const base = `/projects/${first.id}/${segment}`;
  for (const { slug } of (await stage.ask("GET", base)) as readonly { slug: string }[])
    await stage.ask("DELETE", `${base}/${slug}`);
}

test("what lists that did not change spare a plan is nothing that it would find", async () => {
  const edits = fc.record({
    incident: fc.constantFrom(...(Object.keys(incidents) as (keyof typeof incidents)[])),
    dropped: fc.nat({ max: 3 }),
    arrangement: fc.nat({ max: 9 }),
    env: fc.constantFrom({}, { HOOK: "another-hook-than-before" }),
  });
  let stripped = 0;
  await law(6, [fleet(), edits], async (generated, { incident, dropped, arrangement, env }) => {
    await onStage(generated, setting, async (stage) => {
      await stage.apply();
      await stage.apply();
      await incidents[incident](stage, generated);
      const policies = generated.policies.filter((_, index) => index !== dropped);
      stage.write({ ...generated, policies }, { ...setting, arrangement });
      stripped += await expectSpared(stage, env);
      await stage.apply({ env: { ...stage.env, ...env } });
      await expectSpared(stage, env);
    });
  });
  expect(stripped).toBeGreaterThan(0);
});

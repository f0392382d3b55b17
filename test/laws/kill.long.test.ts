import { appendFileSync, existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChaosRule } from "../../src/server/chaos.ts";
import { type Fleet, fleet } from "./fleet.ts";
import { changesOf, impatience, inSync, law, onStage, type Stage, withoutPauses } from "./stage.ts";
import type { Fate } from "./wire.ts";

withoutPauses();

const settings = [
  ["spec", false],
  ["spec", true],
  ["observed", true],
] as const;

/** A share of the requests of an undisturbed run. */
const moment = fc.double({ min: 0, max: 1, noNaN: true });

describe.each(settings)("behaviour %s, ledger %s", (behaviour, ledger) => {
  test("cut off at any request, it converges when it is run again", async () => {
    await law(3, [fleet(), moment, fc.boolean()], async (generated, at, acted) => {
      await onStage(generated, { behaviour, ledger }, async (stage) => {
        const cut = await requestAt(generated, { behaviour, ledger }, at);
        stage.wire.fate = (_, index): Fate =>
          index < cut ? "pass" : index === cut && acted ? "acted and lost" : "lost";
        expect((await stage.apply({ patience: impatience })).plan).toBeDefined();
        await converges(stage, generated);
      });
    });
  });

  test("stopped at any request, it finishes what is in flight and converges when it is run again", async () => {
    await law(3, [fleet(), moment], async (generated, at) => {
      await onStage(generated, { behaviour, ledger }, async (stage) => {
        const cut = await requestAt(generated, { behaviour, ledger }, at);
        const stop = new AbortController();
        stage.wire.fate = (_, index) => {
          if (index === cut) stop.abort("the test stops it");
          return "pass";
        };
        const { outcomes } = await stage.apply({ signal: stop.signal });
        for (const { status } of outcomes?.values() ?? []) expect(["applied", "skipped"]).toContain(status);
        await converges(stage, generated);
      });
    });
  });

  test("killed at any request, with a lock, a torn journal and an older ledger left behind, it converges", async () => {
    await law(3, [fleet(), moment, fc.boolean(), fc.nat(60)], async (generated, at, acted, torn) => {
      const setting = { behaviour, ledger, requestTimeout: "2s" };
      await onStage(generated, setting, async (stage) => {
        const cut = await requestAt(generated, setting, at);
        stage.wire.fate = (_, index): Fate =>
          index < cut ? "pass" : index === cut && acted ? "acted and lost" : "lost";
        const before = ledgerOf(stage);
        const { outcomes } = await stage.apply({ patience: impatience });
        leaveAsKilled(stage, before, torn);
        stage.wire.reset();
        expect((await stage.plan()).plan.problems).toEqual([]);
        await converges(stage, generated, (outcomes?.size ?? 0) > 0);
      });
    });
  });

  test("faults of all kinds on the wire end in sync as soon as a run gets through", async () => {
    await law(3, [fleet(), fc.array(rule, { minLength: 1, maxLength: 4 })], async (generated, chaos) => {
      await onStage(generated, { behaviour, ledger, chaos }, async (stage) => {
        await untilThrough(stage, generated);
        expect(changesOf(await planPastFaults(stage))).toEqual(inSync);
      });
    });
  });
});

/** The first plan that no fault is left for: those that skip more requests than the runs before made are still to come. */
async function planPastFaults(stage: Stage, attempts = 4): ReturnType<Stage["plan"]> {
  const planned = await stage.plan();
  return planned.plan.problems.length === 0 || attempts === 1 ? planned : planPastFaults(stage, attempts - 1);
}

const rule: fc.Arbitrary<ChaosRule> = fc
  .record({
    fault: fc.constantFrom<Partial<ChaosRule>>(
      { status: 429, retry_after: 0 },
      { status: 500 },
      { status: 503, retry_after: 0 },
      { status: 409 },
      { html: true },
      { reset: true },
      { truncate: true },
    ),
    acted: fc.boolean(),
    skip: fc.nat(25),
    times: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ fault, ...rest }) => ({ ...rest, ...fault }));

/** Applies until both an apply and a plan after it meet no fault: each run that does not uses some of them up. */
async function untilThrough(stage: Stage, generated: Fleet): Promise<void> {
  for (let run = 0; run < 15; run++) {
    const { plan, outcomes = new Map() } = await stage.apply();
    await checkLicenses(stage, generated);
    const isWhole = plan.problems.length === 0 && [...outcomes.values()].every(({ status }) => status === "applied");
    if (isWhole && (await stage.plan()).plan.problems.length === 0) return;
  }
  throw new Error("no run got through");
}

/** The number of a request, at a share of all that an undisturbed apply sends. */
async function requestAt(generated: Fleet, setting: Parameters<typeof onStage>[1], share: number): Promise<number> {
  return onStage(generated, setting, async (undisturbed) => {
    await undisturbed.apply();
    return Math.floor(share * undisturbed.wire.seen.length);
  });
}

async function converges(stage: Stage, generated: Fleet, wasJournalled = false): Promise<void> {
  stage.wire.reset();
  const { plan, outcomes = new Map() } = await stage.apply();
  expect(plan.problems).toEqual([]);
  expect([...outcomes].filter(([, { status }]) => status !== "applied")).toEqual([]);
  if (wasJournalled) expect(plan.warnings.map(({ rule }) => rule)).toContain("run-cut-short");
  expect(changesOf(await stage.plan())).toEqual(inSync);
  await checkLicenses(stage, generated);
}

/** No license stands twice in any project. */
async function checkLicenses(stage: Stage, { projects }: Fleet): Promise<void> {
  for (const { id } of projects) {
    const rows = (await stage.ask("GET", `/projects/${id}/managed_licenses?per_page=100`)) as { name: string }[];
    const names = rows.map(({ name }) => name.toLowerCase());
    expect(names).toEqual([...new Set(names)]);
  }
}

function ledgerOf({ folder }: Stage): string | undefined {
  const file = join(folder, ".evenkeel/ledger.ndjson");
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** No process has this number: it is beyond what Linux gives. */
const nobody = 2 ** 22 + 1;

/** What a kill leaves: nothing of the ledger since it was last saved, a lock, half a line at the end of the journal. */
function leaveAsKilled({ folder }: Stage, ledger: string | undefined, torn: number): void {
  const state = join(folder, ".evenkeel");
  if (ledger !== undefined) writeFileSync(join(state, "ledger.ndjson"), ledger);
  else if (existsSync(join(state, "ledger.ndjson"))) writeFileSync(join(state, "ledger.ndjson"), "");
  writeFileSync(join(state, "lock"), JSON.stringify({ pid: nobody, host: hostname(), since: "2026-01-01T00:00:00Z" }));
  if (!existsSync(join(state, "journal"))) return;
  for (const name of readdirSync(join(state, "journal"))) tear(join(state, "journal", name), torn);
}

function tear(file: string, bytes: number): void {
  const text = readFileSync(file, "utf8");
  const ended = text.lastIndexOf('{"at"');
  truncateSync(file, Buffer.byteLength(text.slice(0, ended)));
  appendFileSync(file, text.slice(ended, ended + bytes).replace(/\n$/, ""));
}

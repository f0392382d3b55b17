import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { type PlannedChange, planDigest } from "../../src/plan/plan.ts";
import type { Applied, Planned } from "../../src/run/request.ts";
import { type Fleet, fleet } from "./fleet.ts";
import { impatience, law, onStage, type Stage, token, withoutPauses } from "./stage.ts";
import { secretNames } from "./values.ts";

const { integrations } = catalogueOf();

withoutPauses();

/** What somebody else does to one target between a plan and its apply; each chosen by a number. */
type Meddling = readonly number[];

const meddling: fc.Arbitrary<Meddling> = fc.array(fc.nat(9), { minLength: 3, maxLength: 12 });

async function savedPlan(stage: Stage): Promise<{ readonly file: string; readonly planned: Planned }> {
  const planned = await stage.plan();
  const file = join(stage.folder, "saved.json");
  writeFileSync(file, JSON.stringify(planned.plan));
  return { file, planned };
}

const isOlder = ({ platform }: Fleet) => Number.parseFloat(platform.release) < 14;

const segmentOf = (generated: Fleet) => (isOlder(generated) ? "services" : "integrations");

/** Deployed servers of 13.x take the older words alone. */
const licenseWords = (generated: Fleet) => (isOlder(generated) ? ["approved", "blacklisted"] : ["allowed", "denied"]);

interface Row {
  readonly id: number;
  readonly name: string;
  readonly approval_status: string;
}

/** Changes a target behind the program's back, so that its live values are others than before. */
async function meddle(stage: Stage, generated: Fleet, { project, kind, key }: PlannedChange): Promise<void> {
  const base = `/projects/${encodeURIComponent(project)}`;
  if (kind === "license") await meddleLicense(stage, base, key, licenseWords(generated));
  else await meddleIntegration(stage, `${base}/${segmentOf(generated)}`, key);
}

async function meddleLicense(stage: Stage, base: string, key: string, words: readonly string[]): Promise<void> {
  const rows = (await stage.ask("GET", `${base}/managed_licenses?per_page=100`)) as readonly Row[];
  const live = rows.find(({ name }) => name.toLowerCase() === key.toLowerCase());
  const next = words[["denied", "blacklisted"].includes(live?.approval_status ?? "") ? 0 : 1];
  if (live) await stage.ask("PATCH", `${base}/managed_licenses/${live.id}`, { approval_status: next });
  else await stage.ask("POST", `${base}/managed_licenses`, { name: key, approval_status: next });
}

/** Turns it off where it is on; where it is not there, or off, writes it. */
async function meddleIntegration(stage: Stage, base: string, slug: string): Promise<void> {
  const rows = (await stage.ask("GET", base)) as readonly { slug: string }[];
  if (rows.some((row) => row.slug === slug)) {
    await stage.ask("DELETE", `${base}/${slug}`);
    return;
  }
  const needed = [...(integrations.get(slug)?.parameters.values() ?? [])].filter(
    ({ isRequired, observed }) => isRequired || observed.has("required"),
  );
  const values = needed.map(({ name, enum: allowed }) => [name, allowed?.[0] ?? "https://else.example.com/:id"]);
  await stage.ask("PUT", `${base}/${slug}`, Object.fromEntries(values));
}

describe.each([
  ["spec", false],
  ["spec", true],
  ["observed", false],
] as const)("behaviour %s, ledger %s", (behaviour, ledger) => {
  test("what moved since a plan was saved gets no request, and all else does", async () => {
    await law(4, [fleet({ keepable: true }), meddling], async (generated, choices) => {
      await onStage(generated, { behaviour, ledger }, async (stage) => {
        const { file, planned } = await savedPlan(stage);
        const changes = planned.plan.resource_changes;
        const chosen = changes.filter((_, index) => (choices[index % choices.length] ?? 0) > 6);
        const moved = new Set(chosen.map(({ address }) => address));
        for (const change of chosen) await meddle(stage, generated, change);
        stage.wire.reset();
        const { outcomes = new Map(), plan } = await stage.apply({ saved: file });
        expect(plan.problems).toEqual([]);
        const statuses = [...outcomes].map(([address, { status }]) => [address, status]);
        const expected = changes.map(({ address }) => [address, moved.has(address) ? "stale" : "applied"]);
        expect(Object.fromEntries(statuses)).toEqual(Object.fromEntries(expected));
        // A server of 13.x refuses today's words for licenses, and gets the same write again in the older ones.
        const written = new Set(stage.wire.writes.map(({ method, path, body }) => `${method} ${path} ${body.name}`));
        expect(written.size).toBe(changes.length - moved.size);
      });
    });
  });
});

test("a stopped or cut off apply of a saved plan still says what became of every change", async () => {
  await law(4, [fleet(), fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean()], async (generated, share, stops) => {
    await onStage(generated, { behaviour: "spec" }, async (stage) => {
      const { file, planned } = await savedPlan(stage);
      const cut = stage.wire.seen.length + Math.floor(share * (stage.wire.seen.length + planned.plan.summary.writes));
      const stop = new AbortController();
      stage.wire.fate = (_, index) => {
        if (index < cut) return "pass";
        if (stops) stop.abort("the test stops it");
        return stops ? "pass" : "lost";
      };
      const cutOff = { saved: file, signal: stop.signal, concurrency: 1, patience: impatience };
      const { outcomes, compared }: Applied = await stage.apply(cutOff);
      if (!compared) expect(stage.wire.writes).toEqual([]);
      else expect(outcomes?.size ?? 0).toBe(planned.plan.summary.writes);
    });
  });
});

test("a plan that was edited is refused whole, and one with a digest to match still faces the guards", async () => {
  await law(4, [fleet(), fc.boolean()], async (generated, forged) => {
    await onStage(generated, { behaviour: "spec", protected: ["*:*/*"] }, async (stage) => {
      const { planned } = await savedPlan(stage);
      const { summary } = planned.plan;
      const edited = { ...planned.plan, objections: [], summary: { ...summary, unmanaged: summary.unmanaged + 1 } };
      const file = join(stage.folder, "edited.json");
      writeFileSync(file, JSON.stringify(forged ? { ...edited, digest: planDigest(edited) } : edited));
      const { plan, refused = [] } = await stage.apply({ saved: file });
      const { disable, delete: deleted } = summary;
      const removals = disable + deleted;
      if (!forged) expect(plan.problems.length).toBe(1);
      if (forged && removals > 0) expect(refused.length).toBe(removals);
      if (!forged || removals > 0) expect(stage.wire.writes).toEqual([]);
    });
  });
});

test("the secrets of a saved plan are resolved before its first write", async () => {
  await law(5, [fleet()], async (generated) => {
    await onStage(generated, { behaviour: "spec" }, async (stage) => {
      const { file, planned } = await savedPlan(stage);
      const env = { EVENKEEL_TOKEN: token, EVENKEEL_URL: stage.wire.url };
      const needed = secretNames.filter((name) =>
        JSON.stringify(planned.differences.flatMap(({ changes }) => changes.map(({ declared }) => declared))).includes(
          `env:${name}`,
        ),
      );
      const { plan, outcomes } = await stage.apply({ saved: file, env });
      expect(plan.problems.map(({ rule }) => rule)).toEqual(needed.map(() => "missing-secret"));
      if (needed.length > 0) expect([outcomes, stage.wire.writes]).toEqual([undefined, []]);
    });
  });
});

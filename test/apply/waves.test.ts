import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { inWaves, type Wave, wavesIn, waveText } from "../../src/manifest/waves.ts";
import type { Applied } from "../../src/run/request.ts";
import type { ChaosRule } from "../../src/server/chaos.ts";
import { layWire } from "../laws/wire.ts";
import { outcomes, type Runs, runs } from "../reconcile/runs.ts";

function waves(text: string): readonly Wave[] {
  const read = wavesIn(text);
  if ("fault" in read) throw new Error(read.fault);
  return read.waves;
}

describe("waves are read", () => {
  test.each([
    ["1,5%,100%", "1,5%,100%"],
    ["1, 5% , 0100%", "1,5%,100%"],
    ["3", "3,100%"],
    ["2.5%,50%", "2.5%,50%,100%"],
    ["100%", "100%"],
    ["10,5%,20,50%", "10,5%,20,50%,100%"],
  ])("from %s", (text, expected) => {
    expect(waves(text).map(waveText).join(",")).toBe(expected);
  });

  test.each([
    ["", '"" is not a wave'],
    ["1,,2", '"" is not a wave'],
    ["0%", "a wave of 0% contains no project"],
    ["0,100%", "a wave of 0 contains no project"],
    ["-1", '"-1" is not a wave'],
    ["five", '"five" is not a wave'],
    ["1.5", '"1.5" is not a wave'],
    ["101%", "a wave of 101% is more than all"],
    ["10%,5%", "a wave of 5% does not go beyond the 10% before it"],
    ["5,5", "a wave of 5 does not go beyond the 5 before it"],
    ["100%,7", "a wave of 7 comes after 100%"],
  ])("and %j is refused in a sentence", (text, words) => {
    expect(wavesIn(text)).toEqual({ fault: expect.stringContaining(words) });
    expect(wavesIn(text)).toEqual({
      fault: expect.stringMatching(/; expected increasing numbers .* such as 1,5%,100%$/),
    });
  });
});

const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,4}$/), { maxLength: 60 });
const parts = fc
  .uniqueArray(fc.integer({ min: 1, max: 99 }), { maxLength: 4 })
  .map((amounts) => amounts.sort((a, b) => a - b));
const lists = fc
  .tuple(parts, fc.boolean())
  .map(([amounts, share]) => amounts.map((n) => (share ? `${n}%` : n)).join(","));

describe("projects are dealt out to waves", () => {
  test("each to one, none empty, as many as stated, canaries first, and always in the same way", () => {
    fc.assert(
      fc.property(names, lists, fc.nat(3), (projects, list, count) => {
        const stated = waves(list || "100%");
        const canaries = new Set(projects.slice(0, count));
        const dealt = inWaves(projects, stated, (each) => canaries.has(each));
        expect(dealt.flat().sort()).toEqual([...projects].sort());
        expect(dealt.every((wave) => wave.length > 0)).toBe(true);
        expect(new Set(dealt[0]?.slice(0, canaries.size) ?? [])).toEqual(canaries);
        const reach = stated.map(({ amount, unit }) =>
          Math.min(projects.length, unit === "percent" ? Math.ceil((projects.length * amount) / 100) : amount),
        );
        const ends = dealt.map((_, index) => dealt.slice(0, index + 1).flat().length);
        expect(ends.every((end) => reach.includes(end) || end === canaries.size)).toBe(true);
        expect(inWaves([...projects].reverse(), stated, (each) => canaries.has(each))).toEqual(dealt);
      }),
    );
  });

  test("a share is rounded up", () => {
    const fleet = Array.from({ length: 21 }, (_, index) => `p${index}`);
    expect(inWaves(fleet, waves("1,5%,100%"), () => false).map(({ length }) => length)).toEqual([1, 1, 19]);
    expect(inWaves(fleet, waves("7%"), () => false).map(({ length }) => length)).toEqual([2, 19]);
  });
});

const licenses = { MIT: "allowed", "GPL-3.0": "denied" };
const all = Array.from({ length: 10 }, (_, index) => `g/p${index}`);

/** Ten projects with two changes each. */
function fleet(chaos: readonly ChaosRule[] = [], workspace: object = {}) {
  const projects = all.map((path) => ({ path, licenses: { MIT: "denied" } }));
  return runs({ projects, policy: { projects: all, licenses }, chaos, workspace });
}

/** `g/p3` of each request, in their order; lists of all projects are none. */
const touched = (asked: readonly string[]) =>
  asked.map((line) => /projects\/(g\/p\d)/.exec(line)?.[1] ?? "").filter(Boolean);
const writes = (asked: readonly string[]) => asked.filter((line) => !line.startsWith("GET"));
const told = ({ waves: dealt = [] }: Applied) => dealt.map(({ projects, status }) => `${status} ${projects.length}`);
const dealt = inWaves(all, waves("1,50%,100%"), () => false);
const [first = "", ...rest] = dealt.flat();
const second = rest[0] ?? "";
const staged = { waves: waves("1,50%,100%") };

async function wired() {
  const run = await fleet();
  const wire = await layWire(run.server.url);
  onTestFinished(() => wire.close());
  return { run, wire, env: { ...run.environment, EVENKEEL_URL: wire.url } };
}

async function without(run: Runs, more = {}) {
  const plan = await run.plan();
  run.asked();
  const applied = await run.apply(more);
  return { applied, plan, asked: run.asked() };
}

describe("an apply in waves", () => {
  test("that goes well writes the same and ends the same as one without, and reads each wave again", async () => {
    const plain = await without(await fleet());
    const run = await fleet();
    const { applied, asked } = await without(run, staged);
    expect(told(applied)).toEqual(["applied 1", "applied 4", "applied 5"]);
    expect([...outcomes(applied)].sort()).toEqual([...outcomes(plain.applied)].sort());
    expect(writes(asked).sort()).toEqual([...writes(plain.asked)].sort());
    const lastWrite = (wave: number) => asked.findLastIndex((line) => writes([line]).length > 0 && inWave(line, wave));
    const reads = asked.filter((line, index) => line.startsWith("GET") && index > lastWrite(0) && inWave(line, 0));
    expect(reads).toHaveLength(1);
    expect(asked.findIndex((line) => writes([line]).length > 0 && inWave(line, 1))).toBeGreaterThan(lastWrite(0));
    expect((await run.plan()).plan.summary.writes).toBe(0);
  });

  const inWave = (line: string, wave: number) => touched([line]).some((project) => dealt[wave]?.includes(project));

  test.each([
    ["failed", { status: 400 }, "failed"],
    ["without a known outcome", { reset: true }, "unknown"],
  ])("with a change that is %s ends before the next wave, whose projects are not touched", async (_, fault, status) => {
    const match = `/projects/${encodeURIComponent(second)}/managed_licenses*`;
    const chaos = [
      { ...fault, method: "POST", match },
      ...(status === "unknown" ? [{ status: 500, method: "GET", match, skip: 2 }] : []),
    ];
    const run = await fleet(chaos);
    const backoff = { base: 1, cap: 1, attempts: 2 };
    const { applied, asked } = await without(run, { ...staged, patience: { lookUpFor: 20, backoff }, again: "CMD" });
    expect(told(applied)).toEqual(["applied 1", "stopped 4", "not started 5"]);
    const statuses = [...(applied.outcomes ?? [])].filter(([address]) => address.startsWith(`${second}:`));
    expect(statuses.map(([, outcome]) => outcome.status)).toContain(status);
    const later = dealt[2] ?? [];
    const skipped = [...(applied.outcomes ?? [])].filter(([address]) => later.includes(address.split(":")[0] ?? ""));
    expect(skipped.map(([, outcome]) => outcome.status)).toEqual(Array(10).fill("skipped"));
    expect(skipped[0]?.[1].error).toMatch(
      /^wave 2 of 3 ended the run: g\/p\d:license\/GPL-3.0 (failed|has an unknown outcome)$/,
    );
    expect(touched(asked).filter((project) => later.includes(project))).toEqual(later.map((_) => expect.any(String)));
    expect(writes(asked).some((line) => later.includes(touched([line])[0] ?? ""))).toBe(false);
    expect(applied.plan.problems.at(-1)).toMatchObject({
      rule: "waves",
      message: expect.stringMatching(/; 5 projects of later waves are untouched; to go on: CMD$/),
    });
  });

  test.each(["fresh", "saved"])(
    "of a %s plan stops where a value is gone when its wave is read again",
    async (which) => {
      const { run, wire, env } = await wired();
      const plan = await run.plan({ env });
      run.write("plan.json", JSON.stringify(plan.plan));
      run.asked();
      const isWritten = () => wire.writes.some(({ path }) => decodeURIComponent(path).includes(`${first}/`));
      wire.fate = ({ method, path }) => {
        if (method !== "GET" || !decodeURIComponent(path).includes(`${first}/`) || !isWritten()) return "pass";
        return (answered) => ({
          ...answered,
          body: answered.body.replace('"approved"', '"blacklisted"').replace('"allowed"', '"denied"'),
        });
      };
      const applied = await run.apply({ env, ...staged, ...(which === "saved" && { saved: `${run.root}/plan.json` }) });
      expect(applied.outcomes?.get(`${first}:license/MIT`)).toMatchObject({
        status: "applied",
        not_kept: [expect.any(String)],
      });
      expect(told(applied)).toEqual(["stopped 1", "not started 4", "not started 5"]);
      expect(new Set(touched(writes(run.asked())))).toEqual(new Set([first]));
    },
  );

  test("names the first project of a wave that cannot be read again, whichever fails first", async () => {
    const { run, wire, env } = await wired();
    const [one = "", two = ""] = inWaves(all, waves("2,100%"), () => false)[0] ?? [];
    const of = (path: string, project: string) => decodeURIComponent(path).includes(`${project}/`);
    const twoFailed = new Promise<void>((resolve) => {
      wire.fate = async ({ method, path }) => {
        if (method !== "GET" || wire.writes.length < 4) return "pass";
        if (of(path, two)) setTimeout(resolve, 50);
        if (of(path, one)) await twoFailed;
        return { status: 400, actsAfter: undefined };
      };
    });
    const { waves: ended = [] } = await run.apply({ env, waves: waves("2,100%") });
    expect(ended[0]?.reason).toMatch(new RegExp(`^${one} could not be read again: `));
  });

  test("begins with the canaries of the workspace, which need no list of waves", async () => {
    const run = await fleet([], { canary: ["G/P7", "g/p3"], waves: "1,100%" });
    const { applied } = await without(run);
    expect(applied.waves?.map(({ projects }) => projects)[0]).toEqual(["g/p3", "g/p7"]);
    const alone = await fleet([], { canary: ["g/p7", "g/nobody"] });
    const { applied: other, plan } = await without(alone);
    expect(told(other)).toEqual(["applied 1", "applied 9"]);
    expect(plan.plan.warnings.map(({ message }) => message)).toContain(
      "canary g/nobody matches no project that a policy selects",
    );
  });

  test("is held back by guards as a whole, before its first wave", async () => {
    const run = await fleet([], { protected: ["g/p9:license/*"] });
    run.policy({ projects: all, licenses: { MIT: "allowed" }, exclusive: ["licenses"] });
    await run.apply();
    run.policy({ projects: all, exclusive: ["licenses"] });
    run.asked();
    const applied = await run.apply({ ...staged, waivers: { deletes: 100, protected: new Set() } });
    expect([applied.refused?.length, writes(run.asked())]).toEqual([1, []]);
  });
});

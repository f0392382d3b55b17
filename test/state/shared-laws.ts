import { describe, expect, test } from "vitest";
import { forgetWork, readWork, writeWork } from "../../src/run/workers/shard.ts";
import { extendJournal, readJournal, startJournal } from "../../src/state/journal.ts";
import { runLease, runLeases, shardLease, shardLeases } from "../../src/state/lease.ts";
import type { WorkspaceState } from "../../src/state/state.ts";
import { addresses, at, type Backend, claim, line, minute, now, openedStates, taken } from "./laws.ts";

/** What every state that several machines share promises besides. */
export function sharedStateLaws({ name, place }: Backend<WorkspaceState>): void {
  const { two } = openedStates(place);

  describe(`${name}: workers`, () => {
    test("hold leases of any name, which are listed while they last", async () => {
      const [a, b, age] = await two();
      const [first, other] = [shardLease("r", "1.1"), shardLease("r", "1.2")];
      const token = await a.leases(first).take(claim("w1"), minute);
      expect(await b.leases(first).take(claim("w2"), minute)).toMatchObject({ heldBy: { run: "w1" } });
      await b.leases(other).take(claim("w2"), 60 * minute);
      await a.leases(runLease("r")).take(claim("r"), 60 * minute);
      const holders = async () => (await b.holders(shardLeases("r"))).map(({ run }) => run).sort();
      expect(await holders()).toEqual(["w1", "w2"]);
      await age(2 * minute);
      expect(await holders()).toEqual(["w2"]);
      const next = await b.leases(first).take(claim("w3"), minute);
      expect("fence" in next && "fence" in token && next.fence > token.fence).toBe(true);
      for (const shard of ["1.1", "1.2"]) await writeWork(a, "r", shard, "{}");
      await forgetWork(a, "r");
      expect([await holders(), await b.holders(runLeases)]).toEqual([[], []]);
      expect(await a.leases("apply").holder()).toBeUndefined();
    });

    test("keep documents until the run is forgotten", async () => {
      const [a, b] = await two();
      await writeWork(a, "a", "1.1", "zero");
      await writeWork(b, "a", "1.2", "one");
      const documents = new Map([
        ["1.1", "zero"],
        ["1.2", "one"],
      ]);
      expect(await readWork(a, "a", ["1.1", "1.2", "1.3"])).toEqual(documents);
      expect(await readWork(a, "b", ["1.1"])).toEqual(new Map());
      await forgetWork(a, "a");
      expect(await readWork(b, "a", ["1.1"])).toEqual(new Map());
    });

    test("keep documents of a run that lasts for days, and not of one that ended so long ago", async () => {
      const [a, b] = await two();
      const [lasting, ended] = ["20200101T000000Z-0001", "20200101T000000Z-0002"];
      await a.leases(runLease(lasting)).take(claim(lasting), minute);
      for (const run of [lasting, ended]) await writeWork(a, run, "1.1", "{}");
      await forgetWork(b, "other");
      expect(await a.list("work")).toEqual([`${lasting}/1.1`]);
    });

    test("see how long a lease is held, and nothing after it was released", async () => {
      const [a, b] = await two();
      const token = await taken(a, "a");
      expect(await b.leases("apply").remaining(token)).toBeGreaterThan(minute / 2);
      expect(await b.leases("apply").remaining({ ...token, fence: token.fence + 1 })).toBe(0);
      await b.leases("apply").release("a");
      expect(await b.leases("apply").remaining(token)).toBe(0);
    });

    test("append to the journal of the run beside it", async () => {
      const [a, b] = await two();
      const token = await taken(a, "a");
      const own = startJournal(a, token, now);
      await own.write(line("p:license/MIT"));
      const other = startJournal(b, token, now);
      await other.write(line("q:license/MIT"));
      await own.write(line("r:license/MIT"));
      expect(addresses(await readJournal(b, "a"))).toEqual(["p:license/MIT", "q:license/MIT", "r:license/MIT"]);
      await own.close();
      await other.close();
      await extendJournal(b, token, "a", [{ at, event: "noticed" }]);
      expect([(await readJournal(a, "a"))?.length, await a.list("journals")]).toEqual([4, ["a"]]);
    });
  });

  describe(`${name}: the rates`, () => {
    test("are one row of time for all, a key apart from others", async () => {
      const [a, b] = await two();
      const [key, other] = [`${name} ${Math.random()}`, `${name} ${Math.random()}`];
      const waits = await Promise.all([a, b, a, b].map((state) => state.rates.reserve(key, 20_000)));
      expect(waits.map((wait) => Math.round(wait / 20_000)).sort()).toEqual([0, 1, 2, 3]);
      expect(await b.rates.reserve(other, 1000)).toBeLessThan(100);
    });

    test("give nothing while they are held, and a shorter hold changes nothing", async () => {
      const [a, b] = await two();
      const key = `${name} ${Math.random()}`;
      await a.rates.hold(key, 40_000);
      await b.rates.hold(key, 10);
      const wait = await b.rates.reserve(key, 10);
      expect([wait > 20_000, wait <= 40_000]).toEqual([true, true]);
    });
  });
}

import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { SharedState } from "../../src/state/state.ts";
import type { Member } from "../../src/state/worker-store.ts";
import { addresses, at, type Backend, incompressible, line, minute, openedStates, taken } from "./laws.ts";

/** What every state that several machines share promises besides. */
export function sharedStateLaws({ name, place }: Backend<SharedState>): void {
  const { opened, two } = openedStates(place);

  describe(`${name}: workers`, () => {
    const address = 'p:license/"MIT" \0';
    const member = (id: string): Member => {
      const where = { origin: "https://code.example.com", version: "1.0.0", host: "build-7", pid: 7 };
      return { id: `${id}-${randomUUID()}`, role: "worker", ...where };
    };
    const sender = ({ id }: Member, name = id) => ({ name, member: id });

    test("of many that want to send, one does; the others are told of it, and then what became of it", async () => {
      const states = await opened(4);
      const [state] = states;
      if (!state) throw new Error("nothing was opened");
      const token = await taken(state, "a");
      const members = states.map((_, index) => member(`w${index}`));
      for (const each of members) await state.workers.heartbeat(each, minute);
      const senders = members.map((each) => sender(each));
      const claims = await Promise.all(
        states.map(({ workers }, index) =>
          workers.claim(token, address, senders[index] ?? { name: "", member: "" }, 0, `by ${index}`),
        ),
      );
      const winner = claims.findIndex((each) => "mine" in each);
      expect(claims.filter((each) => "mine" in each)).toHaveLength(1);
      const sealed = [`by ${winner}`];
      const pending = { pending: senders[winner], abandoned: false, sealed };
      expect(claims.filter((_, index) => index !== winner)).toEqual(Array(3).fill(pending));
      expect(await state.workers.intents("a")).toEqual(new Map([[address, { sealed }]]));
      const [long, one, two] = [`p:license/${incompressible(9000)}`, senders[0], senders[1]];
      if (!one || !two) throw new Error("nobody is there");
      expect(await state.workers.claim(token, long, one, 0, "")).toEqual({ mine: true });
      expect(await state.workers.claim(token, long, two, 0, "")).toEqual({
        pending: one,
        abandoned: false,
        sealed: [],
      });
      await state.workers.recordOutcome("a", long, one, undefined);

      const [first, other] = [senders[winner], senders[winner === 0 ? 1 : 0]];
      if (!first || !other) throw new Error("nobody won");
      expect(await state.workers.claim(token, address, first, 0, "")).toEqual({ mine: true });
      expect(await state.workers.takeOver(token, address, { from: first, to: other }, 0, "")).toBe(false);
      await state.workers.recordOutcome("a", address, other, "failed: not its own");
      await state.workers.recordOutcome("a", address, first, "applied");
      await state.workers.recordOutcome("a", address, first, "failed later");
      expect(await state.workers.claim(token, address, other, 0, "")).toEqual({
        outcome: "applied",
        sealed,
      });
      expect(await state.workers.intents("a")).toEqual(new Map([[address, { outcome: "applied", sealed }]]));
      await state.workers.forgetRun("a");
      expect(await state.workers.intents("a")).toEqual(new Map());
    });

    test("what a member left that is gone is taken over once its requests are over, by one", async () => {
      const [a, b, age] = await two();
      const token = await taken(a, "a", 60 * minute);
      const [gone, x, y] = [sender(member("gone")), sender(member("x")), sender(member("y"))];
      await a.workers.heartbeat({ ...member("gone"), id: gone.member }, minute);
      expect(await a.workers.claim(token, address, gone, minute, "gone's")).toEqual({ mine: true });
      await age(2 * minute);
      expect(await b.workers.claim(token, address, x, 10 * minute, "")).toEqual({
        pending: gone,
        abandoned: false,
        sealed: ["gone's"],
      });
      expect(await b.workers.takeOver(token, address, { from: gone, to: x }, 10 * minute, "")).toBe(false);
      expect(await b.workers.claim(token, address, x, 0, "")).toEqual({
        pending: gone,
        abandoned: true,
        sealed: ["gone's"],
      });
      const taking = [x, y].map((to) => b.workers.takeOver(token, address, { from: gone, to }, 0, "next's"));
      expect((await Promise.all(taking)).toSorted()).toEqual([false, true]);
      await a.workers.recordOutcome("a", address, gone, "applied");
      expect(await a.workers.intents("a")).toEqual(new Map([[address, { sealed: ["gone's", "next's"] }]]));
    });

    test("what was not sent is anybody's again", async () => {
      const [a, b] = await two();
      const token = await taken(a, "a");
      const [x, y] = [sender(member("x")), sender(member("y"))];
      await a.workers.claim(token, address, x, 0, "");
      await a.workers.recordOutcome("a", address, x, undefined);
      expect(await b.workers.claim(token, address, y, 0, "")).toEqual({ mine: true });
    });

    test("nothing is claimed without the lease, which tells how long it is held", async () => {
      const [a, b] = await two();
      const token = await taken(a, "a");
      expect(await b.leases.remaining(token)).toBeGreaterThan(minute / 2);
      expect(await b.leases.remaining({ ...token, fence: token.fence + 1 })).toBe(0);
      await b.leases.release("a");
      expect(await b.leases.remaining(token)).toBe(0);
      await expect(a.workers.claim(token, address, sender(member("x")), 0, "")).rejects.toThrow("run a lost its lease");
    });

    test("are members for as long as they say so, with what they said last that they sent", async () => {
      const [a, b, age] = await two();
      const [stays, leaves, ends] = [member("stays"), member("leaves"), member("ends")];
      await a.workers.heartbeat(stays, minute);
      await a.workers.heartbeat(leaves, minute);
      await a.workers.heartbeat(ends, minute);
      await a.workers.leave(leaves.id);
      await a.workers.heartbeat({ ...stays, requests: 5_000_000_000 }, 10 * minute);
      await age(2 * minute);
      const ids = [stays, leaves, ends].map(({ id }) => id);
      expect((await b.workers.members()).filter(({ id }) => ids.includes(id))).toEqual([
        { ...stays, requests: 5_000_000_000 },
      ]);
      await a.workers.leave(stays.id);
    });

    test("results are kept until they are taken, and the first of a part counts", async () => {
      const [a, b] = await two();
      await a.workers.saveResult("a", "read.0", "zero");
      await b.workers.saveResult("a", "read.0", "again");
      await b.workers.saveResult("a", "read.1", "one");
      expect(await a.workers.collectResults("a", [])).toEqual(
        new Map([
          ["read.0", "zero"],
          ["read.1", "one"],
        ]),
      );
      await a.workers.collectResults("a", ["read.0"]);
      expect(await a.workers.collectResults("a", [])).toEqual(new Map([["read.1", "one"]]));
      await a.workers.forgetRun("a");
      expect(await b.workers.collectResults("a", [])).toEqual(new Map());
    });

    test("append to the journal of the run beside it", async () => {
      const [a, b] = await two();
      const token = await taken(a, "a");
      const own = a.journals.open(token);
      await own.append(line("p:license/MIT"));
      const other = b.journals.open(token);
      await other.append(line("q:license/MIT"));
      await own.append(line("r:license/MIT"));
      expect(addresses(await b.journals.read("a"))).toEqual(["p:license/MIT", "q:license/MIT", "r:license/MIT"]);
      await own.close();
      await other.close();
      await b.journals.extend(token, "a", [{ at, event: "noticed" }]);
      expect(await a.journals.read("a")).toHaveLength(4);
      expect(await a.journals.list()).toEqual(["a"]);
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

import pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { stateAt } from "../../src/state/open-state.ts";
import type { Database } from "../support/database.mjs";
import { atEnd } from "../support/ending.ts";
import { databases } from "./databases.ts";
import { claim, taken } from "./laws.ts";

const [available] = await databases();
const minute = 60_000;
const hour = 60 * minute;

describe.skipIf(!available)("a database whose clock was set (needs postgresql)", () => {
  let database: Database;
  let count = 0;

  beforeAll(async () => {
    if (available) database = await available.started();
  });

  async function fresh() {
    const name = `clock${++count}`;
    const ask = async (text: string, on = name) => {
      const client = new pg.Client(database.url(on));
      await client.connect();
      await client.query(text);
      await client.end();
    };
    await ask(`CREATE DATABASE ${name}`, "postgres");
    const open = async () => {
      const state = await stateAt(database.url(name), "EVENKEEL_STATE", "w", {});
      atEnd(() => state[Symbol.asyncDispose]());
      return state;
    };
    /** What was stored lies so much later than the clock says now, as if that had been set back; earlier for a negative one. */
    const setBack = (hours: number) =>
      ask(`
        UPDATE evenkeel.rate SET reserved = reserved + interval '${hours} hours', noted = noted + interval '${hours} hours';
        UPDATE evenkeel.lease SET deadline = deadline + interval '${hours} hours', noted = noted + interval '${hours} hours'`);
    return { open, setBack };
  }

  test.each([1, 24 * 365, -1])("by %i hours back lets requests go on at their rate", async (hours) => {
    const { open, setBack } = await fresh();
    const state = await open();
    await state.rates.reserve("key", 60_000);
    await state.rates.hold("held", 600_000);
    await setBack(hours);
    expect(await state.rates.reserve("key", 60_000)).toBeLessThan(61_000);
    const held = await state.rates.reserve("held", 10);
    expect(held).toBeLessThan(601_000);
    if (hours > 0) expect(held).toBeGreaterThan(300_000);
    expect(await state.rates.reserve("key", 60_000)).toBeGreaterThan(30_000);
  });

  test("back keeps the lease of a run that lives, and frees that of a dead one after its time", async () => {
    const { open, setBack } = await fresh();
    const [a, b] = [await open(), await open()];
    const token = await taken(a, "a", hour / 2);
    await setBack(1);
    expect(await b.leases.take(claim("b"), minute)).toMatchObject({ heldBy: { run: "a" } });
    expect(await a.leases.renew(token, hour / 2)).toBe(true);
    expect(await b.leases.take(claim("b"), minute)).toMatchObject({ heldBy: { run: "a" } });
    await setBack(1);
    expect(await b.leases.take(claim("b"), minute)).toMatchObject({ heldBy: { run: "a" } });
    await setBack(-1);
    expect(await b.leases.take(claim("b"), minute)).toMatchObject({ run: "b" });
    expect(await a.leases.renew(token, hour / 2)).toBe(false);
  });
});

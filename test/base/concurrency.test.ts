import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inParallel } from "../../src/base/concurrency.ts";

const rooms = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1 });

describe("work over many inputs", () => {
  it("never has more under way than were allowed so far, and gives results in order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(5)), rooms, async (turns, allowed) => {
        let asked = 0;
        let active = 0;
        let most = 0;
        const workers = () => {
          const room = allowed[asked++ % allowed.length] ?? 1;
          most = Math.max(1, most, room);
          return room;
        };
        const results = await inParallel(turns, workers, async (count, index) => {
          expect(++active).toBeLessThanOrEqual(most);
          for (let turn = 0; turn < count; turn++) await undefined;
          active--;
          return index;
        });
        expect(results).toEqual([...turns.keys()]);
      }),
    );
  });

  it("begins no more than are allowed once the number falls", async () => {
    let ended = 0;
    let active = 0;
    const seen: number[] = [];
    await inParallel(
      [...Array(12).keys()],
      () => (ended === 0 ? 4 : 1),
      async () => {
        seen.push(++active);
        await new Promise(setImmediate);
        active--;
        ended++;
      },
    );
    expect(seen).toEqual([1, 2, 3, 4, 1, 1, 1, 1, 1, 1, 1, 1]);
  });

  it("ends with the first rejection, and begins nothing after it", async () => {
    const begun: number[] = [];
    const work = async (input: number) => {
      begun.push(input);
      if (input === 2) throw new Error("the second");
      await undefined;
    };
    await expect(inParallel([1, 2, 3, 4, 5, 6], 2, work)).rejects.toThrow("the second");
    await new Promise(setImmediate);
    expect(begun.length).toBeLessThan(6);
  });
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { LedgerEntries } from "../../src/state/ledger/project-entries.ts";
import type { LedgerEdit } from "../../src/state/state.ts";

/** More than are held as they are. */
const many = 700;

const edit: fc.Arbitrary<LedgerEdit> = fc.record({
  project: fc.nat(many - 1).map((number) => `P/${number}`),
  rest: fc.constantFrom("license/MIT", "license/mit", "settings"),
  memory: fc.option(fc.record({ sent: fc.dictionary(fc.string(), fc.string()) }), { nil: undefined }),
});

const first = Array.from(
  { length: many },
  (_, index): LedgerEdit => ({ project: `p/${index}`, rest: "settings", memory: { sent: { of: `${index}` } } }),
);

const addressOf = ({ project, rest }: LedgerEdit) => `${project}:${rest}`.toLowerCase();

test("entries are what was edited last, however many projects there are, and each edit is taken until it is saved", () => {
  const property = fc.property(fc.array(edit, { maxLength: 100 }), (edits) => {
    const entries = new LedgerEntries(() => ({ "license/MIT": { sent: { stored: "x" } } }));
    const known = new Map<string, LedgerEdit["memory"]>();
    for (const each of [...first, ...edits]) {
      entries.edit(each);
      known.set(addressOf(each), each.memory);
    }
    const [failed = [], ...others] = [...entries.take(200)];
    entries.giveBack(failed);
    const taken = [...others, ...entries.take(200)].flat();
    expect(entries.take(200)[Symbol.iterator]().next().done).toBe(true);
    for (const each of first) expect(entries.recall(each.project, each.rest)).toEqual(known.get(addressOf(each)));
    expect(entries.recall("p/1", "license/Mit")).toEqual(
      known.has("p/1:license/mit") ? known.get("p/1:license/mit") : { sent: { stored: "x" } },
    );
    const kept = taken.filter(({ memory }) => memory !== undefined);
    const expected = [...known].filter(([, memory]) => memory !== undefined);
    expect(new Map(kept.map((each) => [addressOf(each), each.memory]))).toEqual(new Map(expected));
    expect(kept).toHaveLength(expected.length);
  });
  fc.assert(property, { numRuns: 20 });
});

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

const stored = { "license/MIT": { sent: { stored: "x" } } };

test("entries are what was edited last, however many projects there are, and each edit is taken until it is saved", () => {
  const rounds = fc.array(fc.record({ before: edit, meanwhile: edit, isSaved: fc.boolean() }), { maxLength: 60 });
  const property = fc.property(rounds, (all) => {
    const entries = new LedgerEntries(() => stored);
    const known = new Map<string, LedgerEdit["memory"]>();
    const written = new Map<string, LedgerEdit["memory"]>();
    const make = (each: LedgerEdit) => {
      entries.edit(each);
      known.set(addressOf(each), each.memory);
    };
    const save = (isSaved: boolean, meanwhile: () => void = () => {}) => {
      const { projects, of, saved } = entries.take();
      const taken = projects.flatMap(of);
      meanwhile();
      if (!isSaved) return;
      // What is spelled anew is deleted and set.
      for (const each of taken.toSorted((a, b) => Number(!!a.memory) - Number(!!b.memory)))
        written.set(addressOf(each), each.memory);
      saved();
    };
    for (const each of first) make(each);
    for (const { before, meanwhile, isSaved } of all) {
      make(before);
      save(isSaved, () => make(meanwhile));
    }
    save(true);
    expect(entries.take().projects).toEqual([]);
    expect(written).toEqual(known);
    for (const each of first) expect(entries.recall(each.project, each.rest)).toEqual(known.get(addressOf(each)));
    const [mit, wasEdited] = [known.get("p/1:license/mit"), known.has("p/1:license/mit")];
    expect(entries.recall("p/1", "license/Mit")).toEqual(wasEdited ? mit : stored["license/MIT"]);
  });
  fc.assert(property, { numRuns: 20 });
});

import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { canonicalLine } from "../../src/plan/diff/ledger-line.ts";
import { extendJournal, type JournalLine, readJournal, startJournal, unfinishedRuns } from "../../src/state/journal.ts";
import type { Claim, LeaseToken } from "../../src/state/lease.ts";
import { listRuns, type RunSummary, recordRun } from "../../src/state/run-summary.ts";
import {
  fleetIndex,
  readFleetIndex,
  readSnapshot,
  shardNameOf,
  shardNames,
} from "../../src/state/snapshots/read-snapshots.ts";
import { recordObservation } from "../../src/state/snapshots/record.ts";
import { getText, type LedgerLines, type WorkspaceState } from "../../src/state/state.ts";
import { allSnapshots, differing, look, looked } from "./observations.ts";

/** A backend under test: each place is empty at first, and may be opened any number of times. */
export interface Backend<State = WorkspaceState> {
  readonly name: string;
  readonly place: () => Promise<Place<State>>;
}

interface Place<State> {
  readonly open: () => Promise<State>;
  /** Lets leases and members grow older by so many milliseconds. */
  readonly age: (milliseconds: number) => Promise<void>;
}

export const minute = 60_000;
export const at = "2026-11-21T08:00:00.000Z";
export const now = () => new Date(at);

export function claim(run: string): Claim {
  return { run, who: "ada", host: "build-7", pid: process.pid, job: `https://ci.example.com/${run}` };
}

export async function taken(
  state: WorkspaceState,
  run: string,
  milliseconds = minute,
  name = "apply",
): Promise<LeaseToken> {
  const token = await state.leases(name).take(claim(run), milliseconds);
  if ("heldBy" in token) throw new Error(`held by ${token.heldBy.run}`);
  return token;
}

export function line(address: string, event: "intent" | "result" = "intent"): JournalLine {
  if (event === "result") return { at, event, address, status: "applied" };
  return { at, event, address, action: "create", method: "POST", path: "/" };
}

export function summary(run: string, more: Partial<RunSummary> = {}): RunSummary {
  const head = { run, command: "apply", who: "ada", host: "build-7", started: at, commit: null };
  return { ...head, ended: at, outcome: "applied", changes: 1, touched: { p: { "license/MIT": "+a" } }, ...more };
}

export const addresses = (lines: readonly JournalLine[] = []) =>
  lines.map((each) => ("address" in each ? each.address : ""));

function linesOf(lines: LedgerLines, names: readonly string[]): Map<string, string> {
  return new Map(names.flatMap((name) => [[name, lines.get(name) ?? ""] as const]).filter(([, line]) => line !== ""));
}

export function inBytes(lines: ReadonlyMap<string, string>): Map<string, Buffer> {
  return new Map(Array.from(lines, ([name, line]) => [name, Buffer.from(line)]));
}

/** The lines of a ledger: what was sent, by project and address. */
export function ledgerLines(sent: Readonly<Record<string, Readonly<Record<string, string>>>>): Map<string, string> {
  return new Map(
    Object.entries(sent).map(([project, own]) => {
      const resources = Object.entries(own).map(([rest, value]) => [rest, { sent: { color: value } }]);
      return [project.toLowerCase(), canonicalLine({ project, key: "key", resources: Object.fromEntries(resources) })];
    }),
  );
}

/** A name as long as this, which PostgreSQL cannot make shorter. */
function incompressible(length: number): string {
  return randomBytes(length).toString("base64").slice(0, length);
}

/** Opens the same empty place several times. */
export function openedStates<State>(place: Backend<State>["place"]) {
  const openedAt = ({ open }: Awaited<ReturnType<typeof place>>, count: number) =>
    Promise.all(Array.from({ length: count }, open));
  const opened = async (count = 1) => openedAt(await place(), count);
  const one = async () => {
    const [state] = await opened();
    if (!state) throw new Error("nothing was opened");
    return state;
  };
  const two = async () => {
    const at = await place();
    const [a, b] = await openedAt(at, 2);
    if (!a || !b) throw new Error("nothing was opened");
    return [a, b, at.age] as const;
  };
  return { opened, one, two };
}

/** What every backend of the state promises, whoever else uses the same place at the same time. */
export function laws({ name, place }: Backend): void {
  const { opened, one, two } = openedStates(place);

  describe.concurrent.each(["apply", "watch"])(`${name}: the lease of %s`, (kind) => {
    test("has one holder, however many want it at once", async () => {
      const states = await opened(5);
      const all = await Promise.all(states.map((state, index) => state.leases(kind).take(claim(`r${index}`), minute)));
      const winners = all.flatMap((each) => ("fence" in each ? [each.run] : []));
      expect(winners).toHaveLength(1);
      const names = all.flatMap((each) => ("heldBy" in each ? [each.heldBy.run] : []));
      expect(names).toEqual(Array(4).fill(winners[0]));
      expect(await states[0]?.leases(kind).holder()).toMatchObject({
        ...claim(winners[0] ?? ""),
        since: expect.stringMatching(/^\d{4}-.*Z$/),
        deadline: expect.stringMatching(/^\d{4}-.*Z$/),
      });
    });

    test("is free once it was given back, and each holder has a higher fence", async () => {
      const [a, b] = await two();
      const first = await taken(a, "a", minute, kind);
      await a.leases(kind).release(first.run, first.fence);
      expect(await b.leases(kind).holder()).toBeUndefined();
      expect((await taken(b, "b", minute, kind)).fence).toBeGreaterThan(first.fence);
      await a.leases(kind).release(first.run, first.fence);
      expect(await a.leases(kind).holder()).toMatchObject({ run: "b" });
    });

    test("lasts as long as it is renewed, and not longer", async () => {
      const [a, b, age] = await two();
      const token = await taken(a, "a", minute, kind);
      for (let round = 0; round < 6; round++) {
        await age(minute / 4);
        expect(await a.leases(kind).renew(token, minute)).toBe(true);
      }
      expect(await b.leases(kind).take(claim("b"), minute)).toMatchObject({ heldBy: { run: "a" } });
      await age(2 * minute);
      expect(await a.leases(kind).renew(token, minute)).toBe(false);
      await taken(b, "b", minute, kind);
      expect(await a.leases(kind).renew(token, 300)).toBe(false);
    });
  });

  describe.concurrent(`${name}: the lease of an apply`, () => {
    test("and that of a watcher do not know of each other", async () => {
      const [a, b] = await two();
      const watching = await taken(a, "w", minute, "watch");
      const token = await taken(b, "a");
      expect(await a.leases("apply").holder()).toMatchObject({ run: "a" });
      expect(await b.leases("watch").holder()).toMatchObject({ run: "w" });
      expect(await a.leases("apply").release("w")).toBe(false);
      await b.leases("apply").release(token.run, token.fence);
      expect(await a.leases("watch").renew(watching, minute)).toBe(true);
      const journal = startJournal(a, { ...watching }, now);
      await expect(journal.write(line("p:license/MIT"))).resolves.toContain("lost its lease");
      await journal.close();
    });

    test("can be taken away, from the run that is named and no other", async () => {
      const [a, b] = await two();
      const token = await taken(a, "a");
      expect(await b.leases("apply").release("b")).toBe(false);
      expect(await b.leases("apply").release("a")).toBe(true);
      expect(await b.leases("apply").release("a")).toBe(false);
      expect(await a.leases("apply").renew(token, minute)).toBe(false);
      const journal = startJournal(a, token, now);
      await expect(journal.write(line("p:license/MIT"))).resolves.toContain("lost its lease");
      await journal.close();
    });
  });

  describe.concurrent(`${name}: who lost the lease`, () => {
    test.each(["expired", "taken over", "released"])("because it was %s writes nothing more", async (how) => {
      const [a, b, age] = await two();
      const token = await taken(a, "a");
      const journal = startJournal(a, token, now);
      await journal.write(line("p:license/MIT"));
      if (how === "released") await b.leases("apply").release("a");
      else await age(2 * minute);
      if (how === "taken over") await taken(b, "b");
      await expect(journal.write(line("q:license/MIT"))).resolves.toContain("run a lost its lease");
      await expect(extendJournal(a, token, "a", [line("r:license/MIT")])).rejects.toThrow("lost its lease");
      const late = ledgerLines({ p: { "license/MIT": "late" } });
      await expect(a.ledger.write(token, inBytes(late))).rejects.toThrow("lost its lease");
      await journal.close();
      expect(addresses(await readJournal(b, "a"))).toEqual(["p:license/MIT"]);
      expect((await b.ledger.read()).lines.size).toBe(0);
    });
  });

  describe(`${name}: a journal`, () => {
    test("holds what was appended, whole and in order, as soon as the append resolves", async () => {
      const [a, b] = await two();
      const journal = startJournal(a, await taken(a, "a"), now);
      const names = Array.from({ length: 300 }, (_, index) => `p${index}:license/\0 "MIT" \u{1F600}\n`);
      const appended = names.slice(0, 299).map((each) => journal.write(line(each)));
      await appended[0];
      expect(addresses(await readJournal(b, "a"))[0]).toBe(names[0]);
      await Promise.all(appended);
      await journal.write(line(names[299] ?? ""));
      expect(addresses(await readJournal(b, "a"))).toEqual(names);
      await journal.close();
    });

    test("of a run is told from others, and extended by later runs", async () => {
      const [a, b] = await two();
      const first = await taken(a, "a");
      const journal = startJournal(a, first, now);
      await journal.write(line("p:license/MIT"));
      await journal.close();
      await a.leases("apply").release(first.run, first.fence);
      const second = await taken(b, "b");
      expect(await b.lastLines("journals")).toEqual(new Map([["a", JSON.stringify(line("p:license/MIT"))]]));
      await extendJournal(b, second, "a", [{ at, event: "noticed" }]);
      expect([await unfinishedRuns(b), await a.list("journals")]).toEqual([[], ["a"]]);
      expect(await readJournal(a, "a")).toEqual([line("p:license/MIT"), { at, event: "noticed" }]);
      expect(await readJournal(a, "b")).toBeUndefined();
    });
  });

  describe(`${name}: the ledger`, () => {
    test("keeps, replaces and deletes lines by project, whatever their names and content", async () => {
      const [a, b] = await two();
      const odd = "gé/ 💥";
      const first = await taken(a, "a");
      const before = ledgerLines({ p: { "license/MIT": "a" }, q: { "license/MIT": "a" } });
      await a.ledger.write(first, inBytes(before));
      await a.leases("apply").release(first.run, first.fence);
      const second = await taken(b, "b");
      const { lines } = await b.ledger.read();
      expect(linesOf(lines, ["p", "q", "s", odd])).toEqual(before);
      const after = ledgerLines({
        p: { "license/MIT": "b", "license/ISC": "a" },
        s: { "license/M\0T": "b", [`license/${incompressible(9000)}`]: "b", "license/\ud800": "b" },
        [odd]: { "license/MIT": "b" },
      });
      await b.ledger.write(second, new Map([...inBytes(after), ["q", undefined]]));
      const read = await a.ledger.read();
      expect(linesOf(read.lines, ["p", "q", "s", odd])).toEqual(after);
      expect([read.lines.size, read.problems]).toEqual([3, []]);
    });
  });

  describe(`${name}: how projects were last seen`, () => {
    const day = (number: number) => `2026-11-${10 + number}T08:00:00.000Z`;
    const standing = async (state: WorkspaceState) => {
      const all = (await allSnapshots(state)).map((each) => [each.project, each.syncStatus, each.since.slice(8, 10)]);
      return all.map((each) => each.join(" ")).sort();
    };

    test("is what the last look saw, since the first that saw it so", async () => {
      const [a, b] = await two();
      const first = await recordObservation(a, look("r1", [looked("p"), looked("Q/q"), looked("s")], { at: day(1) }));
      expect(first).toEqual({ "in sync": 3, pending: 0, drifted: 0, unreadable: 0 });
      const { changes: _, ...unread } = { ...looked("s"), problems: ["403"] };
      const drifted = [looked("p", [differing("p")]), looked("Q/q"), unread];
      await recordObservation(b, look("r2", drifted, { at: day(2) }));
      await recordObservation(a, look("r3", drifted, { at: day(3) }));
      expect(await standing(b)).toEqual(["Q/q in sync 11", "p drifted 12", "s unreadable 12"]);
      expect((await readFleetIndex(b))?.whole).toEqual({ run: "r3", at: day(3) });
      const counts = await recordObservation(b, look("r4", [looked("p")], { at: day(4) }));
      expect(counts).toEqual({ "in sync": 1, pending: 0, drifted: 0, unreadable: 0 });
      expect(await standing(a)).toEqual(["p in sync 14"]);
    });

    test("is changed by a look at a part of the fleet, for that part", async () => {
      const state = await one();
      const both = [differing("p", "license/MIT"), differing("p", "license/ISC")];
      await recordObservation(state, look("r1", [looked("p", both), looked("q")], { at: day(1) }));
      const part = { ...looked("p"), includes: (rest: string) => rest === "license/MIT" };
      const { covers: _, ...some } = look("r2", [part], { at: day(2), whole: false });
      await recordObservation(state, some);
      const all = await allSnapshots(state);
      expect(all.find(({ project }) => project === "p")).toMatchObject({
        differences: [{ rest: "license/ISC", since: day(1) }],
      });
      expect(await standing(state)).toEqual(["p pending 11", "q in sync 11"]);
    });

    test("loses nothing when several looks end at once", async () => {
      const states = await opened(3);
      const looks = states.map((state, index) => {
        const { covers: _, ...some } = look(`r${index}`, [looked(`p${index}`), looked(`q${index}`)], { whole: false });
        return recordObservation(state, some);
      });
      await Promise.all(looks);
      const [state] = states;
      expect(state && (await allSnapshots(state)).map(({ project }) => project).sort()).toEqual([
        "p0",
        "p1",
        "p2",
        "q0",
        "q1",
        "q2",
      ]);
    });

    test("is written a few shards at a time, and the whole fleet was seen once all are", async () => {
      const state = await one();
      const projects = Array.from({ length: 600 }, (_, index) => looked(`p${index}`));
      const seen: unknown[] = [];
      const put: WorkspaceState["put"] = async (...args) => {
        await state.put(...args);
        seen.push((await readFleetIndex(state))?.whole?.run);
      };
      const counts = await recordObservation({ ...state, put }, look("r1", projects));
      expect(counts).toMatchObject({ "in sync": 600 });
      expect(seen.length).toBeGreaterThan(2);
      expect(seen.filter(Boolean)).toEqual(["r1"]);
      expect(await allSnapshots(state)).toHaveLength(600);
    });

    test("is written once where nothing changes, and refused where a later version wrote it", async () => {
      const state = await one();
      await recordObservation(state, look("r1", [looked("p")]));
      const marks = await state.marks("snapshots", shardNames);
      expect(marks.size).toBe(1);
      await recordObservation(state, look("r2", [looked("p")]));
      expect(await state.marks("snapshots", shardNames)).toEqual(marks);
      await state.put("snapshots", [[fleetIndex, '{"format":99}']]);
      await expect(recordObservation(state, look("r3", [looked("p")]))).rejects.toThrow("format 99");
    });

    test("is passed over where it is damaged, and written again", async () => {
      const state = await one();
      await state.put("snapshots", [
        [fleetIndex, "{"],
        [shardNameOf("p"), '{"format":2,"projects"'],
      ]);
      expect(await readSnapshot(state, "p")).toBeUndefined();
      await recordObservation(state, look("r1", [looked("p")]));
      expect(await readSnapshot(state, "P")).toMatchObject({ project: "p", syncStatus: "in sync" });
    });
  });

  describe(`${name}: runs, plans, signatures and notes`, () => {
    test("summaries come newest first, and the later one of a run counts", async () => {
      const [a, b] = await two();
      const progress = { at, stage: "writing", done: 1, total: 2, workers: 3 } as const;
      await recordRun(a, summary("r1", { ended: null, outcome: null, progress }));
      expect(await listRuns(b)).toEqual([summary("r1", { ended: null, outcome: null, progress })]);
      await recordRun(b, summary("r2", { command: "plan", started: "2026-11-22T08:00:00.000Z" }));
      await recordRun(a, summary("r1"));
      const runs = await listRuns(b);
      expect(runs).toEqual([summary("r2", { command: "plan", started: "2026-11-22T08:00:00.000Z" }), summary("r1")]);
      await recordRun(a, summary("r3", { started: "2026-11-21T09:00:00.000Z" }));
      expect((await listRuns(b)).map(({ run }) => run)).toEqual(["r2", "r3", "r1"]);
    });

    test("texts come back as they were, and names that were not written are none", async () => {
      const state = await one();
      const text = 'a plan \u{1F600}\n"quoted" \\0\r\n';
      for (const of of ["plans", "notes"] as const) {
        expect(await getText(state, of, "r1")).toBeUndefined();
        await state.put(of, [["r1", "before"]]);
        const marks = await state.marks(of, ["r1", "r2", "../r1"]);
        await state.put(of, [["r1", text]]);
        expect(await getText(state, of, "r1")).toBe(text);
        expect([...marks.keys()]).toEqual(["r1"]);
        const later = await state.marks(of, ["r1"]);
        expect(later.get("r1")).not.toBe(marks.get("r1"));
        expect(await state.marks(of, ["r1"])).toEqual(later);
        expect(await state.get(of, ["../r1"])).toEqual(new Map());
        expect(await state.list(of)).toEqual(["r1"]);
      }
    });

    test("lines of a log are kept in their order until it is forgotten", async () => {
      const state = await one();
      expect(await state.lines("signatures", ["r1"])).toEqual(new Map());
      const all = ["second in the alphabet", "first", randomBytes(16_384).toString("base64")];
      for (const each of all) await state.append("signatures", "r1", [each]);
      await state.append("signatures", "r2", ["other"]);
      expect((await state.lines("signatures", ["r1", "r3"])).get("r1")?.filter(Boolean)).toEqual(all);
      expect(await state.bytes()).toBeGreaterThan(16_384);
      await state.forget("signatures", ["r1"]);
      expect(await state.list("signatures")).toEqual(["r2"]);
    });
  });
}

import { batchWriter } from "../base/batch-writer.ts";
import type { Problem } from "../model/types.ts";
import { armoredBlocks } from "../plan/approvals/ssh-signature.ts";
import { ledgerHead } from "../plan/diff/ledger-line.ts";
import { isUnfinished, journalLineIn } from "./journal.ts";
import type { JournalLine } from "./journal-entry.ts";
import type { LeaseToken } from "./lease-store.ts";
import { storedRuns } from "./runs.ts";
import { countSnapshots } from "./snapshots/read-snapshots.ts";
import type { Approvals, Contents, Journals, LedgerContents, LedgerStore, Texts, WorkspaceState } from "./state.ts";
import type { StateStore } from "./store.ts";

/** The state of a workspace over a store. */
export function stateOver(store: StateStore): WorkspaceState {
  const ledger = store.ledger ?? storedLedger(store);
  const snapshots = {
    read: (names: readonly string[]) => store.get("snapshots", names),
    write: (texts: ReadonlyMap<string, string>) => store.put("snapshots", texts),
    marks: (names: readonly string[]) => store.marks("snapshots", names),
    leases: store.leases("snapshots"),
  };
  return {
    place: store.place,
    leases: store.leases("apply"),
    watchLeases: store.leases("watch"),
    journals: storedJournals(store),
    runs: storedRuns(store),
    ledger,
    plans: storedTexts(store, "plans"),
    approvals: storedApprovals(store),
    notes: storedTexts(store, "notes"),
    snapshots,
    workers: undefined,
    rates: store.rates,
    contents: async (): Promise<Contents> => ({
      runs: (await store.list("runs")).length,
      journals: (await store.list("journals")).length,
      plans: (await store.list("plans")).length,
      approvals: (await store.list("signatures")).length,
      ledger: (await ledger.read()).lines.size,
      snapshots: await countSnapshots(snapshots),
      notes: (await store.list("notes")).length,
      bytes: await store.size(),
    }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

function storedJournals(store: StateStore): Journals {
  const append = (token: LeaseToken, run: string, lines: readonly JournalLine[]) =>
    store.append(
      "journals",
      run,
      lines.map((line) => JSON.stringify(line)),
      token,
    );
  return {
    writeError: store.writeError,
    open: (token) => {
      const { add, idle } = batchWriter<JournalLine>((lines) => append(token, token.run, lines));
      return { append: add, close: idle };
    },
    list: () => store.list("journals"),
    read: async (run) => (await store.lines("journals", [run])).get(run)?.flatMap((line) => journalLineIn(line) ?? []),
    unfinished: async () => {
      const last = await store.lastLines("journals");
      return [...last].filter(([, line]) => isUnfinished(journalLineIn(line))).map(([run]) => run);
    },
    extend: append,
  };
}

function storedTexts(store: StateStore, documents: "plans" | "notes"): Texts {
  return {
    read: async (name) => (await store.get(documents, [name])).get(name),
    write: (name, text) => store.put(documents, new Map([[name, text]])),
    list: () => store.list(documents),
    marks: (names) => store.marks(documents, names),
  };
}

function storedApprovals(store: StateStore): Approvals {
  const ofRuns: Approvals["ofRuns"] = async (runs) => {
    const logs = await store.lines("signatures", runs);
    return new Map(
      [...logs].map(([run, lines]) => [run, armoredBlocks(lines.join("\n")).map((block) => `${block}\n`)]),
    );
  };
  return {
    add: (run, signature) => store.append("signatures", run, [signature.trimEnd()]),
    list: async (run) => (await ofRuns([run])).get(run) ?? [],
    ofRuns,
  };
}

/** Projects that are read or written at once. */
const batchSize = 500;

/** A ledger with a document per project. */
function storedLedger(store: StateStore): LedgerStore {
  return {
    read: async () => {
      const lines = new Map<string, string>();
      const names = await store.list("ledger");
      for (const batch of batchesOf(names)) {
        for (const [name, line] of await store.get("ledger", batch)) if (ledgerHead(line)) lines.set(name, line);
      }
      return { lines, problems: invalidLines(names.length - lines.size) } satisfies LedgerContents;
    },
    writeError: () => undefined,
    write: async (token, lines, changed) => {
      for (const batch of batchesOf(changed)) {
        await store.put("ledger", new Map(batch.map((name) => [name, lines.get(name)])), token);
      }
    },
  };
}

function* batchesOf(names: readonly string[]): Iterable<readonly string[]> {
  for (let at = 0; at < names.length; at += batchSize) yield names.slice(at, at + batchSize);
}

function invalidLines(count: number): readonly Problem[] {
  if (count === 0) return [];
  const message = `${count === 1 ? "1 row" : `${count} rows`} of the state's ledger cannot be read and are ignored`;
  return [{ severity: "warning", rule: "ledger", message }];
}

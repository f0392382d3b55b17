import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { armoredBlocks } from "../plan/approvals/ssh-signature.ts";
import { folderJournals } from "./folder/journals.ts";
import { folderLeases } from "./folder/lease.ts";
import { checkHeld } from "./folder/lock-file.ts";
import { folderRuns } from "./folder/runs.ts";
import { folderShards } from "./folder/shards.ts";
import { refuseLinks, stateFolder } from "./folder/state-folder.ts";
import { folderTexts } from "./folder/texts.ts";
import { ledgerFile, readLedgerFile } from "./ledger/file.ts";
import { processRates } from "./rates.ts";
import { countSnapshots } from "./snapshots/fleet-index.ts";
import type { WorkspaceState } from "./state.ts";

/** The file of `ledger: state`. */
const ledger = ".evenkeel/ledger.ndjson";

/**
 * The state in `.evenkeel` of a workspace, as readable files. The folder is created by the first write.
 * @throws UserError if a link in it leads out of the workspace.
 */
export function folderState(root: string): WorkspaceState {
  refuseLinks(root);
  const ready = () => void stateFolder(root);
  const place = join(root, ".evenkeel");
  const plans = folderTexts(root, "plans", "json", ready);
  const signatures = folderTexts(root, "plans", "sig", ready);
  const summaries = folderTexts(root, "runs", "json", ready);
  const notes = folderTexts(root, "notes", "txt", ready);
  const journals = folderJournals(root, ready);
  const snapshots = folderShards(root, ready);
  const signed = async (run: string) => armoredBlocks((await signatures.read(run)) ?? "").map((block) => `${block}\n`);
  const forget = (run: string) => {
    for (const files of [plans, signatures]) files.remove(run);
  };
  return {
    place,
    leases: folderLeases(place, ready, "lock"),
    watchLeases: folderLeases(place, ready, "watch.lock"),
    journals,
    runs: folderRuns(summaries, { list: plans.list, remove: forget }),
    ledger: ledgerFile(root, ledger, (token) => checkHeld(place, token)),
    plans,
    approvals: {
      add: async (run, signature) => signatures.write(run, `${(await signatures.read(run)) ?? ""}${signature}`),
      list: signed,
      ofRuns: async (runs) => new Map(await Promise.all(runs.map(async (run) => [run, await signed(run)] as const))),
    },
    notes,
    snapshots,
    rates: processRates,
    workers: undefined,
    contents: async () => ({
      runs: (await summaries.list()).length,
      journals: (await journals.list()).length,
      plans: (await plans.list()).length,
      approvals: (await signatures.list()).length,
      ledger: readLedgerFile(root, ledger).lines.size,
      snapshots: await countSnapshots(snapshots),
      notes: (await notes.list()).length,
      bytes: sizeOf(place),
    }),
    [Symbol.asyncDispose]: async () => {},
  };
}

function sizeOf(folder: string): number {
  try {
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    return files.reduce((sum, file) => sum + (statSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0), 0);
  } catch {
    return 0;
  }
}

import { dirname } from "node:path";
import { exit, UserError } from "../base/exit.ts";
import { didYouMean } from "../base/nearest.ts";
import { printable } from "../base/printable.ts";
import { counted } from "../base/text-format.ts";
import { historyJson, historyText, runsText, runText, runWithoutJournalText } from "../report/runs.ts";
import { type JournalLine, readJournal, readJournals } from "../state/journal.ts";
import { holderText } from "../state/lease.ts";
import { openState } from "../state/open-state.ts";
import { concerns, listRuns, liveRuns } from "../state/run-summary.ts";
import { countSnapshots } from "../state/snapshots/read-snapshots.ts";
import type { WorkspaceState } from "../state/state.ts";
import { findWorkspace, loadSettings } from "../workspace/load.ts";
import type { Options, Run } from "./command.ts";
import { showing } from "./outputs.ts";
import type { Terminal } from "./terminal.ts";

export const runs = showing<Options<"runs">>(async (terminal, options) => {
  await using state = await stateAround(terminal);
  const { project } = options;
  const all = await listRuns(state);
  const shown = project === undefined ? all : all.filter((summary) => concerns(summary, project));
  const live = await liveRuns(state);
  const none = project === undefined ? "No runs recorded." : printable(`No run recorded that concerns ${project}.`);
  return { text: () => historyText(shown, live) || none, json: () => historyJson(shown, live) };
});

export const journal = showing<Options<"journal">>(async (terminal, _, [wanted]) => {
  await using state = await stateAround(terminal);
  if (wanted === undefined) {
    const runs: { readonly run: string; readonly entries: readonly JournalLine[] }[] = [];
    for await (const each of readJournals(state)) runs.push(each);
    return { text: () => runsText(runs) || "No runs recorded.", json: () => runs };
  }
  const entries = await readJournal(state, wanted);
  if (entries) return { text: (palette) => runText(wanted, entries, palette), json: () => entries };
  const summary = await findSummary(state, wanted);
  return { text: (palette) => runWithoutJournalText(summary, palette), json: () => [] };
});

async function findSummary(state: WorkspaceState, wanted: string) {
  const all = await listRuns(state);
  const summary = all.find(({ run }) => run === wanted);
  if (summary) return summary;
  const names = new Set([...(await state.list("journals")), ...all.map(({ run }) => run)]);
  const longer = [...names].find((name) => name.startsWith(wanted));
  const near = longer === undefined ? didYouMean(wanted, names) : `; did you mean ${longer}?`;
  throw new UserError(`there is no run ${wanted}${near || "; evenkeel runs lists them"}`);
}

export const state = showing<Options<"state">>(async (terminal) => {
  await using opened = await stateAround(terminal);
  const { place, isShared: shared } = opened;
  const lease = (await opened.leases("apply").holder()) ?? null;
  const watcher = (await opened.leases("watch").holder()) ?? null;
  const contents = await countContents(opened);
  const watching = watcher ? [`Watcher: ${holderText(watcher)} since ${watcher.since}`] : [];
  const held = lease && `${holderText(lease)} since ${lease.since}, until ${lease.deadline} unless renewed`;
  const lines = [`State: ${place}`, `Lease: ${held ?? "free"}`, ...watching, contentsText(contents)];
  return {
    text: () => lines.map(printable).join("\n"),
    json: () => ({ place, shared, lease, watcher, contents }),
  };
});

async function countContents(state: WorkspaceState) {
  const count = async (of: Parameters<WorkspaceState["list"]>[0]) => (await state.list(of)).length;
  return {
    runs: await count("runs"),
    journals: await count("journals"),
    plans: await count("plans"),
    approvals: await count("signatures"),
    ledger: (await state.ledger.read()).lines.size,
    snapshots: await countSnapshots(state),
    notes: await count("notes"),
    bytes: await state.bytes(),
  };
}

function contentsText(contents: Awaited<ReturnType<typeof countContents>>): string {
  const parts = [
    counted(contents.runs, "run"),
    counted(contents.journals, "journal"),
    counted(contents.plans, "saved plan"),
    counted(contents.approvals, "signed plan"),
    `${counted(contents.ledger, "project")} in the ledger`,
    `${counted(contents.snapshots, "project")} seen`,
    counted(contents.notes, "note"),
  ];
  return `Keeps: ${parts.join(", ")}; ${Math.ceil(contents.bytes / 1024)} KB`;
}

export const releaseLock: Run<Options<"lock release">> = async (terminal, options, [wanted = ""]) => {
  await using state = await stateAround(terminal);
  const watcher = await state.leases("watch").holder();
  const leases = state.leases(watcher?.run === wanted ? "watch" : "apply");
  const holder = await leases.holder();
  if (!holder) throw new UserError("no run holds the lease of this workspace");
  if (holder.run !== wanted) throw new UserError(`run ${wanted} does not hold the lease; ${holderText(holder)} does`);
  if (!options.yes) {
    if (!terminal.interactive) throw new UserError("stdin is not a terminal: pass --yes", exit.usage);
    terminal.warn(printable(`${holderText(holder)} holds the lease since ${holder.since}.`));
    const question = "If it still runs, it stops before its next project. Release its lease? Type yes to continue:";
    if (!(await terminal.confirm(question))) {
      terminal.warn("Not released.");
      return exit.problem;
    }
  }
  if (!(await leases.release(wanted))) throw new UserError(`run ${wanted} does not hold the lease any more`);
  terminal.print(printable(`Released the lease of ${holderText(holder)}, held since ${holder.since}.`));
  return exit.done;
};

/** The state of the surrounding workspace. @throws UserError if there is no workspace, or its state is unusable. */
export async function stateAround({ folder, env }: Terminal): Promise<WorkspaceState> {
  const root = dirname(findWorkspace(folder));
  const { name } = loadSettings(folder);
  return openState({ root, name, env });
}

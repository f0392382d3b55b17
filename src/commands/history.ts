import { dirname } from "node:path";
import { exit, UserError } from "../base/exit.ts";
import { didYouMean } from "../base/nearest.ts";
import { printable } from "../base/printable.ts";
import { counted } from "../base/text-format.ts";
import { historyJson, historyText, runsText, runText, runWithoutJournalText } from "../report/runs.ts";
import { type Holder, holderText } from "../state/lease.ts";
import { openState } from "../state/open-state.ts";
import { concerns } from "../state/run-summary.ts";
import { type Contents, isShared, type Journals, type WorkspaceState } from "../state/state.ts";
import { liveRuns } from "../state/workspace-state.ts";
import { findWorkspace, loadSettings } from "../workspace/load.ts";
import type { Options, Run } from "./command.ts";
import { openReports } from "./outputs.ts";
import { folderOf, type OnlineOptions } from "./run-request.ts";
import type { Terminal } from "./terminal.ts";

export const runs: Run<Options<"runs">> = async (terminal, options) => {
  const report = openReports(terminal, options.report);
  await using state = await stateAround(terminal, options);
  const { project } = options;
  const all = await state.runs.list();
  const shown = project === undefined ? all : all.filter((summary) => concerns(summary, project));
  const live = await liveRuns(state);
  const none = project === undefined ? "No runs recorded." : printable(`No run recorded that concerns ${project}.`);
  report({
    text: () => historyText(shown, live) || none,
    json: () => historyJson(shown, live),
  });
  return exit.done;
};

export const journal: Run<Options<"journal">> = async (terminal, options, [wanted]) => {
  const report = openReports(terminal, options.report);
  await using state = await stateAround(terminal, options);
  if (wanted === undefined) {
    const runs = await allRuns(state.journals);
    report({
      text: () => runsText(runs) || "No runs recorded.",
      json: () => JSON.stringify(runs, null, 2),
    });
    return exit.done;
  }
  const entries = await state.journals.read(wanted);
  if (!entries) {
    const summary = await findSummary(state, wanted);
    report({ text: () => runWithoutJournalText(summary, terminal.palette), json: () => "[]" });
    return exit.done;
  }
  report({ text: () => runText(wanted, entries, terminal.palette), json: () => JSON.stringify(entries, null, 2) });
  return exit.done;
};

async function findSummary({ runs, journals }: Pick<WorkspaceState, "runs" | "journals">, wanted: string) {
  const all = await runs.list();
  const summary = all.find(({ run }) => run === wanted);
  if (summary) return summary;
  const names = new Set([...(await journals.list()), ...all.map(({ run }) => run)]);
  throw new UserError(`there is no run ${wanted}${suggestion(wanted, [...names]) || "; evenkeel runs lists them"}`);
}

async function allRuns(journals: Journals) {
  const names = await journals.list();
  return Promise.all(names.map(async (run) => ({ run, entries: (await journals.read(run)) ?? [] })));
}

function suggestion(wanted: string, names: readonly string[]): string {
  const longer = names.find((name) => name.startsWith(wanted));
  return longer === undefined ? didYouMean(wanted, names) : `; did you mean ${longer}?`;
}

export const state: Run<Options<"state">> = async (terminal, options) => {
  const report = openReports(terminal, options.report);
  await using opened = await stateAround(terminal, options);
  const { place } = opened;
  const shared = isShared(opened);
  const lease = (await opened.leases.holder()) ?? null;
  const watcher = (await opened.watchLeases.holder()) ?? null;
  const contents = await opened.contents();
  const watching = watcher ? [`Watcher: ${holderText(watcher)} since ${watcher.since}`] : [];
  const lines = [`State: ${place}`, leaseText(lease), ...watching, contentsText(contents)];
  report({
    text: () => lines.map(printable).join("\n"),
    json: () => JSON.stringify({ place, shared, lease, watcher, contents }, null, 2),
  });
  return exit.done;
};

function leaseText(holder: Holder | null): string {
  if (!holder) return "Lease: free";
  const until = holder.deadline ? `, until ${holder.deadline} unless renewed` : "";
  return `Lease: ${holderText(holder)} since ${holder.since}${until}`;
}

function contentsText({ runs, journals, plans, approvals, ledger, snapshots, notes, bytes }: Contents): string {
  const parts = [
    counted(runs, "run"),
    counted(journals, "journal"),
    counted(plans, "saved plan"),
    counted(approvals, "signed plan"),
    `${counted(ledger, "project")} in the ledger`,
    `${counted(snapshots, "project")} seen`,
    counted(notes, "note"),
  ];
  return `Keeps: ${parts.join(", ")}; ${Math.ceil(bytes / 1024)} KB`;
}

export const releaseLock: Run<Options<"lock release">> = async (terminal, options, [wanted = ""]) => {
  await using state = await stateAround(terminal, options);
  const watcher = await state.watchLeases.holder();
  const leases = watcher?.run === wanted ? state.watchLeases : state.leases;
  const holder = leases === state.leases ? await leases.holder() : watcher;
  if (!holder) throw new UserError("no run holds the lease of this workspace");
  if (holder.run !== wanted) throw new UserError(`run ${wanted} does not hold the lease; ${holderText(holder)} does`);
  if (!(await isAgreed(terminal, options, holder))) {
    terminal.warn("Not released.");
    return exit.problem;
  }
  if (!(await leases.release(wanted))) throw new UserError(`run ${wanted} does not hold the lease any more`);
  terminal.print(printable(`Released the lease of ${holderText(holder)}, held since ${holder.since}.`));
  return exit.done;
};

async function isAgreed(terminal: Terminal, { yes }: Options<"lock release">, holder: Holder): Promise<boolean> {
  if (yes) return true;
  if (!terminal.interactive) throw new UserError("stdin is not a terminal: pass --yes", exit.usage);
  terminal.warn(printable(`${holderText(holder)} holds the lease since ${holder.since}.`));
  return terminal.confirm(
    "If it still runs, it stops before its next project. Release its lease? Type yes to continue:",
  );
}

/** The state of the surrounding workspace. @throws UserError if there is no workspace, or its state is unusable. */
export async function stateAround(terminal: Terminal, options: Pick<OnlineOptions, "C">): Promise<WorkspaceState> {
  const folder = folderOf(terminal, options);
  const root = dirname(findWorkspace(folder));
  const { name } = loadSettings(folder);
  return openState({ root, name, env: terminal.env });
}

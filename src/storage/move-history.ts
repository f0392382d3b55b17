import { withoutTrailing } from "../base/text-format.ts";
import { endpoints } from "../model/endpoints.ts";
import { repositoryKinds } from "../model/repository-kinds.ts";
import type { JournalLine } from "../state/journal-entry.ts";
import type { Journals } from "../state/state.ts";

/** The last run in the journal that moved a storage address, and how far it got. */
export interface EarlierMove {
  readonly run: string;
  /** `sent`: no response was received. `scheduled`: accepted, with no recorded end. */
  readonly state: "sent" | "scheduled" | "done";
  /** The destination, where it is known. */
  readonly to: string | undefined;
}

export type History = ReadonlyMap<string, EarlierMove>;

/** Moves of earlier runs against this server, by address. */
export async function historyOf(journals: Journals, url: string): Promise<History> {
  const history = new Map<string, EarlierMove>();
  for (const run of await journals.list()) {
    const entries = (await journals.read(run)) ?? [];
    if (entries.some((entry) => entry.event === "start" && isSame(entry.server, url))) {
      for (const entry of entries) remember(history, run, entry);
    }
  }
  return history;
}

function isSame(a: string, b: string): boolean {
  return withoutTrailing(a, "/") === withoutTrailing(b, "/");
}

/** Moves are recognised by path, because a project may be called `storage`. */
const scheduling = new Set(Object.values(repositoryKinds).map(({ schedule }) => endpoints[schedule].path));

function remember(history: Map<string, EarlierMove>, run: string, entry: JournalLine): void {
  if (!("address" in entry)) return;
  const { address } = entry;
  const before = history.get(address);
  if (entry.event === "intent" && scheduling.has(entry.path)) {
    history.set(address, { run, state: "sent", to: undefined });
  }
  if (entry.event === "scheduled") history.set(address, { run, state: "scheduled", to: entry.to });
  if (entry.event !== "result" || !before) return;
  if (entry.status === "applied") history.set(address, { ...before, run, state: "done" });
  if (entry.status === "failed") history.delete(address);
}

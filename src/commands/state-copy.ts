import { basename, dirname, resolve } from "node:path";
import { exit, UserError } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { counted } from "../base/text-format.ts";
import { durationOf } from "../manifest/duration.ts";
import { claimFor, newRun } from "../state/claim.ts";
import { copyState } from "../state/copy.ts";
import { folderState } from "../state/folder.ts";
import { leaseDuration, takeLease } from "../state/lease.ts";
import { stateAt } from "../state/open-state.ts";
import { isShared, type WorkspaceState } from "../state/state.ts";
import { unnamed } from "../state/state-address.ts";
import { isFolder } from "../workspace/durable-file.ts";
import { loadSettings } from "../workspace/load.ts";
import type { Run } from "./command.ts";
import type { Options } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { folderOf } from "./workspace-options.ts";

/** `evenkeel state copy --from URL|DIR --to URL|DIR`: holds both leases while it copies. */
export const run: Run<Options<"state copy">> = async (terminal, options) => {
  const { from, to } = options;
  if (from === undefined || to === undefined) throw new UserError("state copy needs --from and --to", exit.usage);
  await using source = await stateIn(terminal, options, "--from", from);
  if (!isShared(source) && !isFolder(source.place)) {
    throw new UserError(`there is no state in ${dirname(source.place)}; expected a folder with .evenkeel`);
  }
  await using target = await stateIn(terminal, options, "--to", to);
  if (source.place === target.place) throw new UserError("--from and --to are the same state", exit.usage);
  const claim = claimFor(newRun(new Date()), terminal.env);
  const duration = leaseDuration(terminal.env, durationOf);
  await using _read = await takeLease(source.leases, claim, { duration });
  await using written = await takeLease(target.leases, claim, { duration });
  const { copied, present } = await copyState(source, target, written);
  const known = present > 0 ? `; ${counted(present, "run was", "runs were")} there already` : "";
  terminal.print(printable(`Copied ${counted(copied, "run")} to ${target.place}${known}.`));
  return exit.done;
};

async function stateIn(
  terminal: Terminal,
  options: Options<"state copy">,
  flag: string,
  place: string,
): Promise<WorkspaceState> {
  if (!place.includes("://")) return folderState(rootOf(folderAt(terminal, flag, place)));
  const { name } = loadSettings(folderOf(terminal, options));
  if (name === undefined) throw new UserError(unnamed);
  return stateAt(place, flag, name, terminal.env);
}

/** Rejects a URL without its `postgres://`, which would become a folder with a password in its name. */
function folderAt({ cwd }: Terminal, flag: string, place: string): string {
  const path = resolve(cwd, place);
  const mayBeMade = flag === "--to" && !/:[^/]*@/.test(place);
  if (mayBeMade || isFolder(path)) return path;
  throw new UserError(`${flag} names no folder; expected one that is there, or postgres://…`, exit.usage);
}

/** A workspace's folder, also by the name of its `.evenkeel`. */
function rootOf(folder: string): string {
  return basename(folder) === ".evenkeel" ? dirname(folder) : folder;
}

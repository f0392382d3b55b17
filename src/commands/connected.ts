import { exit, UserError } from "../base/exit.ts";
import { didYouMean } from "../base/nearest.ts";
import { printable } from "../base/printable.ts";
import { connectReader, connectWriter, type Reader } from "../client/client.ts";
import { readMigrations } from "../manifest/migrations.ts";
import { readPolicies } from "../manifest/policies.ts";
import { type CheckedValues, checkValues, type Given } from "../model/call-check.ts";
import { type Catalogue, catalogueOf } from "../model/catalogue.ts";
import type { EndpointName } from "../model/endpoints.ts";
import { ownerOfName } from "../model/owner.ts";
import {
  deploymentsText,
  deploymentText,
  mergeRequestsText,
  statusJson,
  statusText,
  whoamiJson,
  whoamiText,
} from "../report/server-texts.ts";
import { connectionFrom } from "../run/connection.ts";
import {
  listMergeRequests,
  readDeployment,
  readDeployments,
  recordDeployment,
  updateDeployment,
  type WriteOutcome,
} from "../run/deployments.ts";
import { canPlan, readTokenAccess } from "../run/live/token-access.ts";
import { type Remainder, remaindersOn, StorageHidden, storagesOfMoves } from "../run/storage/storage-view.ts";
import { dialectAround, loadWorkspace, workspaceAbove } from "../workspace/load.ts";
import type { Options } from "./command.ts";
import { type CommandResult, showing } from "./outputs.ts";
import { type OnlineOptions, requestOf } from "./run-request.ts";
import type { Terminal } from "./terminal.ts";

/** @throws UserError naming every mistake. `others` names parameters that are not set by an option of their name. */
export function checkArguments(
  { note }: Pick<Terminal, "note">,
  name: EndpointName,
  given: Given,
  { others = argumentNames, facts }: { others?: Readonly<Record<string, string>>; facts?: Catalogue["facts"] } = {},
): Extract<CheckedValues, { values: unknown }> {
  const named = (parameter: string) => others[parameter] ?? `--${parameter.replaceAll("_", "-")}`;
  const result = checkValues(name, given, named, facts);
  if ("mistakes" in result) throw new UserError(result.mistakes.join("; "), exit.usage);
  for (const each of result.notes) note(`note: ${each}`);
  return result;
}

const argumentNames = { id: "PROJECT", deployment_id: "ID", tag: "--tag or --no-tag" };

export const deployments = showing<Options<"deployments list">>(async (terminal, options, [id = ""]) => {
  const { orderBy: order_by, sort, updatedAfter: updated_after, updatedBefore: updated_before } = options;
  const { environment, status } = options;
  const given = { id, order_by, sort, updated_after, updated_before, environment, status };
  const { facts } = catalogueOf(dialectAround(terminal.folder));
  const { values } = checkArguments(terminal, "listDeployments", given, { facts });
  await using reader = await reading(terminal, options);
  const rows = await readDeployments(reader, id, values);
  return { text: (palette) => deploymentsText(rows, palette), json: () => rows };
});

export const deployment = showing<Options<"deployments show">>(async (terminal, options, [project = "", id = ""]) => {
  checkArguments(terminal, "getDeployment", { id: project, deployment_id: id });
  await using reader = await reading(terminal, options);
  return showDeployment({ row: await readDeployment(reader, project, id) }, terminal);
});

export const addDeployment = showing<Options<"deployments create">>(async (terminal, options, [project = ""]) => {
  const { environment, sha, ref, tag, status } = options;
  const { values } = checkArguments(terminal, "createDeployment", { id: project, environment, sha, ref, tag, status });
  await using writer = await writing(terminal, options);
  return showDeployment(await recordDeployment(writer, project, values), terminal);
});

export const changeDeployment = showing<Options<"deployments update">>(
  async (terminal, options, [project = "", id = ""]) => {
    const { status } = options;
    checkArguments(terminal, "updateDeployment", { id: project, deployment_id: id, status });
    if (status === undefined) throw new UserError("--status is missing; there is nothing else to change", exit.usage);
    await using writer = await writing(terminal, options);
    return showDeployment(await updateDeployment(writer, project, id, status), terminal);
  },
);

export const mergeRequests = showing<Options<"deployments merge-requests">>(
  async (terminal, options, [project = "", id = ""]) => {
    checkArguments(terminal, "listDeploymentMergeRequests", { id: project, deployment_id: id });
    await using reader = await reading(terminal, options);
    const rows = await listMergeRequests(reader, project, id);
    return { text: (palette) => mergeRequestsText(rows, palette), json: () => rows };
  },
);

function reading(terminal: Terminal, options: OnlineOptions) {
  return connectReader(connectionFrom(requestOf(terminal, options)));
}

function writing(terminal: Terminal, options: OnlineOptions) {
  return connectWriter(connectionFrom(requestOf(terminal, options)));
}

function showDeployment(written: WriteOutcome, terminal: Terminal): CommandResult {
  if (!("row" in written)) return written;
  const { row, note } = written;
  if (note) terminal.note(`note: ${note}`);
  return { text: (palette) => deploymentText(row, palette), json: () => row };
}

export const whoami = showing<Options<"whoami">>(async (terminal, options) => {
  if (options.project?.trim() === "")
    throw new UserError("--project is empty; expected the ID or the path of a project", exit.usage);
  if (ownerOfName(options.project ?? "") === "instance")
    throw new UserError("--project names a project or a group; for the instance, leave it out", exit.usage);
  await using reader = await reading(terminal, options);
  const access = await readTokenAccess(reader, options.project ?? findFirstNamed(terminal.folder));
  const code = canPlan(access) ? exit.done : exit.problem;
  return { text: (palette) => whoamiText(access, palette), json: () => whoamiJson(access), code };
});

/** The first project, else the first group, that policies of the surrounding workspace name without a wildcard. */
function findFirstNamed(folder: string): string | undefined {
  if (workspaceAbove(folder) === undefined) return undefined;
  const { policies } = readPolicies(loadWorkspace(folder));
  const selectors = policies.flatMap(({ projects }) => projects).filter(({ form }) => form !== "glob");
  const first = (owner: string) => selectors.find(({ written }) => ownerOfName(written) === owner)?.written;
  return first("project") ?? first("group");
}

export const storageStatus = showing<Options<"storage status">>(async (terminal, options, [storage = ""]) => {
  if (storage.trim() === "") throw new UserError("STORAGE is empty; expected the name of a storage", exit.usage);
  await using reader = await reading(terminal, options);
  try {
    const remainders = await remaindersOn(reader, storage);
    await warnOfDoubt(terminal, storage, remainders, reader);
    return {
      text: (palette) => statusText(storage, remainders, palette),
      json: () => statusJson(storage, remainders),
    };
  } catch (error) {
    if (!(error instanceof StorageHidden)) throw error;
    return { status: "failed", error: error.message };
  }
});

/** Warns of a misspelled storage, which would appear drained, because the API has no list of storages. */
async function warnOfDoubt(
  { note, folder }: Terminal,
  storage: string,
  remainders: readonly Remainder[],
  reader: Reader,
): Promise<void> {
  if (remainders.some(({ left }) => left)) return;
  const migrations = workspaceAbove(folder) ? readMigrations(loadWorkspace(folder)).migrations : [];
  const known = new Set([...migrations.flatMap(({ from, to }) => [from, to]), ...(await storagesOfMoves(reader))]);
  if (known.has(storage)) return;
  const doubt = `no project, listed move or manifest names storage ${storage}, so it may not exist${didYouMean(storage, known)}`;
  note(printable(`warning: ${doubt}`));
}

import { type ExitCode, exit, exitCode, UserError } from "../base/exit.ts";
import { didYouMean } from "../base/nearest.ts";
import { printable } from "../base/printable.ts";
import { type ClientOptions, type Closing, connectReader, connectWriter, type Reader } from "../client/client.ts";
import { explainCallFailure } from "../client/explain-failure.ts";
import { CallFailed } from "../client/failure.ts";
import { readMigrations } from "../manifest/migrations.ts";
import { readPolicies } from "../manifest/policies.ts";
import { type CheckedValues, checkValues, type Given } from "../model/call-check.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { EndpointName } from "../model/endpoints.ts";
import { ownerOfName } from "../model/owner.ts";
import { deploymentText, statusJson, statusText, whoamiJson, whoamiText } from "../report/server-texts.ts";
import { connectionFrom } from "../run/connection.ts";
import type { WriteOutcome } from "../run/deployments.ts";
import { canPlan, readTokenAccess } from "../run/live/token-access.ts";
import { type Remainder, remaindersOn, StorageHidden, storagesOfMoves } from "../run/storage/storage-view.ts";
import { loadWorkspace, workspaceAbove } from "../workspace/load.ts";
import type { Options, Run } from "./command.ts";
import { openReports, type ReportContents } from "./outputs.ts";
import { folderOf, type OnlineOptions, requestOf } from "./run-request.ts";
import type { Terminal } from "./terminal.ts";

export type Shown = ReportContents | { readonly status: "failed" | "unknown"; readonly error: string };

export const reading = connectWith(connectReader);

export const writing = connectWith(connectWriter);

type Work<Connection> = (connection: Connection) => Promise<Shown>;

function connectWith<Connection extends Reader & Closing>(connect: (options: ClientOptions) => Promise<Connection>) {
  return async (terminal: Terminal, options: OnlineOptions, work: Work<Connection>): Promise<ExitCode> => {
    const report = openReports(terminal, options.report);
    await using connection = await connect(connectionFrom(requestOf(terminal, options)));
    const shown = await work(connection).catch((error): Shown => {
      if (error instanceof CallFailed) return { status: "failed", error: explainCallFailure(error) };
      throw error;
    });
    if (typeof shown.error !== "string") {
      report(shown as ReportContents);
      return exit.done;
    }
    terminal.warn(printable(`error: ${shown.error}`));
    report({ text: () => "", json: () => JSON.stringify(shown, null, 2) });
    return exitCode({ interrupted: terminal.interrupted.aborted, problem: true });
  };
}

export function shownDeployment(written: WriteOutcome, { palette, note: tell }: Terminal): Shown {
  if (!("row" in written)) return written;
  const { row, note } = written;
  if (note) tell(`note: ${note}`);
  return { text: () => deploymentText(row, palette), json: () => JSON.stringify(row, null, 2) };
}

/** @throws UserError naming every mistake. */
export function checkArguments(
  terminal: Terminal,
  name: EndpointName,
  given: Given,
  facts?: Catalogue["facts"],
): Passed {
  const result = parseArguments(name, given, otherNames, facts);
  for (const note of result.notes) terminal.note(`note: ${note}`);
  return result;
}

type Passed = Extract<CheckedValues, { values: unknown }>;

/** Like {@link checkArguments}, without notes; `others` names parameters that are not set by an option of their name. */
export function parseArguments(
  name: EndpointName,
  given: Given,
  others: Readonly<Record<string, string>>,
  facts?: Catalogue["facts"],
): Passed {
  const named = (parameter: string) => others[parameter] ?? `--${parameter.replaceAll("_", "-")}`;
  const result = checkValues(name, given, named, facts);
  if ("mistakes" in result) throw new UserError(result.mistakes.join("; "), exit.usage);
  return result;
}

const otherNames: Readonly<Record<string, string>> = {
  id: "PROJECT",
  deployment_id: "ID",
  tag: "--tag or --no-tag",
};

export const whoami: Run<Options<"whoami">> = async (terminal, options) => {
  if (options.project?.trim() === "")
    throw new UserError("--project is empty; expected the ID or the path of a project", exit.usage);
  if (ownerOfName(options.project ?? "") === "instance")
    throw new UserError("--project names a project or a group; for the instance, leave it out", exit.usage);
  const project = options.project ?? findFirstNamed(folderOf(terminal, options));
  let isEnough = true;
  const code = await reading(terminal, options, async (reader) => {
    const access = await readTokenAccess(reader, project);
    isEnough = canPlan(access);
    return { text: () => whoamiText(access, terminal.palette), json: () => whoamiJson(access) };
  });
  return code === exit.done && !isEnough ? exit.problem : code;
};

/** The first project, else the first group, that policies of the surrounding workspace name without a wildcard. */
function findFirstNamed(folder: string): string | undefined {
  if (workspaceAbove(folder) === undefined) return undefined;
  const { policies } = readPolicies(loadWorkspace(folder));
  const named = policies.flatMap(({ projects }) =>
    projects.flatMap(({ form, written }) => (form === "glob" ? [] : written)),
  );
  const [project, group] = (["project", "group"] as const).map((owner) =>
    named.find((name) => ownerOfName(name) === owner),
  );
  return project ?? group;
}

export const storageStatus: Run<Options<"storage status">> = (terminal, options, [storage = ""]) => {
  if (storage.trim() === "") throw new UserError("STORAGE is empty; expected the name of a storage", exit.usage);
  return reading(terminal, options, async (reader) => {
    try {
      const remainders = await remaindersOn(reader, storage);
      const doubt = await doubtAbout(storage, remainders, reader, folderOf(terminal, options));
      if (doubt) terminal.note(printable(`warning: ${doubt}`));
      return {
        text: () => statusText(storage, remainders, terminal.palette),
        json: () => statusJson(storage, remainders),
      };
    } catch (error) {
      if (error instanceof StorageHidden) return { status: "failed", error: error.message };
      throw error;
    }
  });
};

/** Warns of a misspelled storage, which would appear drained, because the API has no list of storages. */
async function doubtAbout(
  storage: string,
  remainders: readonly Remainder[],
  reader: Reader,
  folder: string,
): Promise<string | undefined> {
  if (remainders.some(({ left }) => left)) return undefined;
  const known = new Set([...declaredStorages(folder), ...(await storagesOfMoves(reader))]);
  if (known.has(storage)) return undefined;
  return `no project, listed move or manifest names storage ${storage}, so it may not exist${didYouMean(storage, known)}`;
}

function declaredStorages(folder: string): readonly string[] {
  if (!workspaceAbove(folder)) return [];
  const { migrations } = readMigrations(loadWorkspace(folder));
  return migrations.flatMap(({ from, to }) => [from, to]);
}

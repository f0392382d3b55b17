import { type ExitCode, exit, exitCode, UserError } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { type ClientOptions, type Closing, connectReader, connectWriter, type Reader } from "../client/client.ts";
import { explained } from "../client/explain-failure.ts";
import { CallFailed } from "../client/failure.ts";
import { type CheckedValues, checkValues, type Given } from "../model/call-check.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { EndpointName } from "../model/endpoints.ts";
import { deploymentText } from "../report/server-texts.ts";
import { connectionFrom } from "../run/connection.ts";
import type { WriteOutcome } from "../run/deployments/deployment-records.ts";
import { openReports, type ReportContents } from "./outputs.ts";
import { type OnlineOptions, requestOf } from "./run-request.ts";
import type { Terminal } from "./terminal.ts";

/** What a command shows, or a sentence that says what went wrong. */
export type Shown = ReportContents | { readonly status: "failed" | "unknown"; readonly error: string };

/** Runs `work` on a connection that can only read. */
export const reading = connected(connectReader);

/** Runs `work` on a connection that reads and writes. */
export const writing = connected(connectWriter);

type Work<Connection> = (connection: Connection) => Promise<Shown>;

/** A failed call is told in a sentence, and stands in the report as well. */
function connected<Connection extends Reader & Closing>(connect: (options: ClientOptions) => Promise<Connection>) {
  return async (terminal: Terminal, options: OnlineOptions, work: Work<Connection>): Promise<ExitCode> => {
    const report = openReports(terminal, options.report);
    await using connection = await connect(connectionFrom(requestOf(terminal, options)));
    const shown = await work(connection).catch(failed);
    if (!isFailure(shown)) {
      report(shown);
      return exit.done;
    }
    terminal.warn(printable(`error: ${shown.error}`));
    report({ text: () => "", json: () => JSON.stringify(shown, null, 2) });
    return exitCode({ interrupted: terminal.interrupted.aborted, problem: true });
  };
}

function failed(error: unknown): Shown {
  if (error instanceof CallFailed) return { status: "failed", error: explained(error) };
  throw error;
}

function isFailure(shown: Shown): shown is Exclude<Shown, ReportContents> {
  return typeof shown.error === "string";
}

/** What a write left, for people and for scripts. */
export function shownDeployment(written: WriteOutcome, { palette, note: tell }: Terminal): Shown {
  if (!("row" in written)) return written;
  const { row, note } = written;
  if (note) tell(`note: ${note}`);
  return { text: () => deploymentText(row, palette), json: () => JSON.stringify(row, null, 2) };
}

/** The options and arguments of a command as values that may be sent. @throws UserError naming every mistake. */
export function checked(terminal: Terminal, name: EndpointName, given: Given, facts?: Catalogue["facts"]): Passed {
  const result = passed(name, given, otherNames, facts);
  for (const note of result.notes) terminal.note(`note: ${note}`);
  return result;
}

type Passed = Extract<CheckedValues, { values: unknown }>;

/** The same, without a word on what was added; `others` says what is not given by the option of its name. */
export function passed(
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

import { type ExitCode, exit, exitCode, UserError } from "../base/exit.ts";
import { didYouMean } from "../base/nearest.ts";
import { printable } from "../base/printable.ts";
import { connectReader } from "../client/client.ts";
import { explainCallFailure } from "../client/explain-failure.ts";
import { CallFailed } from "../client/failure.ts";
import { addressOf } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { shiftBetween } from "../plan/routes/audience.ts";
import {
  declaredListeners,
  listenersAfter,
  listenersBefore,
  liveListeners,
  receivesEvents,
} from "../plan/routes/listeners.ts";
import { type Listener, routesOf, unknownRoutesOf } from "../plan/routes/routes.ts";
import { routesText, shiftText, unknownText } from "../report/server-texts.ts";
import { connectionFrom } from "../run/connection.ts";
import type { Unread } from "../run/live/partly-read.ts";
import { readActive, readActiveReadable } from "../run/live/read-live.ts";
import type { Request } from "../run/request.ts";
import { catalogueAround } from "../workspace/load.ts";
import type { Run } from "./command.ts";
import { openReports, type ReportContents } from "./outputs.ts";
import { requestOf } from "./run-request.ts";
import { effectiveState } from "./show.ts";
import type { Options } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** `evenkeel routes PROJECT`: the receivers of events by manifests or by the server, or how the two differ. */
export const run: Run<Options<"routes">> = async (terminal, options, [project = ""]) => {
  const report = openReports(terminal, options.report);
  const request = requestOf(terminal, options);
  const catalogue = catalogueAround(request.folder);
  checkUsage(options, catalogue);
  try {
    const shown = await (options.diff ? difference : shownRoutes)(
      terminal,
      options,
      { ...request, catalogue },
      project,
    );
    if (shown) report(shown.renderers);
    return exitCode({ problem: shown?.isWhole !== true });
  } catch (error) {
    return printFailure(terminal, error);
  }
};

function printFailure({ warn, interrupted }: Terminal, error: unknown): ExitCode {
  if (!(error instanceof CallFailed)) throw error;
  warn(printable(`error: ${explainCallFailure(error)}`));
  return exitCode({ interrupted: interrupted.aborted, problem: true });
}

function checkUsage({ event, live, diff }: Options<"routes">, { events }: Catalogue): void {
  if (live && diff) throw new UserError("--diff reads both sides: leave out --live", exit.usage);
  if (event === undefined) {
    if (diff) return;
    throw new UserError(`--event is missing; it takes ${[...events.keys()].join(", ")}`, exit.usage);
  }
  if (events.has(event)) return;
  const name = event.replace(/_events$/, "");
  const near = events.has(name) ? `; did you mean ${name}?` : didYouMean(name, events.keys());
  const hint = near || `; there are ${[...events.keys()].join(", ")}`;
  throw new UserError(`there is no event ${JSON.stringify(event)}${hint}`, exit.usage);
}

interface Shown {
  readonly renderers: ReportContents;
  /** False if something could not be read; the problem was printed. */
  readonly isWhole: boolean;
}

type Asked = Request & { readonly catalogue: Catalogue };

type Show = (
  terminal: Terminal,
  options: Options<"routes">,
  request: Asked,
  project: string,
) => Promise<Shown | undefined>;

const shownRoutes: Show = async (terminal, options, request, project) => {
  const { event = "", branch, branchKind, pipelineStatus } = options;
  const result = options.live
    ? await readReported(request, project, event)
    : await readDeclared(terminal, request, project);
  if (!result) return undefined;
  const { listeners, unread } = result;
  for (const each of unread) terminal.warn(printable(`error: ${unreadText(project, each)}`));
  const query = { event, branch, branchKind, pipelineStatus };
  const routes = {
    routes: routesOf(listeners, query),
    unknown: unknownRoutesOf(listeners, query),
    many: request.catalogue.events.get(event)?.many ?? event,
  };
  if (routes.unknown.length > 0 && options.report) terminal.warn(unknownText(routes));
  const renderers = {
    text: () => routesText(routes, terminal.palette),
    json: () => JSON.stringify(routes.routes, null, 2),
  };
  return { renderers, isWhole: unread.length === 0 };
};

function unreadText(project: string, { kind, key = "", failure }: Unread): string {
  return `${addressOf(project, kind, key)} could not be read and is left out: ${explainCallFailure(failure)}`;
}

const difference: Show = async (terminal, { event }, request, project) => {
  const desired = await effectiveState(terminal, request, project);
  if (!desired) return undefined;
  await using reader = await connectReader(connectionFrom(request));
  const { catalogue } = reader;
  const read = await readActive(reader, desired.project, listening(catalogue, event));
  const live = liveListeners(read, catalogue);
  const after = listenersAfter(live, desired, catalogue);
  const shift = shiftBetween(listenersBefore(live, desired, catalogue), after, event);
  const renderers = { text: () => shiftText(shift, terminal.palette), json: () => JSON.stringify(shift, null, 2) };
  return { renderers, isWhole: true };
};

function listening({ integrations }: Catalogue, event: string | undefined) {
  return (slug: string) => receivesEvents(integrations.get(slug), event);
}

interface Known {
  readonly listeners: readonly Listener[];
  readonly unread: readonly Unread[];
}

async function readReported(request: Request, name: string, event: string): Promise<Known> {
  await using reader = await connectReader(connectionFrom(request));
  const { catalogue } = reader;
  const { live, unread } = await readActiveReadable(reader, { name }, listening(catalogue, event));
  return { listeners: liveListeners(live, catalogue), unread };
}

async function readDeclared(terminal: Terminal, request: Asked, project: string): Promise<Known | undefined> {
  const desired = await effectiveState(terminal, request, project);
  return desired && { listeners: declaredListeners(desired.resources, request.catalogue), unread: [] };
}

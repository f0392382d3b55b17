import { type ExitCode, exit, exitCode, Refusal } from "../base/exit.ts";
import { didYouMean } from "../base/nearest.ts";
import { printable } from "../base/printable.ts";
import { connectReader } from "../client/client.ts";
import { explained } from "../client/explain-failure.ts";
import { CallFailed } from "../client/failure.ts";
import { readActive } from "../live/read-live.ts";
import { events } from "../model/events.ts";
import { connectionFrom } from "../reconcile/context.ts";
import type { Request } from "../reconcile/request.ts";
import type { Renderers } from "../report/reports.ts";
import { routesText, shiftText, unknownText } from "../report/routes.ts";
import { shiftBetween } from "../routes/audience.ts";
import {
  declaredListeners,
  listenersAfter,
  listenersBefore,
  liveListeners,
  receivesEvents,
} from "../routes/listeners.ts";
import { type Listener, routesOf, unknownRoutesOf } from "../routes/routes.ts";
import { effectiveState } from "./effective-state.ts";
import type { Options } from "./flags.ts";
import { reporter } from "./outputs.ts";
import { requestOf } from "./run.ts";
import type { Terminal } from "./terminal.ts";
import type { Run } from "./verb.ts";

/** `evenkeel routes PROJECT`: who is notified of an event, by manifests or by the server; or what changes between the two. */
export const run: Run<Options<"routes">> = async (terminal, options, [project = ""]) => {
  const report = reporter(terminal, options.report);
  checkUsage(options);
  const request = requestOf(terminal, options);
  try {
    const shown = await (options.diff ? difference : routes)(terminal, options, request, project);
    if (!shown) return exitCode({ problem: true });
    report(shown);
    return exit.done;
  } catch (error) {
    return failed(terminal, error);
  }
};

function failed({ warn, interrupted }: Terminal, error: unknown): ExitCode {
  if (!(error instanceof CallFailed)) throw error;
  warn(printable(explained(error)));
  return exitCode({ interrupted: interrupted.aborted, problem: true });
}

function checkUsage({ event, live, diff }: Options<"routes">): void {
  if (live && diff) throw new Refusal("--diff reads both sides: leave out --live", exit.usage);
  if (event === undefined) {
    if (diff) return;
    throw new Refusal(`--event is missing; it takes ${[...events.keys()].join(", ")}`, exit.usage);
  }
  if (events.has(event)) return;
  const hint =
    didYouMean(event.replace(/_events$/, ""), events.keys()) || `; there are ${[...events.keys()].join(", ")}`;
  throw new Refusal(`there is no event ${JSON.stringify(event)}${hint}`, exit.usage);
}

type Show = (
  terminal: Terminal,
  options: Options<"routes">,
  request: Request,
  project: string,
) => Promise<Renderers | undefined>;

const routes: Show = async (terminal, options, request, project) => {
  const { event = "", branch, branchKind, pipelineStatus } = options;
  const listeners = await (options.live
    ? readListeners(request, project, event)
    : declared(terminal, request, project));
  if (!listeners) return undefined;
  const happening = { event, branch, branchKind, pipelineStatus };
  const found = {
    routes: routesOf(listeners, happening),
    unknown: unknownRoutesOf(listeners, happening),
    many: events.get(event)?.many ?? event,
  };
  if (found.unknown.length > 0 && options.report) terminal.warn(unknownText(found));
  return {
    text: () => routesText(found, terminal.palette),
    json: () => JSON.stringify(found.routes, null, 2),
  };
};

const difference: Show = async (terminal, { event }, request, project) => {
  const desired = await effectiveState(terminal, request, project);
  if (!desired) return undefined;
  const live = await readListeners(request, desired.project.name, event);
  const shift = shiftBetween(listenersBefore(live, desired), listenersAfter(live, desired), event);
  return { text: () => shiftText(shift, terminal.palette), json: () => JSON.stringify(shift, null, 2) };
};

async function readListeners(request: Request, project: string, event: string | undefined): Promise<Listener[]> {
  await using reader = await connectReader(connectionFrom(request));
  const named = { name: project };
  return liveListeners(await readActive(reader, named, (slug) => receivesEvents(slug, event)));
}

async function declared(terminal: Terminal, request: Request, project: string): Promise<Listener[] | undefined> {
  const desired = await effectiveState(terminal, request, project);
  return desired && declaredListeners(desired.resources);
}

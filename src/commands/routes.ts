import { exit, exitCode, UserError } from "../base/exit.ts";
import { didYouMean } from "../base/nearest.ts";
import { printable } from "../base/printable.ts";
import { connectReader } from "../client/client.ts";
import { explainCallFailure } from "../client/explain-failure.ts";
import { addressOf } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { declaredListeners, liveListeners, receivesEvents } from "../plan/routes/listeners.ts";
import { routesOf, unknownRoutesOf } from "../plan/routes/routes.ts";
import { routesText, unknownText } from "../report/server-texts.ts";
import { connectionFrom } from "../run/connection.ts";
import { readActiveReadable } from "../run/live/read-live.ts";
import type { Request } from "../run/request.ts";
import { catalogueAround } from "../workspace/load.ts";
import type { Options } from "./command.ts";
import { showing } from "./outputs.ts";
import { requestOf } from "./run-request.ts";
import { effectiveProject } from "./show.ts";
import type { Terminal } from "./terminal.ts";

/** `evenkeel routes PROJECT`: the receivers of events by manifests or by the server. */
export const run = showing<Options<"routes">>(async (terminal, options, [project = ""]) => {
  const request = requestOf(terminal, options);
  const catalogue = catalogueAround(request.folder);
  const event = checkedEvent(options.event, catalogue);
  const { branch, branchKind, pipelineStatus } = options;
  const query = { event, branch, branchKind, pipelineStatus };
  const known = options.live
    ? await readReported(request, project, event)
    : await readDeclared(terminal, request, project, catalogue);
  if (!known) return exit.problem;
  const { listeners, unread } = known;
  for (const { kind, key = "", failure } of unread) {
    const why = `could not be read and is left out: ${explainCallFailure(failure)}`;
    terminal.warn(printable(`error: ${addressOf(project, kind, key)} ${why}`));
  }
  const routes = {
    routes: routesOf(listeners, query),
    unknown: unknownRoutesOf(listeners, query),
    many: catalogue.events.get(event)?.many ?? event,
  };
  if (routes.unknown.length > 0 && options.report) terminal.warn(unknownText(routes));
  const code = exitCode({ problem: unread.length > 0 });
  return { text: (palette) => routesText(routes, palette), json: () => routes.routes, code };
});

function checkedEvent(event: string | undefined, { events }: Catalogue): string {
  const names = [...events.keys()].join(", ");
  if (event === undefined) throw new UserError(`--event is missing; it takes ${names}`, exit.usage);
  if (events.has(event)) return event;
  const name = event.replace(/_events$/, "");
  const near = events.has(name) ? `; did you mean ${name}?` : didYouMean(name, events.keys());
  throw new UserError(`there is no event ${JSON.stringify(event)}${near || `; there are ${names}`}`, exit.usage);
}

async function readReported(request: Request, name: string, event: string) {
  await using reader = await connectReader(connectionFrom(request));
  const { catalogue } = reader;
  const isListening = (slug: string) => receivesEvents(catalogue.integrations.get(slug), event);
  const { live, unread } = await readActiveReadable(reader, { name }, isListening);
  return { listeners: liveListeners(live, catalogue), unread };
}

async function readDeclared(terminal: Terminal, request: Request, project: string, catalogue: Catalogue) {
  const effective = await effectiveProject(terminal, request, project);
  return effective && { listeners: declaredListeners(effective.desired.resources, catalogue), unread: [] };
}

import { createAdaptorServer } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { ignoreUserError, UserError } from "../base/exit.ts";
import { cannotListen, hostAndPort } from "../base/system-errors.ts";
import { shellWord, withoutTrailing } from "../base/text-format.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { ownerName } from "../model/owner.ts";
import { reportPolicy } from "../report/html/document.ts";
import { type Markup, markup } from "../report/html/markup.ts";
import { planHtml } from "../report/html/report-page.ts";
import type { NextStep } from "../report/terminal.ts";
import type { RunSummary } from "../state/run-summary.ts";
import { type Access, gate, guarded, readOnly, refusal, sessions } from "./access.ts";
import { causesOf } from "./causes.ts";
import type { CommitSubjects } from "./causes-section.ts";
import { fleetPage } from "./fleet-page.ts";
import type { KnownState, Watching } from "./known-state.ts";
import { assetFiles, assets, type Frame, formIn, missingPage, page, partOf, signInPage } from "./layout.ts";
import { type Data, fleetData, projectData, reviewData, runData, runsData, searchData } from "./page-data.ts";
import { wantedIn } from "./project-filter.ts";
import { projectPage } from "./project-page.ts";
import { reviewPage, waitingPlans, waitingRuns } from "./review-page.ts";
import { progressOf, type RunDetails, runPage } from "./run-page.ts";
import { runsFor, runsPage, wantedRunsIn } from "./runs-page.ts";
import { searchPage } from "./search-page.ts";

/** What the pages are made of. */
interface ConsoleOptions {
  readonly state: Watching;
  readonly access: Access;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of the workspace. */
  readonly folder: string;
  /** Of the workspace's server. */
  readonly catalogue: Catalogue;
  /** The workspace, for people. */
  readonly workspace: string;
  readonly subjects: CommitSubjects;
  /** Called with unexpected errors. */
  readonly failed: (error: unknown) => void;
}

/** A page, and the same as data; only what a request asks for is made. */
type Shown = Pick<Frame, "title" | "under" | "q"> & { readonly body: () => Markup; readonly data: () => Data };

const csv = { "content-type": "text/csv; charset=utf-8" };

/** A console that is listening. */
export interface Listening {
  readonly url: string;
  /** Ends it at once; nothing is lost by it. */
  readonly close: () => Promise<void>;
}

/** Starts the console. @throws UserError where it cannot listen there. */
export async function listen(host: string, port: number, options: ConsoleOptions): Promise<Listening> {
  const server = createAdaptorServer({ fetch: consoleApp(options).fetch });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(cannotListen(host, port, error)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const at = typeof address === "object" && address ? address.port : port;
  return {
    url: `http://${hostAndPort(host, at)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ("closeAllConnections" in server) server.closeAllConnections();
      }),
  };
}

/** The pages of the console. Nothing that it answers changes anything. */
function consoleApp(options: ConsoleOptions): Hono {
  const { state, access, catalogue, workspace, failed } = options;
  const app = new Hono();
  const tell = (context: Context, frame: Omit<Frame, "assets" | "workspace">) =>
    context.html(String(page({ ...frame, assets, workspace })));
  const missing = (context: Context, what: string) =>
    refusal(context, 404, what, () => tell(context, { title: "Not found", under: "", body: missingPage(what) }));
  const signIn = (context: Context, wrong: boolean) =>
    tell(context, { title: "Sign in", under: "", body: signInPage(wrong) });
  app.use(guarded, readOnly, gate({ access, signedIn: sessions(Date.now), signIn }));
  app.get("/assets/*", (context) => {
    const file = assetFiles.get(context.req.path);
    if (!file) return missing(context, "File not found.");
    return context.body(file.text, 200, { "content-type": file.type, "cache-control": "max-age=86400" });
  });
  app.get("/runs/:run/plan", async (context) => report(context, state, catalogue, missing));
  app.get("*", async (context) => {
    const { path, form } = asked(new URL(context.req.url).pathname);
    if (path === undefined) return missing(context, "The URL is not valid.");
    const known = await state.known();
    const query = context.req.query();
    const shownPage = await shownAt(path, query, known, options);
    if (typeof shownPage === "string" && form !== "html") {
      const whole = await shownAt(`${path}.${form}`, query, known, options);
      if (typeof whole !== "string") return tell(context, { ...whole, body: whole.body(), known });
    }
    if (typeof shownPage === "string") return missing(context, shownPage);
    if (form === "json") return context.json(shownPage.data().json() as object);
    if (form === "csv") return context.body(shownPage.data().csv(), 200, csv);
    return tell(context, { ...shownPage, body: shownPage.body(), known });
  });
  app.onError((error, context) => {
    if (!(error instanceof UserError)) failed(error);
    const what = error instanceof UserError ? error.message : "Internal error.";
    const html = () => tell(context, { title: "Unavailable", under: "", body: missingPage(what) });
    return refusal(context, error instanceof UserError ? 503 : 500, what, html);
  });
  return app;
}

/** The path that a request asks for, decoded and without slashes at its end, and in which form. */
function asked(encoded: string): { readonly path: string | undefined; readonly form: "html" | "json" | "csv" } {
  const { rest, form } = formIn(encoded);
  try {
    return { path: withoutTrailing(decodeURIComponent(rest), "/") || "/", form };
  } catch {
    return { path: undefined, form };
  }
}

type Query = Readonly<Record<string, string>>;

/** The page at a path; an error message if there is none. */
async function shownAt(
  path: string,
  query: Query,
  known: KnownState,
  options: ConsoleOptions,
): Promise<Shown | string> {
  if (path === "/" || path === "/fleet" || path === "/index") return fleetAt(query, known, options);
  if (path === "/runs") return runsAt(query, known);
  if (path === "/review") return reviewAt(query, known, options);
  if (path === "/search") return searchAt(query, known);
  const [, section, name = ""] = /^\/(projects|runs)\/(.+)$/s.exec(path) ?? [];
  if (section === "projects") return projectAt(name, query, known, options);
  if (section === "runs") return runAt(name, query, known, options);
  return `No page ${path}.`;
}

async function fleetAt(query: Query, known: KnownState, { subjects }: ConsoleOptions): Promise<Shown> {
  const wanted = wantedIn(query);
  const title = wanted.group || "Fleet";
  await subjects.read(causesOf(known.projects).flatMap(({ shapes: [{ commit }] }) => commit ?? []));
  const body = () => fleetPage(known, wanted, query.page, subjects.of);
  return { title, under: "/", body, data: () => fleetData(known, wanted, query.page) };
}

function runsAt(query: Query, known: KnownState): Shown {
  const wanted = wantedRunsIn(query);
  const body = () => runsPage(known, wanted, query.page);
  return { title: "Runs", under: "/runs", body, data: () => runsData(runsFor(known, wanted), query.page) };
}

function searchAt({ q = "" }: Query, known: KnownState): Shown {
  return { title: "Search", under: "/search", q, body: () => searchPage(known, q), data: () => searchData(known, q) };
}

async function reviewAt(
  query: Query,
  known: KnownState,
  { state, env, folder, catalogue }: ConsoleOptions,
): Promise<Shown> {
  const part = partOf(waitingRuns(await state.ask(({ plans }) => plans.list()), known), query.page, 20);
  const review = { env, folder, catalogue, planOf: state.planOf };
  const plans = await state.ask((from) => waitingPlans(from, part.rows, known, review));
  const body = () => reviewPage(part, plans);
  return { title: "Review", under: "/review", body, data: () => reviewData(part, plans) };
}

async function projectAt(
  name: string,
  query: Query,
  known: KnownState,
  { state, catalogue }: ConsoleOptions,
): Promise<Shown | string> {
  // No project has the path of a group, whose name has a slash at the end.
  const seen = (await state.project(name)) ?? (await state.project(ownerName("group", name)));
  if (!seen && known.error !== undefined) throw new UserError(known.error);
  if (!seen) return `No run has recorded a project ${name}.`;
  return {
    title: seen.project,
    under: "/",
    body: () => projectPage(known, seen, query.page, catalogue),
    data: () => projectData(known, seen),
  };
}

async function runAt(
  name: string,
  query: Query,
  known: KnownState,
  { state }: ConsoleOptions,
): Promise<Shown | string> {
  const summary = known.runs.find(({ run }) => run === name);
  if (!summary) return `No run ${name}. Plan, drift and watch runs are kept for 90 days.`;
  const details = await state.ask(async (from): Promise<RunDetails> => {
    const isSaved = (await from.plans.list()).includes(name);
    const plan = isSaved ? await state.planOf(from, name).catch(ignoreUserError) : undefined;
    return { summary, plan, progress: progressOf(summary, known.live), errors: await errorsOf(from, summary) };
  });
  return {
    title: `${summary.command} ${name}`,
    under: "/runs",
    body: () => runPage(known, details, query.page),
    data: () => runData(details),
  };
}

type State = Parameters<Parameters<Watching["ask"]>[0]>[0];

/** Why changes of an apply failed, from its journal. */
async function errorsOf(
  { journals }: State,
  { run, command, outcome }: RunSummary,
): Promise<ReadonlyMap<string, string>> {
  if (command !== "apply" || outcome === "applied" || outcome === "in sync") return new Map();
  const lines = (await journals.read(run)) ?? [];
  return new Map(
    lines.flatMap((line) => (line.event === "result" && line.error ? [[line.address, line.error] as const] : [])),
  );
}

/** The plan of a run as the report shows it, whose one script and style stand in it. */
async function report(
  context: Context,
  { ask, planOf }: Watching,
  catalogue: Catalogue,
  missing: (context: Context, what: string) => Response | Promise<Response>,
): Promise<Response> {
  const run = context.req.param("run") ?? "";
  const plan = await ask(async (from) => ((await from.plans.list()).includes(run) ? planOf(from, run) : undefined));
  if (!plan) return missing(context, `No saved plan of run ${run}. evenkeel plan --save keeps a plan for 30 days.`);
  context.header("content-security-policy", `${reportPolicy}; frame-ancestors 'none'`);
  const next: readonly NextStep[] = [[`evenkeel apply --plan ${shellWord(run)}`, "makes exactly these changes"]];
  const before = markup`<nav class="crumbs" aria-label="Console"><a href="/review">Review</a> / <a href="/runs/${run}">${run}</a></nav>`;
  return context.html(planHtml(plan, catalogue, { before, next }));
}

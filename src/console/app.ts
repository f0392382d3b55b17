import { type Context, Hono } from "hono";
import { ignoreUserError, UserError } from "../base/exit.ts";
import { shellWord, withoutTrailing } from "../base/text-format.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { ownerName } from "../model/owner.ts";
import { reportPolicy } from "../report/html/document.ts";
import { type Markup, markup } from "../report/html/markup.ts";
import { planHtml } from "../report/html/report-page.ts";
import type { NextStep } from "../report/terminal.ts";
import { readJournal } from "../state/journal.ts";
import type { RunSummary } from "../state/run-summary.ts";
import { readSnapshot } from "../state/snapshots/read-snapshots.ts";
import type { WorkspaceState } from "../state/state.ts";
import { type Listening, listen } from "../watch/service.ts";
import { type Access, gate, guarded, readOnly, refusal } from "./access.ts";
import { fleetData, fleetPage } from "./fleet-page.ts";
import type { KnownState, Watching } from "./known-state.ts";
import { assetFiles, type Frame, missingPage, page, parseFilters, selectPage, splitForm } from "./layout.ts";
import { parseProjectFilters } from "./project-filter.ts";
import { projectData, projectPage } from "./project-page.ts";
import { reviewData, reviewPage, waitingPlans, waitingRuns } from "./review-page.ts";
import { describeProgress, type RunDetails, runData, runPage } from "./run-page.ts";
import { filterRuns, runFilters, runsData, runsPage } from "./runs-page.ts";
import { searchData, searchPage } from "./search-page.ts";

interface ConsoleOptions {
  readonly state: Watching;
  readonly access: Access;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly catalogue: Catalogue;
  readonly workspace: string;
  readonly onError: (error: unknown) => void;
}

/** A page as HTML and as a JSON document; each is made only on request. */
type Shown = Pick<Frame, "title" | "under" | "q"> & { readonly body: () => Markup; readonly data: () => object };

export function serveConsole(host: string, port: number, options: ConsoleOptions): Promise<Listening> {
  return listen(consoleApp(options), host, port);
}

/** Routes of the console. No response changes anything. */
function consoleApp(options: ConsoleOptions): Hono {
  const { state, access, catalogue, workspace, onError } = options;
  const app = new Hono();
  const render = (context: Context, frame: Omit<Frame, "workspace">) =>
    context.html(String(page({ ...frame, workspace })));
  const missing = (context: Context, what: string) =>
    refusal(context, 404, what, () => render(context, { title: "Not found", under: "", body: missingPage(what) }));
  app.use(guarded, readOnly, gate(access));
  app.get("/assets/*", (context) => {
    const file = assetFiles.get(context.req.path);
    if (!file) return missing(context, "File not found.");
    return context.body(file.text, 200, { "content-type": file.type, "cache-control": "max-age=86400" });
  });
  app.get("/runs/:run/plan", async (context) => {
    const run = context.req.param("run");
    const plan = await state.ask(async (from) => (await from.list("plans")).includes(run) && state.planOf(from, run));
    if (!plan) return missing(context, `No saved plan of run ${run}. evenkeel plan --save keeps a plan for 30 days.`);
    // The page has an inline script and style.
    context.header("content-security-policy", `${reportPolicy}; frame-ancestors 'none'`);
    const next: readonly NextStep[] = [[`evenkeel apply --plan ${shellWord(run)}`, "makes exactly these changes"]];
    const before = markup`<nav class="crumbs" aria-label="Console"><a href="/review">Review</a> / <a href="/runs/${run}">${run}</a></nav>`;
    return context.html(planHtml(plan, catalogue, { before, next }));
  });
  app.get("*", async (context) => {
    const { path, isJson } = parsePath(new URL(context.req.url).pathname);
    if (path === undefined) return missing(context, "The URL is not valid.");
    const known = await state.known();
    const asked = { ...options, known, query: context.req.query() };
    const shownPage = await findPage(path, asked);
    if (typeof shownPage === "string" && isJson) {
      const whole = await findPage(`${path}.json`, asked);
      if (typeof whole !== "string") return render(context, { ...whole, body: whole.body(), known });
    }
    if (typeof shownPage === "string") return missing(context, shownPage);
    if (isJson) return context.json(shownPage.data());
    return render(context, { ...shownPage, body: shownPage.body(), known });
  });
  app.onError((error, context) => {
    if (!(error instanceof UserError)) onError(error);
    const what = error instanceof UserError ? error.message : "Internal error.";
    const html = () => render(context, { title: "Unavailable", under: "", body: missingPage(what) });
    return refusal(context, error instanceof UserError ? 503 : 500, what, html);
  });
  return app;
}

/** Decodes a URL's path, without trailing slashes and `.json`. The path is undefined if it is not valid. */
function parsePath(encoded: string) {
  const { rest, isJson } = splitForm(encoded);
  try {
    return { path: withoutTrailing(decodeURIComponent(rest), "/") || "/", isJson };
  } catch {
    return { path: undefined, isJson };
  }
}

interface Asked extends ConsoleOptions {
  readonly known: KnownState;
  readonly query: Readonly<Record<string, string>>;
}

type Show = (asked: Asked, name: string) => Promise<Shown | string>;

/** The page at a path; an error message if there is none. */
async function findPage(path: string, asked: Asked): Promise<Shown | string> {
  const [, section = path, name = ""] = /^(\/(?:projects|runs)\/)(.+)$/s.exec(path) ?? [];
  return pages.get(section)?.(asked, name) ?? `No page ${path}.`;
}

const showFleet: Show = async ({ query, known }) => {
  const wanted = parseProjectFilters(query);
  const title = wanted.group || "Fleet";
  const body = () => fleetPage(known, wanted, query.page);
  return { title, under: "/", body, data: () => fleetData(known, wanted, query.page) };
};

const showRuns: Show = async ({ query, known }) => {
  const wanted = parseFilters(runFilters, query);
  const body = () => runsPage(known, wanted, query.page);
  return { title: "Runs", under: "/runs", body, data: () => runsData(filterRuns(known, wanted), query.page) };
};

const showSearch: Show = async ({ query: { q = "" }, known }) => {
  return { title: "Search", under: "/search", q, body: () => searchPage(known, q), data: () => searchData(known, q) };
};

const showReview: Show = async ({ query, known, state, ...review }) => {
  const part = selectPage(waitingRuns(await state.ask(({ list }) => list("plans")), known), query.page, 20);
  const { planOf } = state;
  const plans = await state.ask((from) => waitingPlans(from, part.rows, known, { ...review, planOf }));
  const body = () => reviewPage(part, plans);
  return { title: "Review", under: "/review", body, data: () => reviewData(part, plans) };
};

const showProject: Show = async ({ query, known, state }, name) => {
  // A project's path takes precedence over a group's, whose name ends in a slash.
  const find = (path: string) => state.ask((from) => readSnapshot(from, path));
  const seen = (await find(name)) ?? (await find(ownerName("group", name)));
  if (!seen && known.error !== undefined) throw new UserError(known.error);
  if (!seen) return `No run has recorded a project ${name}.`;
  const body = () => projectPage(known, seen, query.page);
  return { title: seen.project, under: "/", body, data: () => projectData(known, seen) };
};

const showRun: Show = async ({ query, known, state }, name) => {
  const summary = known.runs.find(({ run }) => run === name);
  if (!summary) return `No run ${name}. Plan, drift and watch runs are kept for 90 days.`;
  const details = await state.ask(async (from): Promise<RunDetails> => {
    const isSaved = (await from.list("plans")).includes(name);
    const plan = isSaved ? await state.planOf(from, name).catch(ignoreUserError) : undefined;
    return { summary, plan, progress: describeProgress(summary, known.live), errors: await readErrors(from, summary) };
  });
  const body = () => runPage(known, details, query.page);
  return { title: `${summary.command} ${name}`, under: "/runs", body, data: () => runData(details) };
};

const pages: ReadonlyMap<string, Show> = new Map([
  ...["/", "/fleet", "/index"].map((path) => [path, showFleet] as const),
  ["/runs", showRuns],
  ["/review", showReview],
  ["/search", showSearch],
  ["/projects/", showProject],
  ["/runs/", showRun],
]);

async function readErrors(state: WorkspaceState, { run, command, outcome }: RunSummary) {
  if (command !== "apply" || outcome === "applied" || outcome === "in sync") return new Map<string, string>();
  const lines = (await readJournal(state, run)) ?? [];
  return new Map(
    lines.flatMap((line) => (line.event === "result" && line.error ? [[line.address, line.error] as const] : [])),
  );
}

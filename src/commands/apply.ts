import { type ExitCode, exit, exitCode, Refusal } from "../exit.ts";
import type { Call } from "../model.ts";
import { type Plan, requestsOf, withOutcomes } from "../plan.ts";
import { apply } from "../reconcile.ts";
import type { Renderers } from "../report/reports.ts";
import { requestsText } from "../report/requests.ts";
import { counted, outcomesText, planText } from "../report/text.ts";
import type { Applied, Planned, Request } from "../request.ts";
import type { Terminal } from "../terminal.ts";
import { reporter } from "./emit.ts";
import { planning } from "./plan.ts";
import { type OnlineOptions, requestOf } from "./run.ts";
import { tellProblems } from "./tell.ts";
import type { Run } from "./verbs.ts";

export interface ApplyOptions extends OnlineOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly resend?: readonly string[];
  readonly allowDeletes?: number;
  readonly allowProtected?: readonly string[];
}

/** `evenkeel apply`. */
export const run: Run<ApplyOptions> = async (terminal, options) => {
  const report = reporter(terminal, options.report);
  if (options.dryRun) return rehearse(terminal, options, report);
  if (!options.yes && !terminal.interactive) {
    throw new Refusal(
      "apply asks before it writes, and there is no terminal to ask on; --yes answers for you",
      exit.usage,
    );
  }
  const applied = await applying(terminal, options);
  const document = withOutcomes(applied.plan, applied.outcomes);
  tellProblems(terminal, document);
  report({ text: () => resultText(terminal, applied, document), json: () => json(document) });
  if (isRefused(applied)) terminal.warn("Refused by a guard; nothing was written.");
  else if (!applied.outcomes && applied.surveyed) terminal.warn("Not applied; nothing was written.");
  return codeOf(terminal, applied, document);
};

function resultText({ palette }: Terminal, applied: Applied, document: Plan): string {
  if (applied.outcomes) return outcomesText(document, palette);
  return isRefused(applied) ? planText(document, palette) : "";
}

function isRefused({ surveyed, plan }: Planned): boolean {
  return surveyed && plan.objections.length > 0;
}

type Report = (renderers: Renderers) => void;

async function rehearse(terminal: Terminal, options: ApplyOptions, report: Report): Promise<ExitCode> {
  const planned = await planning(terminal, options, waiversOf(options));
  tellProblems(terminal, planned.plan);
  const requests = requestsOf(planned.differences);
  report({
    text: () => (planned.surveyed ? rehearsalText(terminal, planned) : ""),
    json: () => json({ ...planned.plan, requests }),
  });
  return exitCode({
    interrupted: terminal.interrupted.aborted,
    refused: isRefused(planned),
    problem: planned.plan.problems.length > 0,
  });
}

function rehearsalText({ palette }: Terminal, planned: Planned): string {
  const requests = requestsOf(planned.differences);
  const headline = `Dry run: ${counted(requests.length, "request")} would be sent; none was.`;
  return [planText(planned.plan, palette), palette.strong(headline), requestsText(requests)]
    .filter(Boolean)
    .join("\n\n");
}

async function applying(terminal: Terminal, options: ApplyOptions): Promise<Applied> {
  const reading = terminal.progress("Reading");
  const writing = terminal.progress("Applying");
  let total = 0;
  let done = 0;
  const approve = async (planned: Planned): Promise<boolean> => {
    reading.stop();
    total = planned.plan.summary.writes;
    showPlan(terminal, options, planned);
    return options.yes || total === 0 || terminal.confirm(question(planned.plan));
  };
  const watcher = { outcome: () => writing.update(++done, total) };
  try {
    const request = { ...requestOf(terminal, options), ...waiversOf(options), progress: reading.update };
    return await apply(request, { approve, watchers: [watcher] });
  } finally {
    reading.stop();
    writing.stop();
  }
}

/** On stdout with the outcome, unless a report takes its place there; a person who is asked sees it in any case. */
function showPlan(terminal: Terminal, options: ApplyOptions, { plan }: Planned): void {
  const replaced = options.report?.some((each) => !each.includes("="));
  const show = replaced ? terminal.warn : terminal.print;
  if (!replaced || !options.yes) show(`${planText(plan, terminal.palette)}\n`);
}

function question({ summary }: Plan): string {
  return `Make ${summary.writes === 1 ? "this change" : `these ${summary.writes} changes`}? Only yes goes on:`;
}

function waiversOf({ allowDeletes, allowProtected, resend }: ApplyOptions): Pick<Request, "waivers" | "resend"> {
  return {
    waivers: { deletes: allowDeletes ?? 0, protected: new Set(allowProtected) },
    resend: resend ?? [],
  };
}

function codeOf(terminal: Terminal, planned: Planned, { summary, problems }: Plan): ExitCode {
  const { failed = 0, unknown = 0, skipped = 0, stale = 0 } = summary.outcomes ?? {};
  return exitCode({
    interrupted: terminal.interrupted.aborted,
    refused: isRefused(planned),
    problem: problems.length > 0 || failed + unknown + skipped > 0 || (planned.surveyed && !summary.outcomes),
    stale: stale > 0,
  });
}

function json(document: Plan | (Plan & { readonly requests: readonly Call[] })): string {
  return JSON.stringify(document, null, 2);
}

import { dirname } from "node:path";
import { exit, UserError } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { counted } from "../base/text-format.ts";
import { createFollower } from "../git/fast-forward.ts";
import { repositoryAround } from "../git/repository.ts";
import { labelledErrors, reportedLine, withoutRepeats } from "../model/problem-line.ts";
import { ownersCounted } from "../plan/heading.ts";
import { type CheckFigures, prometheus, watchMetrics } from "../report/prometheus.ts";
import { readHookSecret } from "../secrets/token.ts";
import type { CheckEnd } from "../watch/check.ts";
import { followedBranch, touchesWorkspace } from "../watch/checkout.ts";
import { cron, every, newStatus, systemClock, type WatchOptions, type WatchStatus } from "../watch/options.ts";
import { serveWatch } from "../watch/service.ts";
import { watch } from "../watch/watch.ts";
import { consoleUrlIn } from "../watch/watch-state.ts";
import { findWorkspace, loadSettings } from "../workspace/load.ts";
import { driftProposals } from "./accept.ts";
import type { Options, Run } from "./command.ts";
import { requestOf } from "./run-request.ts";
import type { Terminal } from "./terminal.ts";

export const run: Run<Options<"watch">> = async (terminal, options) => {
  if (options.mergeRequest && options.apply === "drift") {
    const contradiction = "--merge-request proposes to keep drift, and --apply drift reverts it; give only one";
    throw new UserError(contradiction, exit.usage);
  }
  const folder = terminal.folder;
  const root = dirname(findWorkspace(folder));
  loadSettings(folder);
  consoleUrlIn(terminal.env);
  const now = systemClock.now();
  const schedule = options.cron === undefined ? every(options.every ?? halfHour, now) : cron(options.cron, now);
  if (options.follow) repositoryAround(root);
  const status = newStatus();
  const printer = checkPrinter(terminal, status);
  const request = { ...requestOf(terminal, options), tokenExpires: printer.tokenExpires };
  using follower = options.follow ? createFollower(root, terminal.interrupted) : undefined;
  terminal.listen();
  await using _ = await listening(terminal, options, status, printer.metrics);
  sayWhatIsWritten(terminal, options);
  const watching: WatchOptions = {
    request,
    schedule,
    status,
    clock: systemClock,
    apply: options.apply,
    grace: options.grace,
    checks: options.maxChecks,
    ...(options.mergeRequest && { proposals: driftProposals(request) }),
    ...(follower && {
      follow: {
        every: options.poll,
        forward: follower.forward,
        touches: (from, to) => touchesWorkspace(root, from, to),
      },
    }),
    host: {
      say: (sentence) => terminal.note(printable(sentence)),
      warn: (sentence) => terminal.warn(printable(`warning: ${sentence}`)),
      checked: printer.checked,
    },
  };
  return await watch(watching);
};

const halfHour = 30 * 60_000;

function sayWhatIsWritten({ warn, warnings, folder }: Terminal, { apply, mergeRequest }: Options<"watch">): void {
  const hasLedger = loadSettings(folder).ledger !== undefined;
  const words: Readonly<Record<typeof apply, string>> = {
    never: "",
    pending: "--apply pending: this watcher writes what the manifests ask for, without asking.",
    drift: "--apply drift: this watcher writes what the manifests ask for, and puts drift back, without asking.",
  };
  if (words[apply] !== "") warn(warnings.remove(words[apply]));
  if (mergeRequest && !hasLedger) {
    warn(
      "warning: without a ledger every difference counts as drift, so what was not applied yet is proposed too; set ledger: state",
    );
  }
  if (apply === "pending" && !hasLedger) {
    warn("warning: without a ledger every difference counts as drift, so nothing is applied; set ledger: state");
  }
}

async function listening(terminal: Terminal, options: Options<"watch">, status: WatchStatus, metrics: () => string) {
  const { env, folder, print, note } = terminal;
  const { hooks, host } = options;
  const secret = readHookSecret(env);
  if (hooks === undefined) return undefined;
  const branch = () => followedBranch(folder);
  const service = await serveWatch({ port: hooks, host, secret, clock: systemClock, branch, status, metrics });
  print(`listening on ${service.url}`);
  if (secret === undefined) note("note: EVENKEEL_HOOK_SECRET is not set, so POST /hooks/push is refused");
  return service;
}

/** Prints each check, and keeps its figures for /metrics. */
function checkPrinter(terminal: Terminal, status: WatchStatus) {
  let figures: CheckFigures = { server: "", checks: {}, last: undefined, tokenExpires: undefined };
  /** The last full check in the format of `--report prometheus`; empty before the first one. */
  let seen = "";
  let reported = "";
  return {
    metrics: (): string => {
      const { standby, late } = status;
      const now = systemClock.now();
      const overdue = standby === undefined && late !== undefined && now > late;
      const own = watchMetrics(figures, now / 1000, standby !== undefined, overdue);
      return [seen, own].filter(Boolean).join("\n");
    },
    tokenExpires: (day: string | null) => {
      figures = { ...figures, tokenExpires: day === null ? undefined : Date.parse(day) / 1000 };
    },
    checked: (end: CheckEnd) => {
      const { outcome } = end;
      terminal.print(formatCheck(end));
      const problems = problemLines(end);
      if (problems !== reported) terminal.warn(problems);
      reported = problems;
      if (end.whole) seen = prometheus({ ...end, command: "watch", folder: "" }, () => seen);
      figures = {
        ...figures,
        server: end.plan.server.url,
        checks: { ...figures.checks, [outcome]: (figures.checks[outcome] ?? 0) + 1 },
        last: end.finishedAt.getTime() / 1000,
      };
    },
  };
}

/** `2026-11-22T02:00:00Z  different: 3 changes in 2 of 214 projects, 430 requests, 1.2 s (run R)` */
function formatCheck({ plan, whole, applied, run, outcome, seconds, finishedAt }: CheckEnd): string {
  const { changed_projects: changed, reads } = plan.summary;
  const { length } = plan.resource_changes;
  const done = [...(applied?.outcomes?.values() ?? [])].filter(({ status }) => status === "applied").length;
  const parts = [
    length === 0
      ? ownersCounted(plan.summary)
      : `${counted(length, "change")} in ${changed} of ${ownersCounted(plan.summary)}`,
    ...(whole || !plan.scope?.since ? [] : [`since ${plan.scope.since.slice(0, 12)}`]),
    ...(done > 0 ? [`${done} applied`] : []),
    counted(reads, "read"),
    `${seconds.toFixed(1)} s`,
  ];
  return printable(
    `${finishedAt.toISOString()}  ${outcome}: ${parts.join(", ")}${run === null ? "" : `  (run ${run})`}`,
  );
}

function problemLines({ plan, errors, applied }: CheckEnd): string {
  const refused = (applied?.refused ?? []).map(({ message }) => printable(`refused: ${message}`));
  const lines = withoutRepeats([...plan.problems, ...errors]).map((problem) => labelledErrors(reportedLine(problem)));
  return [...lines, ...refused].join("\n");
}

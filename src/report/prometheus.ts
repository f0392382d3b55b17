import { grouped } from "../base/grouped.ts";
import { version } from "../base/version.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { kindWord } from "../model/owner.ts";
import type { Action } from "../model/types.ts";
import { scopeText } from "../plan/heading.ts";
import { actionOf, type PlannedChange } from "../plan/plan.ts";
import type { Before, Renderer, Report } from "./report.ts";

type Labels = Readonly<Record<string, string>>;

/** A metric, by default a gauge; omitted if it has no samples. */
interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type?: "counter";
  readonly samples: readonly (readonly [labels: Labels, value: number])[];
}

/**
 * A file for the textfile collector: no timestamps. If nothing was compared, drift is omitted rather than 0; the time
 * of the last success is carried over from the file before while runs fail.
 */
export const prometheus: Renderer = (report, before) => {
  const metrics = [...(report.compared ? aboutTheState(report) : []), ...aboutTheRun(report, before)];
  return metricsText(metrics, { command: report.command, server: report.plan.server.url });
};

function aboutTheRun({ plan, seconds, finishedAt, exitCode }: Report, before: Before): Metric[] {
  const { created_at: made, manifests, scope } = plan;
  const now = finishedAt.getTime() / 1000;
  const success = exitCode === 0 || exitCode === 2 ? now : lastSuccess(before());
  return [
    gauge("plan_info", "What the plan is of.", 1, { made, commit: manifests.commit ?? "", only: scopeText(scope) }),
    gauge("build_info", "The version that ran.", 1, { version }),
    gauge("last_run_timestamp_seconds", "When the last run ended.", now),
    gauge("last_success_timestamp_seconds", "When the last run without an error ended.", success),
    gauge("run_duration_seconds", "How long the last run took.", seconds),
    gauge("run_exit_code", "The exit code of the last run.", exitCode),
    gauge("problems", "Problems of the last run.", plan.problems.length),
    gauge("warnings", "Warnings of the last run.", plan.warnings.length),
    gauge("guard_objections", "Guard objections to the plan.", plan.objections.length),
    { name: "objections", help: "Objections to the plan that nobody waived, by who objects.", samples: refusers(plan) },
  ];
}

function refusers({ objections }: Report["plan"]): Metric["samples"] {
  const unwaived = objections.filter(({ waived }) => !waived);
  return [...grouped(unwaived, ({ guard }) => guard)].map(([guard, { length }]) => [{ guard }, length] as const);
}

function lastSuccess(before: string | undefined): number | undefined {
  const written = before?.split("\n").find((line) => line.startsWith("evenkeel_last_success_timestamp_seconds{"));
  const value = Number(written?.slice(written.lastIndexOf(" ") + 1) || Number.NaN);
  return Number.isFinite(value) ? value : undefined;
}

/** Each action that a kind has, or that is pending, once. */
function actionsByWord({ kinds }: Catalogue, pending: readonly PlannedChange[]) {
  const pairs = [...kinds].flatMap(([kind, { calls, file }]) => {
    const actions = [...(Object.keys(calls) as Action[]), ...(file?.replace ? (["replace"] as const) : [])];
    return actions.map((action) => [kindWord(kind), action] as const);
  });
  const seen = pending.map((planned) => [planned.kind, actionOf(planned)] as const);
  const byWord = grouped([...pairs, ...seen], ([word]) => word);
  return [...byWord.values()].flatMap((all) => [...new Map(all.map((pair) => [pair[1], pair])).values()]);
}

function aboutTheState({ plan, catalogue }: Report): Metric[] {
  const { summary } = plan;
  const pending = plan.resource_changes.filter(({ outcome }) => outcome?.status !== "applied");
  const count = (kind: string, action: Action) =>
    pending.filter((each) => each.kind === kind && actionOf(each) === action).length;
  const drift = actionsByWord(catalogue, pending).map(
    ([kind, action]) => [{ kind, action }, count(kind, action)] as const,
  );
  const outcomes = Object.entries(summary.outcomes ?? {}).map(([status, n]) => [{ status }, n] as const);
  const holding = (is: (planned: PlannedChange) => boolean) => pending.filter(is).length;
  return [
    ...(["loosened", "tightened"] as const).flatMap((effect) => {
      const help = `Changes by which a policy is ${effect}.`;
      const count = holding((each) => each.policy_effect === effect);
      return [gauge(effect, help, count), gauge(`${effect}_licenses`, `Older name of evenkeel_${effect}.`, count)];
    }),
    gauge(
      "lost_notifications",
      "Changes after which a receiver gets fewer events.",
      holding(({ lost_notifications }) => lost_notifications !== undefined),
    ),
    { name: "drift_resources", help: "Resources that differ from the manifests.", samples: drift },
    { name: "outcomes", help: "Outcomes of the changes of the last apply.", samples: outcomes },
    gauge("projects", "Projects that were compared.", summary.projects),
    gauge("changed_projects", "Projects with changes.", summary.changed_projects),
    gauge("unmanaged_resources", "Live resources that no policy lists.", summary.unmanaged),
    gauge("unverified_fields", "Declared parameters that could not be compared.", summary.unverified),
  ];
}

function gauge(name: string, help: string, value: number | undefined, labels: Labels = {}): Metric {
  return { name, help, samples: value === undefined ? [] : [[labels, value]] };
}

function metricsText(metrics: readonly Metric[], common: Labels): string {
  const shown = metrics.filter(({ samples }) => samples.length > 0);
  return shown
    .map(({ name, help, type = "gauge", samples }) => {
      const full = `evenkeel_${name}`;
      const lines = samples.map(([labels, value]) => `${full}{${labelsText({ ...common, ...labels })}} ${value}`);
      return [`# HELP ${full} ${help}`, `# TYPE ${full} ${type}`, ...lines].join("\n");
    })
    .join("\n");
}

function labelsText(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => {
      const escaped = value.toWellFormed().replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
      return `${name}="${escaped}"`;
    })
    .join(",");
}

/** Figures of checks. Times are seconds since 1970, undefined before the first. */
export interface CheckFigures {
  readonly server: string;
  readonly checks: Readonly<Record<string, number>>;
  readonly last: number | undefined;
  /** Expiry of the token; undefined if there is none, or it is unknown. */
  readonly tokenExpires: number | undefined;
}

export function watchMetrics(figures: CheckFigures, now: number, standby: boolean, overdue: boolean): string {
  const { server, checks, last, tokenExpires } = figures;
  const counts = Object.entries(checks).map(([outcome, count]) => [{ outcome }, count] as const);
  const help = "Checks of this process, by how they ended.";
  const metrics: readonly Metric[] = [
    { name: "watch_checks_total", help, type: "counter", samples: counts },
    gauge("watch_last_check_timestamp_seconds", "When the last check ended.", last),
    gauge("watch_last_check_age_seconds", "How long ago that was.", last === undefined ? undefined : now - last),
    gauge("token_expires_timestamp_seconds", "When the access token expires.", tokenExpires),
    gauge("watch_standby", "Whether another process watches.", Number(standby)),
    gauge("watch_overdue", "Whether a check is overdue.", Number(overdue)),
  ];
  return metricsText(metrics, { command: "watch", server });
}

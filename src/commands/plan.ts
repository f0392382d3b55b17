import { exitCode } from "../exit.ts";
import { plan } from "../reconcile.ts";
import type { Renderers } from "../report/reports.ts";
import { planText } from "../report/text.ts";
import type { Planned, Request } from "../request.ts";
import type { Terminal } from "../terminal.ts";
import { reporter, save } from "./emit.ts";
import { type OnlineOptions, requestOf } from "./run.ts";
import { tellProblems } from "./tell.ts";
import type { Run } from "./verbs.ts";

export interface PlanOptions extends OnlineOptions {
  readonly out?: string;
  readonly detailedExitcode?: boolean;
}

/** `evenkeel plan`. */
export const run: Run<PlanOptions> = async (terminal, options) => {
  const report = reporter(terminal, options.report);
  const planned = await planning(terminal, options);
  tellProblems(terminal, planned.plan);
  if (options.out) save(terminal, options.out, json(planned));
  report(planRenderers(terminal, planned));
  return exitCode({
    interrupted: terminal.interrupted.aborted,
    problem: planned.plan.problems.length > 0,
    pending: options.detailedExitcode === true && planned.plan.summary.writes > 0,
  });
};

/** Plans with a bar on the terminal. */
export async function planning(
  terminal: Terminal,
  options: OnlineOptions,
  more: Partial<Request> = {},
): Promise<Planned> {
  const bar = terminal.progress("Reading");
  try {
    return await plan({ ...requestOf(terminal, options), ...more, progress: bar.update });
  } finally {
    bar.stop();
  }
}

/** A plan on each surface. Where nothing was compared there is nothing to say in text: the problems say it. */
export function planRenderers(terminal: Terminal, planned: Planned): Renderers {
  return {
    text: () => (planned.surveyed ? planText(planned.plan, terminal.palette) : ""),
    json: () => json(planned),
  };
}

function json({ plan }: Planned): string {
  return JSON.stringify(plan, null, 2);
}

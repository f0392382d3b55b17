import { exitCode } from "../exit.ts";
import { plan } from "../reconcile.ts";
import type { Renderers } from "../report/reports.ts";
import { planText } from "../report/text.ts";
import type { Planned } from "../request.ts";
import { tendencyOf } from "../tendency.ts";
import type { Terminal } from "../terminal.ts";
import { reporter, save } from "./emit.ts";
import { type OnlineOptions, requestOf } from "./run.ts";
import { tellMissing, tellProblems } from "./tell.ts";
import type { Run } from "./verbs.ts";

export interface PlanOptions extends OnlineOptions {
  readonly out?: string;
  readonly detailedExitcode?: boolean;
  readonly storage?: boolean;
  readonly failOnLoosening?: boolean;
}

/** `evenkeel plan`. */
export const run: Run<PlanOptions> = async (terminal, options) => {
  const report = reporter(terminal, options.report);
  const planned = await planning(terminal, options);
  tellProblems(terminal, planned.plan);
  tellMissing(terminal, planned.missing);
  if (options.out) save(terminal, options.out, `${json(planned)}\n`);
  report(renderers(terminal, planned));
  const loosening = options.failOnLoosening ? looseningOf(planned) : [];
  if (loosening.length > 0) terminal.warn(`Refused by --fail-on-loosening: ${loosening.join(", ")}.`);
  return exitCode({
    interrupted: terminal.interrupted.aborted,
    refused: loosening.length > 0,
    problem: planned.plan.problems.length > 0,
    pending: options.detailedExitcode === true && planned.plan.summary.writes > 0,
  });
};

/** Addresses of the changes that make a policy laxer. */
function looseningOf({ differences }: Planned): string[] {
  const changes = differences.flatMap((difference) => difference.changes);
  return changes.filter((change) => tendencyOf(change) === "loosened").map(({ address }) => address);
}

async function planning(terminal: Terminal, options: PlanOptions): Promise<Planned> {
  const bar = terminal.progress("Reading");
  const storage = options.storage === true;
  return plan({ ...requestOf(terminal, options), storage, progress: bar.update }).finally(bar.stop);
}

/** Where nothing was compared there is nothing to say in text: the problems have said it. */
function renderers(terminal: Terminal, planned: Planned): Renderers {
  return {
    text: () => (planned.surveyed ? planText(planned.plan, terminal.palette) : ""),
    json: () => json(planned),
  };
}

function json({ plan }: Planned): string {
  return JSON.stringify(plan, null, 2);
}

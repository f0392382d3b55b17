import { type ExitCode, exitCode } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { looseningOf, refusingLoosening } from "../plan/loosening.ts";
import { plan } from "../reconcile/reconcile.ts";
import type { Planned } from "../reconcile/request.ts";
import { planText } from "../report/text.ts";
import type { Options } from "./flags.ts";
import { writeTo } from "./outputs.ts";
import { printMissingSecrets, printProblems } from "./print-problems.ts";
import { requestOf } from "./run.ts";
import { planReporter } from "./surfaces.ts";
import type { Terminal } from "./terminal.ts";
import type { Run } from "./verb.ts";

/** `evenkeel plan`. */
export const run: Run<Options<"plan">> = (terminal, options) => planAs("plan", terminal, options);

/**
 * A plan by the name of the command that makes it. Where nothing was compared there is nothing to say in text: the
 * problems have said it.
 */
export async function planAs(command: string, terminal: Terminal, options: Options<"plan">): Promise<ExitCode> {
  const tell = await planReporter(terminal, command, options);
  const found = await planning(terminal, options);
  const changes = found.differences.flatMap((difference) => difference.changes);
  const loosening = options.failOnLoosening ? looseningOf(changes) : [];
  const planned = { ...found, plan: refusingLoosening(found.plan, loosening) };
  const { plan, surveyed } = planned;
  printProblems(terminal, planned.plan);
  printMissingSecrets(terminal, planned.missing);
  if (options.out) writeTo(terminal, options.out, json(planned));
  const code = exitCode({
    interrupted: terminal.interrupted.aborted,
    refused: loosening.length > 0,
    problem: planned.plan.problems.length > 0,
    pending: options.detailedExitcode === true && planned.plan.summary.writes > 0,
  });
  tell(
    { text: () => (surveyed ? planText(plan, terminal.palette) : ""), json: () => json(planned) },
    { plan, exitCode: code, surveyed },
  );
  if (loosening.length > 0) terminal.warn(printable(`Refused by --fail-on-loosening: ${loosening.join(", ")}.`));
  return code;
}

async function planning(terminal: Terminal, options: Options<"plan">): Promise<Planned> {
  const bar = terminal.progress("Reading");
  const storage = options.storage === true;
  return plan({ ...requestOf(terminal, options), storage, progress: bar.update }).finally(bar.stop);
}

function json({ plan }: Planned): string {
  return JSON.stringify(plan, null, 2);
}

import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { pid } from "node:process";
import { dayOf } from "../base/day.ts";
import { exit, UserError } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { hasErrors } from "../manifest/validate.ts";
import { bySeverity } from "../model/problem-line.ts";
import { validateWorkspace } from "../run/context.ts";
import { queuePlace, shardDuration, waitFor } from "../run/workers/queue.ts";
import { work } from "../run/workers/worker.ts";
import { claimFor } from "../state/lease.ts";
import { sharesState, unshared } from "../state/open-state.ts";
import { loadWorkspace } from "../workspace/load.ts";
import type { Options, Run } from "./command.ts";
import { printProblems } from "./outputs.ts";

/** `evenkeel worker`: exit code 0 even if it was interrupted, since other workers finish its work. */
export const run: Run<Options<"worker">> = async (terminal, options) => {
  const { env, interrupted, listen, note } = terminal;
  const { concurrency, once } = options;
  if (!sharesState(env)) throw new UserError(unshared, exit.usage);
  const folder = terminal.folder;
  const loaded = loadWorkspace(folder, env);
  const say = (sentence: string) => note(printable(sentence));
  const request = { folder, env, warn: say, ...(concurrency && { concurrency }) };
  const checked = validateWorkspace(loaded, { ...request, today: dayOf(new Date()) });
  if (hasErrors(checked.problems)) {
    printProblems(terminal, bySeverity(checked.problems));
    return exit.problem;
  }
  const name = `${hostname().slice(0, 100)}/${pid}/${randomBytes(4).toString("hex")}`;
  listen();
  await work({
    ...{ loaded, request, signal: interrupted, claim: claimFor(name, env), duration: shardDuration(env) },
    place: queuePlace(checked),
    name: `${loaded.workspace.name ?? "this workspace"} at ${checked.heading.url}`,
    once: once ? waitFor(env) : undefined,
  });
  return exit.done;
};

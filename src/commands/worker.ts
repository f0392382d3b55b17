import { exit, UserError } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { networkFor } from "../client/network.ts";
import { parseServerUrl, serverAt } from "../client/server-url.ts";
import { durationOf } from "../manifest/duration.ts";
import { maxConcurrency } from "../model/max-concurrency.ts";
import { waitFor } from "../reconcile/workers.ts";
import { readToken } from "../secrets/token.ts";
import { leaseDuration } from "../state/lease.ts";
import { sharesState, unshared } from "../state/state-address.ts";
import { membershipFor } from "../workers/membership.ts";
import { work } from "../workers/worker.ts";
import type { Run } from "./command.ts";
import type { Options } from "./table.ts";

/** `evenkeel worker`: exit code 0 also if it was interrupted, since other workers finish its work. */
export const run: Run<Options<"worker">> = async (terminal, { concurrency = maxConcurrency, once }) => {
  const { env, cwd, interrupted, listen, note } = terminal;
  const { EVENKEEL_URL: url } = env;
  if (!sharesState(env)) throw new UserError(unshared, exit.usage);
  if (!url) throw new UserError("a worker needs EVENKEEL_URL: the server that it works for", exit.usage);
  // A workspace has to allow plain http; here the user set the variable.
  const origin = serverAt(parseServerUrl(url, true, "EVENKEEL_URL"));
  const token = readToken(env);
  const network = networkFor(url, env);
  const duration = membershipFor(leaseDuration(env, durationOf));
  listen();
  await work({
    ...{ env, root: cwd, url, origin, token, network, concurrency, duration, signal: interrupted },
    once: once ? waitFor(env) : undefined,
    say: (sentence) => note(printable(sentence)),
  });
  return exit.done;
};

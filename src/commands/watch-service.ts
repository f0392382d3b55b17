import { watchMetrics } from "../report/watch-metrics.ts";
import { readHookSecret } from "../secrets/token.ts";
import { checkoutAround } from "../watch/checkout.ts";
import { systemClock } from "../watch/clock.ts";
import type { WatchStatus } from "../watch/options.ts";
import { serveWatch } from "../watch/service.ts";
import type { Options } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import type { CheckFigures } from "./watch-check.ts";

interface Watched {
  readonly folder: string;
  readonly status: WatchStatus;
  readonly figures: () => CheckFigures;
}

/** Listens where `--hooks` says, until it is disposed of. @throws UserError where it cannot. */
export async function listening(
  { env, print, note }: Terminal,
  { hooks, host }: Options<"watch">,
  { folder, status, figures }: Watched,
): Promise<AsyncDisposable | undefined> {
  const secret = readHookSecret(env);
  if (hooks === undefined) return undefined;
  const metrics = () => metricsText(figures(), status);
  const checkout = () => checkoutAround(folder);
  const service = await serveWatch({ port: hooks, host, secret, status, clock: systemClock, metrics, checkout });
  print(`listening on ${service.url}`);
  if (secret === undefined) note("note: EVENKEEL_HOOK_SECRET is not set, so POST /hooks/push is refused");
  return service;
}

function metricsText({ seen, server, checks, last }: CheckFigures, { standby, late }: WatchStatus): string {
  const now = systemClock.now();
  const overdue = standby === undefined && late !== undefined && now > late;
  const own = watchMetrics({ server, checks, last, now: now / 1000, standby: standby !== undefined, overdue });
  return [seen, own].filter(Boolean).join("\n");
}

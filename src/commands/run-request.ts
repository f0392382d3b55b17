import { exit, UserError } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { deadline } from "../client/timer.ts";
import { targetFault } from "../model/address.ts";
import { catalogueOf } from "../model/catalogue.ts";
import { isReleaseText } from "../model/releases.ts";
import { type Shard, shardOf } from "../plan/make-plan.ts";
import type { Request } from "../run/request.ts";
import { commitOfRevision } from "../run/revisions.ts";
import { sharesState, unshared } from "../state/open-state.ts";
import { catalogueAround } from "../workspace/load.ts";
import type { Options, OptionValues } from "./command.ts";
import type { Terminal } from "./terminal.ts";

export function requestOf(terminal: Terminal, options: OnlineOptions): Request {
  const { concurrency, shard, since, asOf, failOnLoosening, giveUpAfter, workers } = options;
  if (workers && !sharesState(terminal.env)) throw new UserError(unshared, exit.usage);
  const part = shard && chooseShard(shard, terminal);
  return {
    folder: terminal.folder,
    env: terminal.env,
    targets: checkedTargets("--target", options.target, terminal),
    excludes: checkedTargets("--exclude", options.exclude, terminal),
    resend: checkedTargets("--resend", options.resend, terminal),
    storage: options.storage === true,
    signal: createStop(terminal, options.timeout),
    connecting: terminal.listen,
    warn: (sentence) => terminal.warn(printable(`warning: ${sentence}`)),
    ...(asOf && { today: asOf }),
    ...(concurrency && { concurrency }),
    ...(failOnLoosening && { failOnLoosening }),
    ...(terminal.env.EVENKEEL_DEBUG === "1" && { debug: terminal.warn }),
    ...(workers && { workers }),
    ...(giveUpAfter && { patience: { giveUpAfter } }),
    // Shard 1/1 is the whole fleet.
    ...(part && part.total > 1 && { shard: shardOf(part), part: `${part.index}/${part.total}` }),
    ...(since !== undefined && { since: commitOfRevision(terminal.folder, since) }),
  };
}

function createStop({ interrupted, warn }: Terminal, timeout: number | undefined): AbortSignal {
  const say = () => warn("Interrupted: finishing what is in flight. Interrupt again to stop at once.");
  interrupted.addEventListener("abort", say, { once: true });
  if (!timeout) return interrupted;
  return AbortSignal.any([interrupted, deadline(timeout, `the run's --timeout of ${timeout / 1000} s has passed`)]);
}

/** `auto` reads the shard from the environment of the pipeline; a job that is not parallel has no shard. */
function chooseShard(shard: OptionValues["shard"], { env }: Pick<Terminal, "env">): Shard {
  if (shard !== "auto") return shard;
  const { CI_NODE_TOTAL: total = "", CI_NODE_INDEX: index = total === "1" ? "1" : "" } = env;
  const part = { index: Number(index), total: Number(total) };
  const isPart = /^\d{1,6}$/.test(index) && /^\d{1,6}$/.test(total) && part.index >= 1 && part.index <= part.total;
  if (isPart) return part;
  throw new UserError("--shard auto needs CI_NODE_INDEX, from 1 to N, and CI_NODE_TOTAL, N", exit.usage);
}

export type OnlineOptions = Options<"plan">;

export function globsOf(
  flag: string,
  globs: readonly string[] = [],
  faultOf: (glob: string) => string | undefined,
): readonly string[] {
  for (const glob of globs) {
    const fault = faultOf(glob);
    if (fault) throw new UserError(`${flag} ${JSON.stringify(glob.slice(0, 100))}: expected ${fault}`, exit.usage);
  }
  return globs;
}

export function checkedRelease(release: string): string {
  if (isReleaseText(release)) return release;
  throw new UserError(`--release takes a release such as 15.0, not ${JSON.stringify(release)}`, exit.usage);
}

/** Globs over addresses. The workspace's own kinds are read only if the bundled ones do not explain one. */
export function checkedTargets(flag: string, globs: readonly string[] | undefined, { folder }: Terminal) {
  return globsOf(flag, globs, (glob) => targetFault(glob, catalogueOf()) && targetFault(glob, catalogueAround(folder)));
}

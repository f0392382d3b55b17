import { createHash } from "node:crypto";
import { resolve } from "node:path";
import type { Request } from "../request.ts";
import type { Terminal } from "../terminal.ts";
import type { Parsed } from "./verbs.ts";

/** The options that every command with a workspace and a server has. */
export interface OnlineOptions {
  readonly C?: string;
  readonly target?: readonly string[];
  readonly shard?: Parsed["shard"];
  readonly report?: readonly string[];
  readonly concurrency?: number;
  readonly timeout?: number;
}

/** What the options ask for, in the pipeline's words. */
export function requestOf(terminal: Terminal, options: OnlineOptions): Request {
  const { concurrency, shard } = options;
  return {
    folder: folderOf(terminal, options),
    env: terminal.env,
    targets: options.target ?? [],
    signal: stopOf(terminal, options.timeout),
    ...(concurrency && { concurrency }),
    ...(shard && { shard: shardOf(shard) }),
  };
}

export function folderOf(terminal: Terminal, { C }: Pick<OnlineOptions, "C">): string {
  return resolve(terminal.cwd, C ?? ".");
}

function stopOf({ interrupted, warn }: Terminal, timeout: number | undefined): AbortSignal {
  const say = () => warn("Interrupted: finishing what is in flight. Interrupt again to stop at once.");
  interrupted.addEventListener("abort", say, { once: true });
  if (!timeout) return interrupted;
  const deadline = new AbortController();
  const message = `the run's --timeout of ${timeout / 1000} s has passed`;
  setTimeout(() => deadline.abort(message), timeout).unref();
  return AbortSignal.any([interrupted, deadline.signal]);
}

/** Parts by a hash of the project's name, so that a project stays in its part whatever else comes or goes. */
function shardOf({ index, total }: Parsed["shard"]): (project: string) => boolean {
  return (project) => {
    const hash = createHash("sha256").update(project.toLowerCase()).digest();
    return (hash.readUInt32BE(0) % total) + 1 === index;
  };
}

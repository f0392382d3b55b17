import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { ExitCode } from "../../src/base/exit.ts";
import type { CheckEnd } from "../../src/watch/check.ts";
import type { MessageBody } from "../../src/watch/notification-texts.ts";
import { type Clock, every, newStatus, type WatchOptions } from "../../src/watch/options.ts";
import { watch } from "../../src/watch/watch.ts";
import type { Environment } from "../e2e/program.ts";
import { atEnd } from "../support/ending.ts";

export const minute = 60_000;

/** A clock that goes on as soon as everybody waits for it, up to `limit`. */
export interface MovedClock extends Clock {
  /** Lets it go on by so many milliseconds. */
  readonly move: (milliseconds: number) => void;
}

interface Alarm {
  readonly at: number;
  readonly ring: () => void;
}

export function movedClock(limit = Number.POSITIVE_INFINITY, start = Date.now()): MovedClock {
  let now = start;
  let last = start + limit;
  const alarms = new Set<Alarm>();
  const next = () => {
    const first = [...alarms].sort((a, b) => a.at - b.at)[0];
    if (!first || first.at > last) return;
    alarms.delete(first);
    now = Math.max(now, first.at);
    first.ring();
  };
  const soon = () => void setTimeout(next, 1);
  return {
    now: () => now,
    random: () => 0.5,
    sleep: (milliseconds, signal) =>
      new Promise<void>((ring) => {
        const alarm = { at: now + milliseconds, ring };
        alarms.add(alarm);
        const stop = () => {
          alarms.delete(alarm);
          ring();
        };
        if (signal.aborted) stop();
        signal.addEventListener("abort", stop);
        soon();
      }),
    move: (milliseconds) => {
      last = Math.max(now, last === Number.POSITIVE_INFINITY ? now : last) + milliseconds;
      for (const _ of alarms) soon();
    },
  };
}

export interface Watching {
  readonly ended: Promise<ExitCode>;
  readonly ends: readonly CheckEnd[];
  /** `in sync`, `drift` … of each check. */
  readonly outcomes: () => readonly string[];
  readonly said: readonly string[];
  readonly clock: MovedClock;
  readonly status: WatchOptions["status"];
  readonly stop: () => void;
}

type WatchingOptions = Partial<Omit<WatchOptions, "clock" | "request">> & {
  readonly clock?: MovedClock;
  /** Called after each check; what it returns is waited for before anybody goes on. */
  readonly after?: (end: CheckEnd, checks: number) => unknown;
};

/** Watches a folder every half an hour of a clock that does not wait. */
export function watching(
  place: { readonly root: string; readonly environment: Environment },
  given: WatchingOptions = {},
): Watching {
  const { clock = movedClock(), after, ...options } = given;
  let settled: Promise<unknown> = Promise.resolve();
  const ends: CheckEnd[] = [];
  const said: string[] = [];
  const stopping = new AbortController();
  const status = newStatus();
  const ended = watch({
    request: { folder: place.root, env: place.environment, signal: stopping.signal },
    schedule: every(30 * minute, clock.now()),
    apply: "never",
    grace: 2,
    clock: {
      ...clock,
      sleep: async (milliseconds, signal) => {
        await clock.sleep(milliseconds, signal);
        await settled;
      },
    },
    status,
    ...options,
    host: {
      say: (sentence) => void said.push(sentence),
      warn: (sentence) => void said.push(sentence),
      checked: (end) => {
        ends.push(end);
        settled = Promise.resolve(after?.(end, ends.length));
      },
    },
  });
  const outcomes = () => ends.map(({ outcome }) => outcome);
  const one = { ended, ends, outcomes, said, clock, status, stop: () => stopping.abort("the run was interrupted") };
  atEnd(() => {
    one.stop();
    return ended.catch(() => {});
  });
  return one;
}

export interface Chat {
  readonly url: string;
  readonly heard: readonly MessageBody[];
  readonly requests: readonly { readonly path: string; readonly method: string }[];
  readonly events: () => readonly string[];
}

export interface ChatAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A real listener; `answers` are given in their order, and then 200. */
export async function chat(answers: readonly (ChatAnswer | "reset")[] = []): Promise<Chat> {
  const heard: MessageBody[] = [];
  const requests: { path: string; method: string }[] = [];
  const left = [...answers];
  const server = createServer(async (request, response) => {
    requests.push({ path: request.url ?? "", method: request.method ?? "" });
    const body = JSON.parse(await text(request)) as MessageBody;
    const answer = left.shift() ?? { status: 200 };
    if (answer === "reset") return void request.socket.destroy();
    if (answer.status < 300) heard.push(body);
    response.writeHead(answer.status, answer.headers).end("ok");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/services/T0/B0/CANARY-of-the-chat`,
    heard,
    requests,
    events: () => heard.map(({ event }) => event),
  };
}

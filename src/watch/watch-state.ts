import { basename, dirname } from "node:path";
import { UserError } from "../base/exit.ts";
import { withoutTrailing } from "../base/text-format.ts";
import type { Workspace } from "../manifest/workspace.ts";
import type { Request } from "../run/request.ts";
import type { WorkspaceState } from "../state/state.ts";
import { keepMemory, keptMemory, newMemory, type WatchMemory } from "../state/watch-memory.ts";
import { findWorkspace, loadSettings } from "../workspace/load.ts";
import { type Counts, messageBody, type Notification } from "./notification-texts.ts";
import type { WatchOptions } from "./options.ts";
import { deliver } from "./outbox.ts";

export interface WatchState extends AsyncDisposable {
  /** The settings of the workspace, read again for each check; the last valid ones if they are invalid. */
  readonly settings: () => Workspace;
  readonly now: () => WatchMemory;
  readonly change: (more: Partial<WatchMemory>) => void;
  /** Queues notifications, which are sent once they are stored: a later leader sends those of a killed one. */
  readonly enqueue: (notifications: readonly Notification[], counts: Counts) => void;
  /** Saves changes, then sends notifications without waiting for receivers. @throws UserError if the state cannot save. */
  readonly save: () => Promise<void>;
}

function settingsFor({ folder }: Pick<Request, "folder">): () => Workspace {
  let last: Workspace | undefined;
  return () => {
    try {
      last = loadSettings(folder);
    } catch (error) {
      if (!last || !(error instanceof UserError)) throw error;
    }
    return last;
  };
}

/** The URL of the console that notifications link to. @throws UserError if it is not one. */
export function consoleUrlIn({ EVENKEEL_CONSOLE_URL: text }: Request["env"]): string | undefined {
  if (!text) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
  if (isPlain) return withoutTrailing(url.href, "/");
  throw new UserError(
    "EVENKEEL_CONSOLE_URL is not the http or https URL of a console, such as https://evenkeel.example.com",
  );
}

/** Milliseconds, by the system clock, to wait for deliveries at the end; the next leader delivers the rest. */
const lastChance = 5000;

/** The limit of undelivered notifications; the oldest are dropped first. */
const mostWaiting = 100;

/** Maximum age in milliseconds of a notification that is tried again. */
const longestAge = 24 * 3_600_000;

export async function openWatchState(state: WorkspaceState, options: WatchOptions): Promise<WatchState> {
  const { request, apply, clock, host } = options;
  const settings = settingsFor(request);
  const console = consoleUrlIn(request.env);
  let memory: WatchMemory = { ...newMemory(apply), ...(await keptMemory(state)), apply };
  let keeping: Promise<void> = Promise.resolve();
  const over = new AbortController();
  const change = (more: Partial<WatchMemory>) => {
    memory = { ...memory, ...more };
  };
  const save = () => {
    const written = keeping.then(() => keepMemory(state, memory));
    keeping = written.catch(() => {});
    return written;
  };
  /** Delivers in order: later notifications wait for earlier ones. */
  const deliverAll = async (to: string) => {
    const first = () => memory.undelivered.find((each) => each.to === to);
    for (let next = first(); next && !over.signal.aborted; next = first()) {
      const receiver = settings().notify.find(({ url }) => url.secret === to);
      const isDone = !receiver || (await deliver(receiver, next, { ...options, signal: over.signal }));
      if (!isDone && clock.now() - Date.parse(next.since) <= longestAge) return;
      change({ undelivered: memory.undelivered.filter((each) => each !== next) });
      save().catch(() => {});
    }
  };
  const trying = new Map<string, Promise<void>>();
  const flush = () => {
    for (const { to } of memory.undelivered) {
      if (trying.has(to)) continue;
      const tried = deliverAll(to).catch((error) => host.warn(String(error)));
      const ended = tried.finally(() => trying.delete(to));
      trying.set(to, ended);
    }
  };
  flush();
  return {
    settings,
    now: () => memory,
    change,
    enqueue: (notifications, counts) => {
      const since = new Date(clock.now()).toISOString();
      const { notify, name = basename(dirname(findWorkspace(request.folder))) } = settings();
      const more = notifications.flatMap((each) => {
        const body = { ...messageBody(name, each, counts, console) };
        return notify.filter(({ on }) => on.includes(each.event)).map(({ url }) => ({ to: url.secret, body, since }));
      });
      const dropped = memory.undelivered.length + more.length - mostWaiting;
      if (dropped > 0) host.warn(`${dropped} undelivered notifications were dropped`);
      change({ undelivered: [...memory.undelivered, ...more].slice(-mostWaiting) });
    },
    save: () => save().then(flush),
    [Symbol.asyncDispose]: async () => {
      const timer = setTimeout(() => over.abort(), lastChance);
      await Promise.all(trying.values());
      clearTimeout(timer);
      await keeping;
    },
  };
}

import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import { progressText } from "../report/runs.ts";
import type { LiveRuns } from "../state/live-runs.ts";
import type { RunSummary } from "../state/run-summary.ts";
import type { Watching } from "./known-state.ts";

/** Milliseconds between two events of a run that goes on, and until a page has to ask again. */
const [pace, longest] = [1000, 10 * 60_000];

/** Pages that follow runs at once; more of them show how far a run was when they were made. */
const most = 200;

const eventStream = "text/event-stream";

/** Answers that tell how far a run is, until it has ended. A HEAD holds no place: it has no body that could end. */
export function progressEvents({ known }: Pick<Watching, "known">): (context: Context) => Response {
  let open = 0;
  return (context) => {
    if (context.req.method === "HEAD") return context.body(null, 200, { "content-type": eventStream });
    if (open >= most) return context.text("Too many pages follow runs; reload to see how far this one is.\n", 503);
    const run = context.req.param("run") ?? "";
    open++;
    return streamSSE(context, async (stream) => {
      // A page that reads nothing keeps a write waiting, so its place is given up beside the loop.
      const leave = once(() => {
        open--;
        stream.abort();
      });
      const timer = setTimeout(leave, longest);
      try {
        while (!stream.aborted && !stream.closed) {
          const { runs, live } = await known();
          const summary = runs.find((each) => each.run === run);
          const progress = summary && progressOf(summary, live);
          if (!progress) return await stream.writeSSE({ event: "end", data: "" });
          await stream.writeSSE({ event: "progress", data: JSON.stringify(progress) });
          await stream.sleep(pace);
        }
      } finally {
        clearTimeout(timer);
        leave();
      }
    });
  };
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}

/** How far a run is, as a page tells it. */
export interface ShownProgress {
  readonly done: number;
  readonly total: number;
  readonly text: string;
}

/** How far a run is that goes on; undefined for one that does not. */
export function progressOf({ run, ended, progress }: RunSummary, { runs }: LiveRuns): ShownProgress | undefined {
  if (ended !== null || !runs.has(run)) return undefined;
  if (!progress) return { done: 0, total: 0, text: "running" };
  const { done, total } = progress;
  return { done, total, text: progressText(progress) };
}

import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import type { Watching } from "./known.ts";
import { progressOf } from "./progress.ts";

/** Milliseconds between two looks at a run that goes on. */
const pace = 1000;

/** Pages that follow runs at once; more of them show how far a run was when they were made. */
const most = 200;

/** Answers that tell how far a run is, until it has ended. */
export function progressEvents({ known }: Pick<Watching, "known">): (context: Context) => Response {
  let open = 0;
  return (context) => {
    if (open >= most) return context.text("Too many pages follow runs; reload to see how far this one is.\n", 503);
    const run = context.req.param("run") ?? "";
    open++;
    return streamSSE(context, async (stream) => {
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
        open--;
      }
    });
  };
}

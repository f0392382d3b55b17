import { learnMarkKey } from "../base/secret-mark.ts";
import { CallFailed } from "../client/failure.ts";
import type { ReadDelegate, RefreshScope } from "../live/refresh-scope.ts";
import { partlyRead, readChunk, throwIfEnded } from "../workers/chunks.ts";
import type { Dispatcher } from "../workers/dispatcher.ts";
import { sealKey } from "../workers/sealed-digests.ts";

/** A scope whose projects are read by workers, if the run has any. */
export function readBy(dispatcher: Dispatcher | undefined, scope: RefreshScope): RefreshScope {
  return dispatcher ? { ...scope, delegate: readingBy(dispatcher, scope.stillAt) } : scope;
}

function readingBy(dispatcher: Dispatcher, stillAt: RefreshScope["stillAt"]): ReadDelegate {
  const sealing = sealKey();
  return async ({ projects, at }, arrived) => {
    const size = await dispatcher.chunkSize(projects.length);
    let reads = 0;
    let left = projects.length;
    async function* chunks() {
      for (let start = 0; start < projects.length; start += size) {
        const part = projects.slice(start, start + size).map((_, offset) => at(start + offset));
        yield readChunk(part, stillAt, sealing.key);
      }
    }
    for await (const { index, result } of dispatcher.dispatch(chunks())) {
      throwIfEnded(result);
      if (!("projects" in result)) continue;
      const markKey = result.markKey && sealing.open(result.markKey);
      if (markKey) learnMarkKey(markKey);
      reads += result.reads;
      left -= result.projects.length;
      for (const [offset, read] of result.projects.entries()) arrived(index * size + offset, partlyRead(read));
    }
    if (left > 0) throw interrupted(dispatcher.stopped() ?? "the run was stopped");
    return reads;
  };
}

function interrupted(why: string): CallFailed {
  const facts = { method: "GET", path: "/projects", url: "the rest of the projects", kind: "aborted" } as const;
  return new CallFailed({ ...facts, what: `was not sent: ${why}`, endsRun: true, sent: false, attempts: 0 });
}

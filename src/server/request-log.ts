import type { IncomingHttpHeaders } from "node:http";

/** One request as it was answered; `status` is 0 where no answer was sent. The token is not among the headers. */
interface LoggedRequest {
  readonly method: string;
  /** Relative to the origin, without the query. */
  readonly path: string;
  readonly query: string;
  readonly status: number;
  readonly headers: Readonly<IncomingHttpHeaders>;
}

/** What the server was asked, for tests and for whoever counts. */
export interface RequestLog {
  /** All requests since the last reset. */
  readonly total: number;
  /** The first of them, as many as the server keeps. */
  readonly kept: readonly LoggedRequest[];
  /** How many of them had this method; by any method but GET, `writes`. */
  count(method: string): number;
  readonly writes: number;
  reset(): void;
}

export interface WritableLog extends RequestLog {
  add(request: LoggedRequest): void;
}

/** A log that keeps no more than `limit` requests and counts the rest. */
export function requestLog(limit: number): WritableLog {
  let kept: LoggedRequest[] = [];
  const counts = new Map<string, number>();
  const total = () => [...counts.values()].reduce((sum, count) => sum + count, 0);
  return {
    get total() {
      return total();
    },
    get kept() {
      return kept;
    },
    get writes() {
      return total() - (counts.get("GET") ?? 0);
    },
    count: (method) => counts.get(method) ?? 0,
    reset: () => {
      kept = [];
      counts.clear();
    },
    add: (request) => {
      counts.set(request.method, (counts.get(request.method) ?? 0) + 1);
      if (kept.length < limit) kept.push(request);
    },
  };
}

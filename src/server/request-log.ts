import type { IncomingHttpHeaders } from "node:http";

/** A request and its status, 0 if no response was sent. The headers do not contain the token. */
interface LoggedRequest {
  readonly method: string;
  /** Relative to the origin, without the query. */
  readonly path: string;
  readonly query: string;
  readonly status: number;
  readonly headers: Readonly<IncomingHttpHeaders>;
}

/** The requests to the server, for tests and statistics. */
export interface RequestLog {
  /** All requests since the last reset. */
  readonly total: number;
  /** The first requests, up to the limit. */
  readonly kept: readonly LoggedRequest[];
  /** The number of requests with this method; `writes` are those with any method but GET. */
  count(method: string): number;
  readonly writes: number;
  reset(): void;
}

export interface WritableLog extends RequestLog {
  add(request: LoggedRequest): void;
}

/** A log that stores at most `limit` requests and counts all. */
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

import type { FullAnswer } from "./classify-response.ts";
import { CallFailed } from "./failure.ts";
import type { Outgoing } from "./pipeline.ts";
import { kindOfError, type OpenSpan } from "./spans.ts";

/** The span of one attempt at a request. */
interface RequestSpan {
  /** Ends it with a result, and returns that. */
  readonly told: (result: FullAnswer | CallFailed) => FullAnswer | CallFailed;
  /** Ends it without one. */
  readonly failed: (error: unknown) => void;
}

/** Begins the span of a request inside another one. */
export function requestSpan(around: OpenSpan, origin: string, request: Outgoing): RequestSpan {
  const { call, path, attempts, again } = request;
  const span = around.begin(call.method, {
    "http.request.method": call.method,
    "server.address": origin,
    "url.path": path,
    "http.request.resend_count": again ? attempts - 1 : undefined,
  });
  return {
    told: (result) => {
      span.set({ "http.response.status_code": result.status });
      span.end(result instanceof CallFailed ? kindOfError(result) : undefined);
      return result;
    },
    failed: (error) => span.end(kindOfError(error)),
  };
}

import type { Call } from "../model/types.ts";
import type { FullAnswer } from "./classify-response.ts";
import type { CallFailed } from "./failure.ts";

/** One attempt at a call, on its way to the server. */
export interface Outgoing {
  readonly call: Call;
  /** Path of the API, by the name that the server knows the route by. */
  readonly path: string;
  /** Number of the attempt, from 1. */
  readonly attempts: number;
  /** Whether the call was sent before, be it with other values or by another name of its route. */
  readonly again: boolean;
}

/** Resolves to the failure where there is one. @throws SecretMissing if a parameter's secret cannot be resolved. */
export type Send = (request: Outgoing) => Promise<FullAnswer | CallFailed>;

/** One concern of all requests: may change a request, delay it, or send it a second time. */
export type Middleware = (request: Outgoing, next: Send) => ReturnType<Send>;

/** `send` behind these steps, the first one outermost. */
export function pipeline(steps: readonly Middleware[], send: Send): Send {
  return steps.reduceRight<Send>((next, step) => (request) => step(request, next), send);
}

import type { FullAnswer } from "./classify-response.ts";
import { CallFailed, isUnknownValue } from "./failure.ts";
import type { Outgoing, Send } from "./send-attempt.ts";

/** Sends the current values of parameters until the server accepts legacy ones instead, and the legacy ones from then on. */
export function legacyValues(next: Send): Send {
  let isLegacy = false;

  async function sendEither(request: Outgoing, legacy: Outgoing): Promise<FullAnswer | CallFailed> {
    if (isLegacy) return next(legacy);
    const result = await next(request);
    if (!isUnknownValue(result, Object.keys(request.call.older ?? {}))) return result;
    const again = await next({ ...legacy, again: true });
    isLegacy ||= !(again instanceof CallFailed);
    return again;
  }

  return (request) => {
    const { call } = request;
    if (!call.older) return next(request);
    const legacy = { ...request, call: { ...call, parameters: { ...call.parameters, ...call.older } } };
    return sendEither(request, legacy);
  };
}

import type { Middleware } from "./pipeline.ts";

/**
 * Sends the current values of parameters until the server accepts legacy ones instead, and the legacy ones from then on.
 * `isUnknownValue` says whether an error means that the server does not know the value of one of these parameters.
 */
export function legacyValues(isUnknownValue: (error: unknown, names: readonly string[]) => boolean): Middleware {
  let isLegacy = false;
  return async (request, next) => {
    const { call } = request;
    if (!call.older) return next(request);
    const legacy = { ...request, call: { ...call, parameters: { ...call.parameters, ...call.older } } };
    if (isLegacy) return next(legacy);
    try {
      return await next(request);
    } catch (error) {
      if (!isUnknownValue(error, Object.keys(call.older))) throw error;
    }
    const answer = await next({ ...legacy, again: true });
    isLegacy = true;
    return answer;
  };
}

import type { Call } from "../model/types.ts";

/** Sends calls in the words that the server knows. */
export type Words = <Result>(call: Call, perform: (call: Call) => Promise<Result>) => Promise<Result>;

/**
 * Says today's words until the server takes older ones in their stead, and the older ones from then on. `isUnknownWord` judges
 * whether what `perform` throws says that the server does not know the value of one of these parameters.
 */
export function createLegacyValueFallback(isUnknownWord: (error: unknown, names: readonly string[]) => boolean): Words {
  let speaksOlder = false;
  return async (call, perform) => {
    if (!call.older) return perform(call);
    const older = { ...call, parameters: { ...call.parameters, ...call.older } };
    if (speaksOlder) return perform(older);
    try {
      return await perform(call);
    } catch (error) {
      if (!isUnknownWord(error, Object.keys(call.older))) throw error;
    }
    const result = await perform(older);
    speaksOlder = true;
    return result;
  };
}

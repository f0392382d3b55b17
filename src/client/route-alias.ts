import { integrationsAlias } from "../model/endpoints.ts";
import type { FullAnswer } from "./classify-response.ts";
import type { Middleware, Outgoing, Send } from "./pipeline.ts";

const { segment, alias } = integrationsAlias;
const affected = new RegExp(`^(/projects/[^/]+)${segment}(?=/|$)`);

/**
 * Sends calls of integrations by the name that the server knows (docs/architecture.md), which is decided once: the first
 * call tries the newer name, and the older one if the newer is an unknown route; others wait for it. If both are unknown,
 * the newer one is used, and its failure is thrown. `isDecisive` says whether any other failure came from the route.
 */
export function routeAlias(
  isUnknownRoute: (error: unknown) => boolean,
  isDecisive: (error: unknown) => boolean,
): Middleware {
  let known: string | undefined;
  let deciding: Promise<void> | undefined;

  async function decide(request: Outgoing, next: Send): Promise<FullAnswer> {
    try {
      const answer = await next(request);
      known = segment;
      return answer;
    } catch (error) {
      if (isUnknownRoute(error)) return await tryAlias(request, next, error);
      if (isDecisive(error)) known = segment;
      throw error;
    }
  }

  async function tryAlias(request: Outgoing, next: Send, unknown: unknown): Promise<FullAnswer> {
    try {
      const answer = await next({ ...renamed(request), again: true });
      known = alias;
      return answer;
    } catch (error) {
      if (isUnknownRoute(error)) {
        known = segment;
        throw unknown;
      }
      if (isDecisive(error)) known = alias;
      throw error;
    }
  }

  async function undecided(request: Outgoing, next: Send): Promise<FullAnswer> {
    while (deciding) await deciding;
    if (known !== undefined) return next(known === alias ? renamed(request) : request);
    const answer = decide(request, next);
    const over = (): void => {
      deciding = undefined;
    };
    deciding = answer.then(over, over);
    return answer;
  }

  return (request, next) => {
    if (known === segment || !affected.test(request.path)) return next(request);
    return known === alias ? next(renamed(request)) : undecided(request, next);
  };
}

function renamed(request: Outgoing): Outgoing {
  return { ...request, path: request.path.replace(affected, `$1${alias}`) };
}

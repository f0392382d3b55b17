import { integrationsAlias } from "../model/endpoints.ts";
import type { FullAnswer } from "./classify-response.ts";
import { CallFailed, isDecisive, isUnknownRoute } from "./failure.ts";
import type { Outgoing, Send } from "./send-attempt.ts";

const { segment, alias } = integrationsAlias;
const affected = new RegExp(`^(/projects/[^/]+)${segment}(?=/|$)`);

/**
 * Sends calls of integrations by the name that the server knows (docs/architecture.md), which is decided once: the first
 * call tries the newer name, and the older one if the newer is an unknown route; others wait for it. If both are unknown,
 * the newer one is used, and its failure is the result.
 */
export function routeAlias(next: Send): Send {
  let known: string | undefined;
  let deciding: Promise<void> | undefined;

  async function decide(request: Outgoing): Promise<FullAnswer | CallFailed> {
    const result = await next(request);
    if (isUnknownRoute(result)) return tryAlias(request, result);
    if (tellsRoute(result)) known = segment;
    return result;
  }

  async function tryAlias(request: Outgoing, unknown: CallFailed): Promise<FullAnswer | CallFailed> {
    const result = await next({ ...renamed(request), again: true });
    if (isUnknownRoute(result)) known = segment;
    else if (tellsRoute(result)) known = alias;
    return known === segment ? unknown : result;
  }

  async function undecided(request: Outgoing): Promise<FullAnswer | CallFailed> {
    while (deciding) await deciding;
    if (known !== undefined) return next(known === alias ? renamed(request) : request);
    const answer = decide(request);
    const over = (): void => {
      deciding = undefined;
    };
    deciding = answer.then(over, over);
    return answer;
  }

  return (request) => {
    if (known === segment || !affected.test(request.path)) return next(request);
    return known === alias ? next(renamed(request)) : undecided(request);
  };
}

/** Whether a result comes from behind the route, so that the route must be known. */
function tellsRoute(result: FullAnswer | CallFailed): boolean {
  return !(result instanceof CallFailed) || isDecisive(result);
}

function renamed(request: Outgoing): Outgoing {
  return { ...request, path: request.path.replace(affected, `$1${alias}`) };
}

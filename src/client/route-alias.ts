import { integrationsAlias } from "../model/endpoints.ts";

/** Sends calls of integrations by the name that the server knows (docs/architecture.md). */
export type Alias = <Result>(path: string, perform: (path: string) => Promise<Result>) => Promise<Result>;

const { segment, alias } = integrationsAlias;
const concerned = new RegExp(`^(/projects/[^/]+)${segment}(?=/|$)`);

/**
 * Decides once: the first call of integrations tries the newer name, and the older one where the newer is an unknown
 * route; others wait for it. Where both are unknown the newer one stands, and its failure is thrown.
 * `isUnknownRoute` judges what `perform` throws; `isDecisive` says whether any other failure came from the route.
 */
export function createAlias(
  isUnknownRoute: (error: unknown) => boolean,
  isDecisive: (error: unknown) => boolean,
): Alias {
  let known: string | undefined;
  let deciding: Promise<void> | undefined;

  async function decide<Result>(path: string, perform: (path: string) => Promise<Result>): Promise<Result> {
    try {
      const result = await perform(path);
      known = segment;
      return result;
    } catch (error) {
      if (!isUnknownRoute(error)) {
        if (isDecisive(error)) known = segment;
        throw error;
      }
      return await tryAlias(path, perform, error);
    }
  }

  async function tryAlias<Result>(
    path: string,
    perform: (path: string) => Promise<Result>,
    unknown: unknown,
  ): Promise<Result> {
    try {
      const result = await perform(renamed(path));
      known = alias;
      return result;
    } catch (error) {
      if (isUnknownRoute(error)) {
        known = segment;
        throw unknown;
      }
      if (isDecisive(error)) known = alias;
      throw error;
    }
  }

  async function undecided<Result>(path: string, perform: (path: string) => Promise<Result>): Promise<Result> {
    while (deciding) await deciding;
    if (known !== undefined) return perform(known === alias ? renamed(path) : path);
    const result = decide(path, perform);
    const over = (): void => {
      deciding = undefined;
    };
    deciding = result.then(over, over);
    return result;
  }

  return (path, perform) => {
    if (known === segment || !concerned.test(path)) return perform(path);
    return known === alias ? perform(renamed(path)) : undecided(path, perform);
  };
}

function renamed(path: string): string {
  return path.replace(concerned, `$1${alias}`);
}

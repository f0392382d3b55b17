import { globMatcher } from "../base/glob.ts";

/** A fault on the wire and the requests that it hits. The first rule that matches and is not used up counts. */
export interface ChaosRule {
  /** A glob over the path below /api/v4 (`*` crosses `/`), or `regex:` and a regular expression. Default: all. */
  readonly match?: string;
  readonly method?: string;
  readonly status?: number;
  readonly reset?: boolean;
  readonly hang?: boolean;
  readonly truncate?: boolean;
  readonly html?: boolean;
  /** How many requests are let through first. */
  readonly skip?: number;
  /** How many requests are hit; default all. */
  readonly times?: number;
  /** Share of the requests that are hit, 0 to 1, by a fixed sequence from `seed`. */
  readonly probability?: number;
  readonly seed?: number;
  /** The server acts first, and then the answer is lost. */
  readonly acted?: boolean;
  /** Seconds, for the Retry-After of a status. */
  readonly retry_after?: number;
}

/** What marks a regular expression in `match`. */
export const regexMark = "regex:";

/** Which fault hits this request, if any. */
export type Chaos = (method: string, path: string) => ChaosRule | undefined;

type Trigger = (method: string, path: string) => ChaosRule | undefined;

/** Compiles the rules; each counts its own requests. */
export function createChaos(rules: readonly ChaosRule[]): Chaos {
  if (rules.length === 0) return () => undefined;
  const triggers = rules.map(triggerOf);
  return (method, path) => {
    const below = path.replace(/^\/api\/v4/, "");
    for (const trigger of triggers) {
      const hit = trigger(method, below);
      if (hit) return hit;
    }
    return undefined;
  };
}

function triggerOf(rule: ChaosRule): Trigger {
  const matches = pathTest(rule.match ?? "*");
  const method = rule.method?.toUpperCase();
  const random = sequence(rule.seed ?? 1);
  let toSkip = rule.skip ?? 0;
  let left = rule.times ?? Number.POSITIVE_INFINITY;
  return (asked, path) => {
    if ((method && method !== asked) || !matches(path) || left <= 0) return undefined;
    if (toSkip > 0) {
      toSkip--;
      return undefined;
    }
    if (rule.probability !== undefined && random() >= rule.probability) return undefined;
    left--;
    return rule;
  };
}

/** A regular expression is written `regex:…`; anything else is a glob. */
function pathTest(match: string): (path: string) => boolean {
  if (!match.startsWith(regexMark)) return globMatcher(match, { crossing: true, cased: false, dots: true });
  const expression = new RegExp(match.slice(regexMark.length), "i");
  return (path) => expression.test(path);
}

/** Numbers from 0 up to 1, always the same ones for a seed. */
function sequence(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

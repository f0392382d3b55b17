import type { ServerResponse } from "node:http";
import { globMatcher } from "../base/glob.ts";
import { compile } from "../base/schema.ts";
import { type Fault, parseChecked } from "../model/checked-yaml.ts";
import type { Problem } from "../model/types.ts";
import { refused, type ServerReply } from "./reply.ts";

/** A fault and the requests that it affects. The first rule that matches and is not exhausted applies. */
export interface ChaosRule {
  /** A glob over the path below /api/v4 (`*` crosses `/`). Default: all. */
  readonly match?: string;
  readonly method?: string;
  readonly status?: number;
  readonly reset?: boolean;
  readonly hang?: boolean;
  readonly truncate?: boolean;
  readonly html?: boolean;
  /** The number of matching requests that pass first. */
  readonly skip?: number;
  /** The number of affected requests; default all. */
  readonly times?: number;
  /** The share of affected requests, 0 to 1, by a fixed sequence from `seed`. */
  readonly probability?: number;
  readonly seed?: number;
  /** The server processes the request, and the response is lost. */
  readonly acted?: boolean;
  /** Seconds, for the Retry-After of a status. */
  readonly retry_after?: number;
}

/** The fault for a request, if any. */
export type Chaos = (method: string, path: string) => ChaosRule | undefined;

type Trigger = (method: string, path: string) => ChaosRule | undefined;

/** Compiles the rules; each counts its own requests. */
export function createChaos(rules: readonly ChaosRule[]): Chaos {
  if (rules.length === 0) return () => undefined;
  const triggers = rules.map(createTrigger);
  return (method, path) => {
    const below = path.replace(/^\/api\/v4/, "");
    for (const trigger of triggers) {
      const hit = trigger(method, below);
      if (hit) return hit;
    }
    return undefined;
  };
}

function createTrigger(rule: ChaosRule): Trigger {
  const matches = globMatcher(rule.match ?? "*", { crossing: true, cased: false, dots: true });
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

/** Pseudorandom numbers from 0 to 1, the same for a seed. */
function sequence(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Sends a fault; returns the status that was sent, 0 for none. `reply` is the server's own response, if it acted. */
export function injectFault(rule: ChaosRule, reply: ServerReply | undefined, response: ServerResponse): number {
  if (rule.hang) return 0;
  if (rule.reset) {
    response.socket?.resetAndDestroy();
    return 0;
  }
  if (rule.truncate) return cut(reply ?? { status: 200, body: "[]" }, response);
  const { status, body = "", headers } = faultReply(rule);
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
  return status;
}

/** Announces the whole body, sends half of it and closes the connection. */
function cut({ status, body = "", headers }: ServerReply, response: ServerResponse): number {
  const length = Buffer.byteLength(body);
  response.writeHead(status, { ...headers, "content-length": Math.max(2, length) });
  response.write(body.slice(0, Math.floor(body.length / 2)), () => response.destroy());
  return status;
}

function faultReply(rule: ChaosRule): ServerReply {
  const status = rule.status ?? (rule.html ? 502 : 500);
  if (rule.html) return htmlPage(status, rule);
  const made = statusReplies[status]?.(rule) ?? refused(status, "Injected fault");
  return { ...made, headers: { ...made.headers, ...retryAfter(rule) } };
}

function retryAfter({ retry_after }: ChaosRule): Record<string, string> {
  return retry_after === undefined ? {} : { "retry-after": String(retry_after) };
}

function htmlPage(status: number, rule: ChaosRule): ServerReply {
  const body = `<html><head><title>${status}</title></head><body><h1>${status}</h1></body></html>\n`;
  return { status, body, headers: { "content-type": "text/html", ...retryAfter(rule) } };
}

/** The bodies of deployed servers; gateways respond with HTML. */
const statusReplies: Readonly<Record<number, (rule: ChaosRule) => ServerReply>> = {
  404: () => refused(404, "Not Found"),
  409: () => refused(409, "Conflict: Resource lock"),
  429: tooMany,
  500: () => refused(500, "Internal Server Error"),
  502: (rule) => htmlPage(502, rule),
  503: (rule) => htmlPage(503, rule),
  504: (rule) => htmlPage(504, rule),
};

function tooMany({ retry_after = 1 }: ChaosRule): ServerReply {
  const reset = Math.ceil(Date.now() / 1000 + retry_after);
  const headers = {
    "content-type": "text/plain",
    "retry-after": String(retry_after),
    "ratelimit-name": "throttle_authenticated_api",
    "ratelimit-limit": "120",
    "ratelimit-observed": "121",
    "ratelimit-remaining": "0",
    "ratelimit-reset": String(reset),
    "ratelimit-resettime": new Date(reset * 1000).toUTCString(),
  };
  return { status: 429, body: "Retry later\n", headers };
}

export type ParsedChaos = { readonly chaos: readonly ChaosRule[] } | { readonly problems: readonly Problem[] };

const ways = ["status", "reset", "hang", "truncate", "html"] as const;
const flag = { type: "boolean" };

const chaosShape = compile({
  type: "array",
  items: {
    type: "object",
    additionalProperties: false,
    properties: {
      match: { type: "string", minLength: 1 },
      method: { enum: ["GET", "PUT", "POST", "PATCH", "DELETE"] },
      status: { type: "integer", minimum: 200, maximum: 599 },
      reset: flag,
      hang: flag,
      truncate: flag,
      html: flag,
      skip: { type: "integer", minimum: 0 },
      times: { type: "integer", minimum: 1 },
      probability: { type: "number", minimum: 0, maximum: 1 },
      seed: { type: "integer" },
      acted: flag,
      retry_after: { type: "integer", minimum: 0 },
    },
  },
});

/** Reads a list of chaos rules from YAML or JSON. Every mistake is a problem with its location in `file`. */
export function parseChaos(text: string, file = "chaos"): ParsedChaos {
  const checks = { rule: "chaos", shape: chaosShape, empty: [], faults: chaosFaults };
  const parsed = parseChecked<readonly ChaosRule[]>(text, file, checks);
  return "value" in parsed ? { chaos: parsed.value } : parsed;
}

function chaosFaults(rules: readonly ChaosRule[]): Fault[] {
  return rules.flatMap(wayFaults);
}

/** `html` may be combined with a status: a page with that status. */
function wayFaults(rule: ChaosRule, index: number): Fault[] {
  const given = ways.filter((way) => rule[way] !== undefined && rule[way] !== false);
  if (given.length === 1 || given.join() === "status,html") return [];
  const problem = given.length === 0 ? "no fault is given" : `${given.join(" and ")} cannot be combined`;
  return [{ path: [index], message: `${problem}; expected one of ${ways.join(", ")}` }];
}

import type { ServerResponse } from "node:http";
import schema from "../../schemas/chaos.schema.json" with { type: "json" };
import { globMatcher } from "../base/glob.ts";
import { compile } from "../base/schema.ts";
import { type Fault, parseChecked } from "../model/checked-yaml.ts";
import { refused, type ServerReply, send } from "./reply.ts";

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

/** Compiles the rules; each counts its own requests. */
export function createChaos(rules: readonly ChaosRule[]): Chaos {
  const triggers = rules.map(createTrigger);
  return (method, path) => {
    const below = path.replace(/^\/api\/v4/, "");
    return rules.find((_, index) => triggers[index]?.(method, below));
  };
}

function createTrigger(rule: ChaosRule): (method: string, path: string) => boolean {
  const { match = "*", skip = 0, times = Number.POSITIVE_INFINITY, probability = 1, seed = 1 } = rule;
  const matches = globMatcher(match, { crossing: true, cased: false, dots: true });
  const random = sequence(seed);
  let [toSkip, left] = [skip, times];
  return (method, path) => {
    if ((rule.method && rule.method.toUpperCase() !== method) || !matches(path) || left <= 0) return false;
    if (toSkip-- > 0 || random() >= probability) return false;
    left--;
    return true;
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
  return send(response, faultReply(rule));
}

/** Announces the whole body, sends half of it and closes the connection. */
function cut({ status, body = "", headers }: ServerReply, response: ServerResponse): number {
  const length = Buffer.byteLength(body);
  response.writeHead(status, { ...headers, "content-length": Math.max(2, length) });
  response.write(body.slice(0, Math.floor(body.length / 2)), () => response.destroy());
  return status;
}

/** The bodies of deployed servers; gateways respond with HTML. */
function faultReply({ html, status = html ? 502 : 500, retry_after }: ChaosRule): ServerReply {
  if (status === 429 && !html) return tooMany(retry_after);
  const wait = retry_after === undefined ? {} : { "retry-after": String(retry_after) };
  if (html || [502, 503, 504].includes(status)) {
    const body = `<html><head><title>${status}</title></head><body><h1>${status}</h1></body></html>\n`;
    return { status, body, headers: { "content-type": "text/html", ...wait } };
  }
  const reply = refused(status, words[status] ?? "Injected fault");
  return { ...reply, headers: { ...reply.headers, ...wait } };
}

const words: Readonly<Record<number, string>> = {
  404: "Not Found",
  409: "Conflict: Resource lock",
  500: "Internal Server Error",
};

function tooMany(seconds = 1): ServerReply {
  const reset = Math.ceil(Date.now() / 1000 + seconds);
  const headers = {
    "content-type": "text/plain",
    "retry-after": String(seconds),
    "ratelimit-name": "throttle_authenticated_api",
    "ratelimit-limit": "120",
    "ratelimit-observed": "121",
    "ratelimit-remaining": "0",
    "ratelimit-reset": String(reset),
    "ratelimit-resettime": new Date(reset * 1000).toUTCString(),
  };
  return { status: 429, body: "Retry later\n", headers };
}

const ways = ["status", "reset", "hang", "truncate", "html"] as const;
const checkChaos = compile(schema);

/** Reads a list of chaos rules from YAML or JSON. Every mistake is a problem with its location in `file`. */
export function parseChaos(text: string, file = "chaos") {
  const faults = (rules: readonly ChaosRule[]) => rules.flatMap(wayFaults);
  const parsed = parseChecked(text, file, { rule: "chaos", shape: checkChaos, empty: [], faults });
  return "value" in parsed ? { chaos: parsed.value } : parsed;
}

/** `html` may be combined with a status: a page with that status. */
function wayFaults(rule: ChaosRule, index: number): Fault[] {
  const given = ways.filter((way) => rule[way] !== undefined && rule[way] !== false);
  if (given.length === 1 || given.join() === "status,html") return [];
  const problem = given.length === 0 ? "no fault is given" : `${given.join(" and ")} cannot be combined`;
  return [{ path: [index], message: `${problem}; expected one of ${ways.join(", ")}` }];
}

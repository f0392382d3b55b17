import type { ServerResponse } from "node:http";
import type { ChaosRule } from "./chaos.ts";
import { refused, type ServerReply } from "./reply.ts";

/** Answers with a fault; returns the status that was sent, 0 for none. `reply` is the server's own answer, if it acted. */
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

/** How deployed servers word these; gateways answer in HTML. */
const statusReplies: Readonly<Record<number, (rule: ChaosRule) => ServerReply>> = {
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

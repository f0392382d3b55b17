import { Refusal } from "../base/exit.ts";

/** Where requests go: an origin, and what stands before every path of the API. */
export interface ServerUrl {
  readonly origin: string;
  readonly prefix: string;
}

const suffix = "/api/v4";

/**
 * Reads `server.url`; /api/v4 is added where it is missing. Plain http goes to loopback alone (contract 2).
 * @throws Refusal, which never repeats a URL that may hold a credential.
 */
export function parseServerUrl(text: string, allowInsecure = false): ServerUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new Refusal("server.url is not a URL; expected one like https://code.example.com");
  const objection = objectionTo(url, allowInsecure);
  if (objection) throw new Refusal(objection);
  const path = url.pathname.replace(/\/{1,99}$/, "");
  return { origin: url.origin, prefix: path.endsWith(suffix) ? path : path + suffix };
}

function objectionTo(url: URL, allowInsecure: boolean): string | undefined {
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return `server.url has the scheme ${url.protocol.slice(0, -1)}; expected https`;
  }
  if (url.username || url.password) {
    return "server.url holds a user name or password; give the address alone, and the token in EVENKEEL_TOKEN";
  }
  if (url.search || url.hash) return "server.url holds a query or a fragment; give the address alone";
  if (url.protocol === "http:" && !allowInsecure && !isLoopback(url.hostname)) {
    return `server.url is plain http to ${url.hostname}, which would send the token in clear; use https, or state server.allowInsecure: true`;
  }
  return undefined;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

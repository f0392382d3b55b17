import { ifPossible, UserError } from "../base/exit.ts";
import { knownSecrets } from "../base/known-secrets.ts";

export interface ServerUrl {
  readonly origin: string;
  readonly prefix: string;
  readonly name: string;
}

const suffix = "/api/v4";

interface Server {
  readonly url: string | undefined;
  readonly allowInsecure: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The URL for requests: EVENKEEL_URL, else `server.url`. An empty variable is an error, so that the token is not sent
 * to the manifest's server by mistake. @throws UserError if there is no URL, or {@link parseServerUrl} rejects it.
 */
export function chooseServerUrl({ EVENKEEL_URL }: Environment, { url, allowInsecure }: Server): string {
  if (EVENKEEL_URL === "") throw new UserError(emptyUrl);
  const text = EVENKEEL_URL ?? url;
  if (!text) throw new UserError("no server: set server.url in evenkeel.yaml, or EVENKEEL_URL");
  parseServerUrl(text, allowInsecure, chooseUrlName({ EVENKEEL_URL }));
  return text;
}

const emptyUrl =
  "EVENKEEL_URL is empty, so the token would go where server.url says; set it to the server's address, or unset it";

export function chooseUrlName({ EVENKEEL_URL }: Environment): string {
  return EVENKEEL_URL ? "EVENKEEL_URL" : inWorkspace;
}

const inWorkspace = "server.url";

/** The URL for plans, reports and journals; empty if there is no valid one. */
export function describeServerUrl(env: Environment, server: Server): string {
  return ifPossible(() => chooseServerUrl(env, server), UserError) ?? "";
}

/** Plain http is allowed for loopback only. @throws UserError, without a URL that may contain a credential. */
export function parseServerUrl(text: string, allowInsecure = false, name = inWorkspace): ServerUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const objection = url ? checkUrl(url, allowInsecure) : `is not a URL; ${expected}`;
  if (objection === undefined && url) return { ...splitUrl(url), name };
  learnCredentials(text, url);
  throw new UserError(`${name} ${objection}`);
}

function splitUrl({ origin, pathname }: URL): Pick<ServerUrl, "origin" | "prefix"> {
  const path = pathname.replace(/\/{1,99}$/, "");
  return { origin, prefix: path.endsWith(suffix) ? path : path + suffix };
}

/** Such a URL may contain a credential, so it is redacted from now on. */
function learnCredentials(text: string, url: URL | undefined): void {
  if (!/[@?#]/.test(text)) return;
  knownSecrets.learn(text, "[URL]");
  knownSecrets.learn(url?.password || url?.username || "", "[password]");
}

const expected = "expected one like https://code.example.com";

/** Checks the protocol first and does not repeat the URL: a user name before `//` may have been parsed as a scheme. */
function checkUrl(url: URL, allowInsecure: boolean): string | undefined {
  if (url.protocol !== "https:" && url.protocol !== "http:") return `is not an https URL; ${expected}`;
  if (url.username || url.password) {
    return "contains a user name or password; give only the address, and the token in EVENKEEL_TOKEN";
  }
  if (/\/-(?:\/|$)/.test(url.pathname)) return `is the URL of a page; give only the server's address: ${url.origin}`;
  if (url.search || url.hash) return "contains a query or a fragment; give only the address";
  if (url.protocol === "http:" && !allowInsecure && !isLoopback(url.hostname)) {
    return `is plain http to ${url.hostname}, which would send the token in clear; use https, or set server.allowInsecure: true`;
  }
  return undefined;
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

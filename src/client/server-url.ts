import { UserError } from "../base/exit.ts";
import { knownSecrets } from "../base/known-secrets.ts";

/** Where requests go: an origin, and what stands before every path of the API. */
export interface ServerUrl {
  readonly origin: string;
  readonly prefix: string;
  /** The setting that it stands in, as messages name it. */
  readonly name: string;
}

const suffix = "/api/v4";

/** What of a workspace says where its server is. */
interface Server {
  readonly url: string | undefined;
  readonly allowInsecure: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The URL that requests go to: EVENKEEL_URL, else `server.url`. An empty variable must not hand the token to the manifest.
 * @throws UserError where there is none, and for one that {@link parseServerUrl} refuses.
 */
export function urlOf({ EVENKEEL_URL }: Environment, { url, allowInsecure }: Server): string {
  if (EVENKEEL_URL === "") throw new UserError(emptyUrl);
  const text = EVENKEEL_URL ?? url;
  if (!text) throw new UserError("no server: set server.url in evenkeel.yaml, or EVENKEEL_URL");
  parseServerUrl(text, allowInsecure, urlNameOf({ EVENKEEL_URL }));
  return text;
}

const emptyUrl =
  "EVENKEEL_URL is empty, so the token would go where server.url says; set it to the server's address, or unset it";

/** What messages call that URL: the setting that it stands in. */
export function urlNameOf({ EVENKEEL_URL }: Environment): string {
  return EVENKEEL_URL ? "EVENKEEL_URL" : inWorkspace;
}

const inWorkspace = "server.url";

/** The same for plans, reports and journals: empty where there is none that requests may go to. */
export function shownUrl(env: Environment, server: Server): string {
  try {
    return urlOf(env, server);
  } catch (error) {
    if (error instanceof UserError) return "";
    throw error;
  }
}

/**
 * Reads the URL of a server; /api/v4 is added where it is missing. Plain http goes to loopback alone (docs/manifests.md).
 * @throws UserError, which never repeats a URL that may hold a credential. `name` is what it calls the URL.
 */
export function parseServerUrl(text: string, allowInsecure = false, name = inWorkspace): ServerUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const objection = url ? objectionTo(url, allowInsecure) : `is not a URL; ${expected}`;
  if (objection === undefined && url) return { ...partsOf(url), name };
  learnCredentials(text, url);
  throw new UserError(`${name} ${objection}`);
}

function partsOf({ origin, pathname }: URL): Pick<ServerUrl, "origin" | "prefix"> {
  const path = pathname.replace(/\/{1,99}$/, "");
  return { origin, prefix: path.endsWith(suffix) ? path : path + suffix };
}

/** Such a URL holds a credential, so it is redacted whatever happens next. */
function learnCredentials(text: string, url: URL | undefined): void {
  if (!/[@?#]/.test(text)) return;
  knownSecrets.learn(text, "[URL]");
  knownSecrets.learn(url?.password || url?.username || "", "[password]");
}

const expected = "expected one like https://code.example.com";

/** Before `//` may stand a user name that was taken for a scheme, so that is not repeated either. */
function objectionTo(url: URL, allowInsecure: boolean): string | undefined {
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

/** Whether a host, as URL has it, is this machine. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

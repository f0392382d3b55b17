import { isUtf8 } from "node:buffer";
import { isObject, jsonIn, parsedJson } from "../base/json.ts";
import { knownSecrets } from "../base/known-secrets.ts";
import { depthFault, isError, shapeFault } from "../model/answer-shape.ts";
import type { Call } from "../model/types.ts";
import { removeReferences } from "../model/values.ts";
import { type Attempt, CallFailed, type FailureFacts } from "./failure.ts";
import type { Network } from "./network.ts";
import type { Answer } from "./reader.ts";
import {
  type Broken,
  type Headers,
  isLocked,
  isPermanent,
  isTransientStatus,
  mayHaveActed,
  type Received,
} from "./retry.ts";

export interface FullAnswer extends Answer {
  readonly headers: Headers;
}

/** A success of the required shape, or a failure: no conclusion is drawn from any other response (docs/architecture.md). */
export function classify(attempt: Attempt, answer: Call["answer"], received: Received): FullAnswer | CallFailed {
  const { status, headers, body } = received;
  if (status >= 400) return classifyRejection(attempt, received);
  if (status >= 300) return classifyRedirect(attempt, received);
  const text = body.toString();
  const requestId = attempt.method === "GET" ? undefined : readRequestId(headers);
  const fail = (what: string, serverMessage?: string) =>
    makeFailure(attempt, { kind: "shape", what: `answered ${status} ${what}`, status, serverMessage, acted: true });
  if (!isUtf8(body)) return fail("with text that is not UTF-8");
  let json: unknown;
  try {
    json = text === "" ? undefined : jsonIn(text);
  } catch {
    return classifyUnreadable(attempt, status, text);
  }
  const tooDeep = depthFault(json);
  if (tooDeep) return fail(tooDeep);
  // A server must not have a secret resolved. `\u` because names may contain escapes.
  if (text.includes('cret"') || text.includes("\\u")) removeReferences(json);
  const misfit = answer && shapeFault(answer, status, json);
  if (misfit === undefined) return { status, body: json, requestId, headers };
  const words = isError(json) ? toWords(findServerMessage(json) ?? "") : undefined;
  return fail(`${misfit}${quote(words)}`, words);
}

/** The server's ID of a request; redacted like any text of the server, because the journal records it. */
function readRequestId({ "x-request-id": id }: Headers): string | undefined {
  return typeof id === "string" ? oneLine(knownSecrets.clean(id)) : undefined;
}

function classifyRejection(attempt: Attempt, { status, body }: Received): CallFailed {
  const text = body.toString();
  const json = parsedJson(text);
  const original = json === undefined ? findTextMessage(text) : (findServerMessage(json) ?? "");
  const serverMessage = toWords(original);
  const said = serverMessage?.startsWith(`${status} `)
    ? serverMessage
    : [status, serverMessage].filter(Boolean).join(": ");
  if (status === 401 && attempt.called?.denial !== 401) {
    const what = `answered ${said}: the token was rejected`;
    return makeFailure(attempt, { kind: "unauthorized", what, status, serverMessage, endsRun: true });
  }
  const isTransient = isTransientStatus(status, original);
  if (!isTransient && status < 500 && isPage(text)) return notJson(attempt, status, "a web page", serverMessage);
  const acted = mayHaveActed(status) || (attempt.method === "POST" && isLocked(status, original));
  // `{"error": …}` without a `message`. A project's or an integration's own "Not Found" is a `message`.
  const unknownRoute = status === 404 && isObject(json) && "error" in json && !("message" in json);
  const part = {
    kind: "status",
    what: `answered ${said}`,
    status,
    serverMessage,
    isTransient,
    acted,
    unknownRoute,
  } as const;
  return makeFailure(attempt, part, original);
}

function classifyRedirect(attempt: Attempt, { status, headers: { location } }: Received): CallFailed {
  const fail = (words: string, movedTo?: string) =>
    makeFailure(attempt, { kind: "redirect", what: `answered ${status}${words}`, status, movedTo });
  if (typeof location !== "string") return makeFailure(attempt, { kind: "status", what: `answered ${status}`, status });
  // A host in lower case would hide a secret from redaction.
  const isShown = knownSecrets.clean(location) === location && URL.canParse(location, attempt.url);
  const { origin, pathname } = isShown ? new URL(location, attempt.url) : { origin: "null", pathname: "" };
  const { setting } = attempt;
  if (origin !== new URL(attempt.url).origin) {
    const elsewhere = origin === "null" ? "elsewhere" : oneLine(origin);
    return fail(` with a redirect to ${elsewhere}, which is not followed: correct ${setting}`);
  }
  const isNamed = /^\/projects\/(?!\d+(?:\/|$))/.test(attempt.path);
  const movedTo = isNamed ? /\/projects\/(\d{1,15})(?:\/|$)/.exec(pathname)?.[1] : undefined;
  return movedTo === undefined
    ? fail(
        ` with a redirect to another path of the same server, which is not followed: correct ${setting}, or the project's path if the project was moved`,
      )
    : fail(`: the project was renamed or moved, and has the ID ${movedTo}; name it by its new path`, movedTo);
}

/** A success whose body is not JSON: truncated, or not from the API. */
function classifyUnreadable(attempt: Attempt, status: number, text: string): CallFailed {
  if (/^\s*[[{]/.test(text)) {
    const what = `answered ${status} with truncated JSON`;
    return makeFailure(attempt, { kind: "cut", what, isTransient: true, acted: true });
  }
  return notJson(attempt, status, isPage(text) ? "a web page" : "text", toWords(findTextMessage(text)));
}

function isPage(text: string): boolean {
  return /^\s*</.test(text);
}

function notJson(attempt: Attempt, status: number, content: string, serverMessage: string | undefined): CallFailed {
  const what = `answered ${status} with ${content}${quote(serverMessage)} instead of JSON: ${attempt.setting} may point at a web page instead of the API`;
  return makeFailure(attempt, { kind: "html", what, serverMessage, acted: mayHaveActed(status) });
}

function quote(words: string | undefined): string {
  return words === undefined ? "" : ` ("${words}")`;
}

/** Classifies an attempt without a complete response. `hasResponded`: the server has responded before. */
export function classifyBroken(
  attempt: Attempt,
  result: Broken,
  network: Network,
  stopped: string | undefined,
  hasResponded: boolean,
): CallFailed {
  const { broken, sent } = result;
  const endsRun = broken === "aborted";
  const what = endsRun ? `was cut off: ${stopped}` : describeBroken(result, attempt, network, hasResponded);
  const isTransient = !isPermanent(result, hasResponded);
  return makeFailure(attempt, {
    kind: broken === "large" ? "html" : broken,
    what,
    endsRun,
    sent,
    acted: sent,
    isTransient,
  });
}

type FailureRest = Omit<FailureFacts, keyof Attempt | "uncertain"> & { readonly acted?: boolean };

function makeFailure(attempt: Attempt, { acted = false, ...part }: FailureRest, original?: string): CallFailed {
  return new CallFailed({ ...attempt, ...part, uncertain: attempt.method !== "GET" && acted }, original);
}

const longestMessage = 300;
const longestRead = 16 * 1024;
/** Longer than any secret: a truncated one would not be recognised. */
const longestCleaned = 2 * 1024 * 1024;
const deepest = 4;
const mostEntries = 20;

const silent: ReadonlySet<string> = new Set(["message", "error", "base"]);

/** `message`, else `error`, each a string, a list or an object. */
export function findServerMessage(body: unknown): string | undefined {
  return findMessage(body)?.slice(0, longestCleaned);
}

function findMessage(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  const { message, error, error_description: description } = body;
  if (typeof message === "string") return rewriteMapping(message.slice(0, longestCleaned));
  if (message !== undefined && message !== null) return flatten(message, 0);
  if (error === undefined || error === null) return undefined;
  return typeof description === "string" ? `${flatten(error, 0)}: ${description}` : flatten(error, 0);
}

/** A page's title, else all of it. Redacted first, since secrets may look like tags. */
function findTextMessage(text: string): string {
  const start = knownSecrets.clean(text.slice(0, longestCleaned)).slice(0, longestRead);
  const title = /<title[^>]{0,200}>([^<]{1,500})/i.exec(start)?.[1];
  return title ?? start.replace(/<[^<>]*>/g, " ");
}

/** The server's words in a message, redacted; undefined if there are none. */
function toWords(text: string): string | undefined {
  return oneLine(knownSecrets.clean(text)) || undefined;
}

/** One line without control characters, at most 300 characters long. */
export function oneLine(text: string): string {
  const line = text
    .slice(0, longestRead)
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029\s]+/gu, " ")
    .trim();
  return line.length <= longestMessage ? line : `${line.slice(0, longestMessage - 1).toWellFormed()}…`;
}

function flatten(value: unknown, depth: number): string {
  if (depth > deepest) return "…";
  if (Array.isArray(value))
    return joinParts(
      value.slice(0, mostEntries).map((entry) => flatten(entry, depth + 1)),
      ", ",
    );
  if (!isObject(value)) return String(value);
  const entries = Object.entries(value).slice(0, mostEntries);
  return joinParts(
    entries.map(([name, entry]) =>
      silent.has(name) ? flatten(entry, depth + 1) : `${name} ${flatten(entry, depth + 1)}`,
    ),
    "; ",
  );
}

function joinParts(parts: readonly string[], separator: string): string {
  return parts.filter((part) => part !== "").join(separator);
}

/** Rewrites `Failed to update. {:url=>["is blocked"]}` as `Failed to update: url is blocked`. */
function rewriteMapping(message: string): string {
  const text = message.trim();
  const open = text.indexOf("{");
  if (open < 0 || !text.endsWith("}")) return message;
  const words = parseFields(text.slice(open + 1, -1).trim());
  const start = text.slice(0, open).trim().replace(/[.:]$/, "");
  return words === undefined ? message : `${start}${start && ": "}${words}`;
}

/** A printed field: `:url=>["a", "b"]`, `"url" => ["a"]` or `url: ["a"]`. */
const field = /:?"?([\w.]{1,100})"?\s*(?:=>|:)\s*\[((?:"(?:[^"\\]|\\.)*"[,\s]*)*)\][,\s]*/y;

const quoted = /"((?:[^"\\]|\\.)*)"/g;

function parseFields(text: string): string | undefined {
  const words: string[] = [];
  let end = 0;
  while (end < text.length) {
    field.lastIndex = end;
    const [whole, name, sentences = ""] = field.exec(text) ?? [];
    if (whole === undefined) return undefined;
    const original = Array.from(sentences.matchAll(quoted), ([, sentence = ""]) => sentence.replace(/\\(.)/g, "$1"));
    words.push(name === "base" ? original.join(", ") : `${name} ${original.join(", ")}`);
    end += whole.length;
  }
  return words.join("; ");
}

/** The reason of an attempt without a complete response; completes "GET https://… ". */
function describeBroken(result: Broken, attempt: Attempt, network: Network, hasResponded: boolean): string {
  const { broken, sent, code } = result;
  const { host, protocol } = new URL(attempt.url);
  const row = Object.entries(byCode).find(([pattern]) => new RegExp(pattern).test(code));
  const words = row?.[1] ?? (hasResponded ? undefined : adviseEarlyLoss(code, protocol, network));
  if (words !== undefined) {
    const { name: proxy, variable } = network.proxy ?? {};
    const names: Readonly<Record<string, string | undefined>> = { host, setting: attempt.setting, proxy, variable };
    const filled = words.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? "");
    return `${sent ? "got no answer" : "was not sent"}: ${filled} (${code.replace(/^PROXY_/, "")})`;
  }
  const lost = sent ? `got no answer: the connection was lost (${code})` : `was not sent: could not connect (${code})`;
  return plainWords[code] ?? plainWords[broken] ?? lost;
}

/** By code, else by the way in which the response broke off. */
const plainWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: "was not sent: the connection was refused",
  ENOTFOUND: "was not sent: host not found",
  EAI_AGAIN: "was not sent: the host name could not be resolved",
  UND_ERR_CONNECT_TIMEOUT: "was not sent: the connection timed out",
  timeout: "timed out",
  large: "answered with a body that is too large",
  cut: "got a truncated answer",
};

/** Advice for a connection that ends before any response: a wrong scheme, or a missing client certificate. */
function adviseEarlyLoss(code: string, protocol: string, { identity }: Network): string | undefined {
  const isPlain = protocol === "http:";
  if (!/^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$/.test(code) && !(isPlain && code.startsWith("HPE_"))) return undefined;
  const lost = "the connection was lost";
  if (isPlain) return `${lost}; if {host} speaks TLS, {setting} must begin with https://`;
  return identity
    ? `${lost}; {host} may not accept the client certificate that EVENKEEL_CLIENT_CERT names`
    : `${lost}; if {host} asks for a client certificate, set EVENKEEL_CLIENT_CERT and EVENKEEL_CLIENT_KEY`;
}

const trustIt = "name its PEM file as server.ca in evenkeel.yaml, or in NODE_EXTRA_CA_CERTS";

/** By patterns of codes, first match wins. `{host}` is the server's, `{setting}` contains its URL. */
const byCode: Readonly<Record<string, string>> = {
  "^PROXY_ECONNREFUSED$": "the proxy {proxy} that {variable} names refused the connection",
  "^PROXY_(ENOTFOUND|EAI_AGAIN)$": "host not found: the proxy {proxy} that {variable} names",
  "^PROXY_.*TIMEOUT$": "timed out connecting through the proxy {proxy} that {variable} names",
  "^PROXY_407$": "the proxy {proxy} needs a user name and a password; set {variable} to http://USER:PASSWORD@HOST:PORT",
  "^PROXY_4\\d\\d$":
    "the proxy {proxy} that {variable} names refused to connect to {host}; if it can be reached directly, add it to NO_PROXY",
  "^PROXY_5\\d\\d$": "the proxy {proxy} that {variable} names could not reach {host}",
  "^PROXY_(EPROTO|ERR_SSL)":
    "the proxy {proxy} does not speak TLS on that port; {variable} may have to begin with http://",
  "^PROXY_": "could not connect through the proxy {proxy} that {variable} names",
  "^DEPTH_ZERO_SELF_SIGNED": `the certificate of {host} is self-signed; to trust it, ${trustIt}`,
  "^SELF_SIGNED|^UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)": `the certificate of {host} comes from an unknown authority; to trust it, ${trustIt}`,
  "^CERT_HAS_EXPIRED": "a certificate of {host} has expired and must be renewed",
  "^CERT_NOT_YET_VALID": "a certificate of {host} is not valid yet; check the clocks of this machine and of the server",
  "^ERR_TLS_CERT_ALTNAME": "the certificate of {host} is for other host names; use one of them in {setting}",
  "^CERT_|^UNABLE_TO_|^ERR_TLS_": "the certificate of {host} cannot be verified",
  "^EPROTO|^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)":
    "{host} does not speak TLS on that port; check the port, or whether {setting} must begin with http://",
  "^ERR_SSL_.*(CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE)":
    "{host} refused the TLS connection; if it asks for a client certificate, set EVENKEEL_CLIENT_CERT and EVENKEEL_CLIENT_KEY",
  "^ERR_SSL_.*(CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)":
    "{host} does not accept the client certificate that EVENKEEL_CLIENT_CERT names",
  "^ERR_SSL_.*PROTOCOL": "{host} and this program have no version of TLS in common",
  "^ERR_SSL_": "could not open a TLS connection to {host}",
};

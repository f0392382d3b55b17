import { isUtf8 } from "node:buffer";
import { isObject, jsonIn, parsedJson } from "../base/json.ts";
import { depthFault, isError, shapeFault } from "../model/answer-shape.ts";
import type { Call } from "../model/types.ts";
import { removeReferences } from "../model/values.ts";
import { type CalledKind, CallFailed, type FailureFacts } from "./failure.ts";
import type { Answer } from "./reader.ts";
import { type Broken, type Headers, isLocked, isPermanent, isTransient, mayHaveActed, type Received } from "./retry.ts";

export interface Attempt {
  readonly method: Call["method"];
  readonly path: string;
  readonly url: string;
  /** The setting that contains the server's URL, for error messages. */
  readonly setting: string;
  readonly tokenName?: string | undefined;
  readonly attempts: number;
  readonly dialect?: string | undefined;
  readonly called?: CalledKind | undefined;
}

export interface FullAnswer extends Answer {
  readonly headers: Headers;
}

type Expected = Pick<Call, "method" | "answer">;

/** `clean` redacts secrets in the server's words. */
export function classify(
  expected: Expected,
  attempted: () => Attempt,
  received: Received,
  clean: (text: string) => string,
): FullAnswer | CallFailed {
  const { status, headers, body } = received;
  if (status >= 400) return classifyRejection(attempted(), received, clean);
  if (status >= 300) return classifyRedirect(attempted(), received, clean);
  const requestId = expected.method === "GET" ? undefined : readRequestId(headers, clean);
  if (body.length === 0) return checkShape(expected, attempted, { status, body: undefined, requestId, headers }, clean);
  const text = body.toString();
  if (!isUtf8(body)) {
    const what = `answered ${status} with text that is not UTF-8`;
    return makeFailure(attempted(), { kind: "shape", what, status, acted: true });
  }
  try {
    const reply = { status, body: jsonIn(text), requestId, headers };
    return checkDepth(attempted, reply) ?? checkShape(expected, attempted, removeSecretReferences(reply, text), clean);
  } catch {
    return classifyUnreadable(attempted(), status, text, clean);
  }
}

/** Removes secret references, so that a server cannot have one resolved. `\u` because names may contain escapes. */
function removeSecretReferences(reply: FullAnswer, text: string): FullAnswer {
  if (text.includes('cret"') || text.includes("\\u")) removeReferences(reply.body);
  return reply;
}

function checkDepth(attempted: () => Attempt, { status, body }: FullAnswer): CallFailed | undefined {
  const fault = depthFault(body);
  return fault
    ? makeFailure(attempted(), { kind: "shape", what: `answered ${status} ${fault}`, status, acted: true })
    : undefined;
}

/** A success of the required shape, or a failure: no conclusion is drawn from any other response (docs/running.md). */
function checkShape(
  { answer }: Expected,
  attempted: () => Attempt,
  reply: FullAnswer,
  clean: (text: string) => string,
): FullAnswer | CallFailed {
  const { status, body } = reply;
  const misfit = answer && shapeFault(answer, status, body);
  if (misfit === undefined) return reply;
  const words = isError(body) ? oneLine(clean(findServerMessage(body) ?? "")) : "";
  return makeFailure(attempted(), {
    kind: "shape",
    what: `answered ${status} ${misfit}${words ? ` ("${words}")` : ""}`,
    status,
    serverMessage: words || undefined,
    acted: true,
  });
}

/** The server's ID of a request; redacted like any text of the server, because the journal records it. */
function readRequestId(headers: Headers, clean: (text: string) => string): string | undefined {
  const id = headers["x-request-id"];
  return typeof id === "string" ? oneLine(clean(id)) : undefined;
}

function classifyRejection(attempt: Attempt, { status, body }: Received, clean: (text: string) => string): CallFailed {
  const text = body.toString();
  const json = parsedJson(text);
  const original = json === undefined ? findTextMessage(text, clean) : (findServerMessage(json) ?? "");
  const words = oneLine(clean(original));
  if (status === 401 && attempt.called?.denial !== 401) return classifyUnauthorized(attempt, words);
  const passing = isTransient(status, original);
  if (!passing && status < 500 && isPage(text)) return notJson(attempt, status, "a web page", words);
  const part: FailureRest = {
    passing,
    acted: mayHaveActed(status) || (attempt.method === "POST" && isLocked(status, original)),
    kind: "status",
    what: `answered ${withStatus(status, words)}`,
    status,
    serverMessage: words || undefined,
    unknownRoute: status === 404 && isUnknownRoute(json),
  };
  return makeFailure(attempt, part, original);
}

/** `{"error": …}` without a `message`. A project's or an integration's own "Not Found" is a `message`. */
function isUnknownRoute(body: unknown): boolean {
  return typeof body === "object" && body !== null && "error" in body && !("message" in body);
}

function classifyUnauthorized(attempt: Attempt, words: string): CallFailed {
  const facts = { kind: "unauthorized", status: 401, serverMessage: words || undefined, endsRun: true } as const;
  return makeFailure(attempt, { ...facts, what: `answered ${withStatus(401, words)}: the token was rejected` });
}

function withStatus(status: number, words: string): string {
  if (words === "") return `${status}`;
  return words.startsWith(`${status} `) ? words : `${status}: ${words}`;
}

function classifyRedirect(
  attempt: Attempt,
  { status, headers }: Received,
  clean: (text: string) => string,
): CallFailed {
  const { location } = headers;
  if (typeof location !== "string") return makeFailure(attempt, { kind: "status", what: `answered ${status}`, status });
  const here = new URL(attempt.url).origin;
  // A host in lower case would hide a secret from redaction.
  const isShown = clean(location) === location && URL.canParse(location, attempt.url);
  const there = isShown ? new URL(location, attempt.url).origin : "null";
  const movedTo = there === here ? movedProject(attempt, location) : undefined;
  if (movedTo !== undefined) {
    const what = `answered ${status}: the project was renamed or moved, and has the ID ${movedTo}; name it by its new path`;
    return makeFailure(attempt, { kind: "redirect", what, status, movedTo });
  }
  const what =
    there === here
      ? `to another path of the same server, which is not followed: correct ${attempt.setting}, or the project's path if the project was moved`
      : `to ${there === "null" ? "elsewhere" : oneLine(there)}, which is not followed: correct ${attempt.setting}`;
  return makeFailure(attempt, { kind: "redirect", what: `answered ${status} with a redirect ${what}`, status });
}

function movedProject({ path, url }: Attempt, location: string): string | undefined {
  if (!/^\/projects\/(?!\d+(?:\/|$))/.test(path)) return undefined;
  return /\/projects\/(\d{1,15})(?:\/|$)/.exec(new URL(location, url).pathname)?.[1];
}

/** A success whose body is not JSON: truncated, or not from the API. */
function classifyUnreadable(
  attempt: Attempt,
  status: number,
  text: string,
  clean: (text: string) => string,
): CallFailed {
  if (/^\s*[[{]/.test(text)) {
    const what = `answered ${status} with truncated JSON`;
    return makeFailure(attempt, { kind: "cut", what, passing: true, acted: true });
  }
  const words = oneLine(findTextMessage(text, clean));
  return notJson(attempt, status, isPage(text) ? "a web page" : "text", words);
}

function isPage(text: string): boolean {
  return /^\s*</.test(text);
}

function notJson(attempt: Attempt, status: number, content: string, words: string): CallFailed {
  const quoted = words ? ` ("${words}")` : "";
  const what = `answered ${status} with ${content}${quoted} instead of JSON: ${attempt.setting} may point at a web page instead of the API`;
  return makeFailure(attempt, { kind: "html", what, serverMessage: words || undefined, acted: mayHaveActed(status) });
}

/** Classifies an attempt without a complete response. `known`: the server has responded before. */
export function classifyBroken(
  attempt: Attempt,
  broken: Broken,
  stopped: string | undefined,
  hasResponded: boolean,
): CallFailed {
  const kind = broken.broken === "large" ? "html" : broken.broken;
  const what =
    broken.broken === "aborted"
      ? `was cut off: ${stopped}`
      : (broken.words ?? brokenWords[broken.code] ?? describeBroken(broken));
  const endsRun = broken.broken === "aborted";
  const { sent } = broken;
  return makeFailure(attempt, { kind, what, endsRun, sent, acted: sent, passing: !isPermanent(broken, hasResponded) });
}

const brokenWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: "was not sent: the connection was refused",
  ENOTFOUND: "was not sent: host not found",
  EAI_AGAIN: "was not sent: the host name could not be resolved",
  UND_ERR_CONNECT_TIMEOUT: "was not sent: the connection timed out",
  timeout: "timed out",
};

function describeBroken({ broken, sent, code }: Broken): string {
  if (broken === "large") return "answered with a body that is too large";
  if (broken === "cut") return "got a truncated answer";
  return sent ? `got no answer: the connection was lost (${code})` : `was not sent: could not connect (${code})`;
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
function findTextMessage(text: string, clean: (text: string) => string): string {
  const start = clean(text.slice(0, longestCleaned)).slice(0, longestRead);
  const title = /<title[^>]{0,200}>([^<]{1,500})/i.exec(start)?.[1];
  return title ?? start.replace(/<[^<>]*>/g, " ");
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

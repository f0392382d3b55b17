import { jsonIn, parsedJson } from "../base/json.ts";
import { depthFault, isError, longestAnswerText, longTextFault, shapeFault } from "../model/answer-shape.ts";
import type { Call } from "../model/types.ts";
import { removeReferences } from "../model/values.ts";
import { type CalledKind, CallFailed, type FailureFacts } from "./failure.ts";
import type { Answer } from "./reader.ts";
import { type Broken, type Headers, isLocked, isPermanent, isTransient, mayHaveActed, type Received } from "./retry.ts";

/** What is known of an attempt before its end. */
export interface Attempt {
  readonly method: Call["method"];
  readonly path: string;
  readonly url: string;
  /** What the server's URL stands in, for a person to correct it. */
  readonly setting: string;
  /** The variable that the token comes from, if it is known. */
  readonly tokenName?: string | undefined;
  readonly attempts: number;
  /** The dialect of the server. */
  readonly dialect?: string | undefined;
  /** The kind of resource that a refused call is of. */
  readonly called?: CalledKind | undefined;
}

/** A successful answer, with the headers that lists need. */
export interface FullAnswer extends Answer {
  readonly headers: Headers;
}

/** What a call expects of its answer. */
type Expected = Pick<Call, "method" | "answer">;

/**
 * Classifies the answer to a call. `attempted` tells what a failure says of the attempt; `clean` takes secrets out of the
 * server's words.
 */
export function classify(
  expected: Expected,
  attempted: () => Attempt,
  received: Received,
  clean: (text: string) => string,
): FullAnswer | CallFailed {
  const { status, headers, body } = received;
  if (status >= 400) return refused(attempted(), received, clean);
  if (status >= 300) return redirected(attempted(), received, clean);
  const requestId = expected.method === "GET" ? undefined : requestIdOf(headers, clean);
  if (body.length === 0) return fitting(expected, attempted, { status, body: undefined, requestId, headers }, clean);
  const text = body.toString();
  try {
    const reply = { status, body: jsonIn(text), requestId, headers };
    return tooLarge(attempted, reply, text) ?? fitting(expected, attempted, withoutReferences(reply, text), clean);
  } catch {
    return unreadable(attempted(), status, text, clean);
  }
}

/** Names may be written with escapes. The search is for a part with a rare first letter, because it stops at each of those. */
function withoutReferences(reply: FullAnswer, text: string): FullAnswer {
  if (text.includes('cret"') || text.includes("\\u")) removeReferences(reply.body);
  return reply;
}

/** No text of an answer is longer than all of it. */
function tooLarge(attempted: () => Attempt, { status, body }: FullAnswer, text: string): CallFailed | undefined {
  const fault = depthFault(body) ?? (text.length > longestAnswerText ? longTextFault(body) : undefined);
  return fault
    ? failed(attempted(), { kind: "shape", what: `answered ${status} ${fault}`, status, acted: true })
    : undefined;
}

/** A success that holds what it must, or a failure: nothing is concluded from any other (docs/running.md). */
function fitting(
  { answer }: Expected,
  attempted: () => Attempt,
  reply: FullAnswer,
  clean: (text: string) => string,
): FullAnswer | CallFailed {
  const { status, body } = reply;
  const misfit = answer && shapeFault(answer, status, body);
  if (misfit === undefined) return reply;
  const words = isError(body) ? oneLine(clean(serverMessageIn(body) ?? "")) : "";
  return failed(attempted(), {
    kind: "shape",
    what: `answered ${status} ${misfit}${words ? ` ("${words}")` : ""}`,
    status,
    serverMessage: words || undefined,
    acted: true,
  });
}

/** The ID that the server gave a write; the journal records it, so it is cleaned like any text of the server. */
function requestIdOf(headers: Headers, clean: (text: string) => string): string | undefined {
  const id = headers["x-request-id"];
  return typeof id === "string" ? oneLine(clean(id)) : undefined;
}

function refused(attempt: Attempt, { status, body }: Received, clean: (text: string) => string): CallFailed {
  const text = body.toString();
  const json = parsedJson(text);
  const said = json === undefined ? serverMessageInText(text, clean) : (serverMessageIn(json) ?? "");
  const words = oneLine(clean(said));
  if (status === 401) return unauthorized(attempt, words);
  const passing = isTransient(status, said);
  if (!passing && status < 500 && isPage(text)) return notJson(attempt, status, "a web page", words);
  const part: FailureRest = {
    passing,
    acted: mayHaveActed(status) || (attempt.method === "POST" && isLocked(status, said)),
    kind: "status",
    what: `answered ${withStatus(status, words)}`,
    status,
    serverMessage: words || undefined,
    unknownRoute: status === 404 && isUnknownRoute(json),
  };
  return failed(attempt, part, said);
}

/** `{"error": …}` without a `message`: a project's or an integration's own "Not Found" is a message. */
function isUnknownRoute(body: unknown): boolean {
  return typeof body === "object" && body !== null && "error" in body && !("message" in body);
}

function unauthorized(attempt: Attempt, words: string): CallFailed {
  const facts = { kind: "unauthorized", status: 401, serverMessage: words || undefined, endsRun: true } as const;
  return failed(attempt, { ...facts, what: `answered ${withStatus(401, words)}: the token was rejected` });
}

function withStatus(status: number, words: string): string {
  if (words === "") return `${status}`;
  return words.startsWith(`${status} `) ? words : `${status}: ${words}`;
}

function redirected(attempt: Attempt, { status, headers }: Received, clean: (text: string) => string): CallFailed {
  const { location } = headers;
  if (typeof location !== "string") return failed(attempt, { kind: "status", what: `answered ${status}`, status });
  const here = new URL(attempt.url).origin;
  // A host in lower case would hide a secret from redaction.
  const isShown = clean(location) === location && URL.canParse(location, attempt.url);
  const there = isShown ? new URL(location, attempt.url).origin : "null";
  const movedTo = there === here ? movedProject(attempt, location) : undefined;
  if (movedTo !== undefined) {
    const what = `answered ${status}: the project was renamed or moved, and has the ID ${movedTo}; name it by its new path`;
    return failed(attempt, { kind: "redirect", what, status, movedTo });
  }
  const what =
    there === here
      ? `to another path of the same server, which is not followed: correct ${attempt.setting}, or the project's path if the project was moved`
      : `to ${there === "null" ? "elsewhere" : oneLine(there)}, which is not followed: correct ${attempt.setting}`;
  return failed(attempt, { kind: "redirect", what: `answered ${status} with a redirect ${what}`, status });
}

/** The ID of the project that a former path of it leads to, on the same server. */
function movedProject({ path, url }: Attempt, location: string): string | undefined {
  if (!/^\/projects\/(?!\d+(?:\/|$))/.test(path)) return undefined;
  return /\/projects\/(\d{1,15})(?:\/|$)/.exec(new URL(location, url).pathname)?.[1];
}

/** A success whose body is not JSON: an API's answer that was cut off, or not an API's answer. */
function unreadable(attempt: Attempt, status: number, text: string, clean: (text: string) => string): CallFailed {
  if (/^\s*[[{]/.test(text)) {
    const what = `answered ${status} with truncated JSON`;
    return failed(attempt, { kind: "cut", what, passing: true, acted: true });
  }
  const words = oneLine(serverMessageInText(text, clean));
  return notJson(attempt, status, isPage(text) ? "a web page" : "text", words);
}

function isPage(text: string): boolean {
  return /^\s*</.test(text);
}

function notJson(attempt: Attempt, status: number, found: string, words: string): CallFailed {
  const quoted = words ? ` ("${words}")` : "";
  const what = `answered ${status} with ${found}${quoted} instead of JSON: ${attempt.setting} may point at a web page instead of the API`;
  return failed(attempt, { kind: "html", what, serverMessage: words || undefined, acted: mayHaveActed(status) });
}

/** Classifies an attempt without an answer. `known`: the server has answered before. */
export function classifyBroken(
  attempt: Attempt,
  broken: Broken,
  stopped: string | undefined,
  known: boolean,
): CallFailed {
  const kind = broken.broken === "large" ? "html" : broken.broken;
  const what =
    broken.broken === "aborted"
      ? `was cut off: ${stopped}`
      : (broken.words ?? brokenWords[broken.code] ?? wordsOfBroken(broken));
  const endsRun = broken.broken === "aborted";
  const { sent } = broken;
  return failed(attempt, { kind, what, endsRun, sent, acted: sent, passing: !isPermanent(broken, known) });
}

const brokenWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: "was not sent: the connection was refused",
  ENOTFOUND: "was not sent: host not found",
  EAI_AGAIN: "was not sent: the host name could not be resolved",
  UND_ERR_CONNECT_TIMEOUT: "was not sent: the connection timed out",
  timeout: "timed out",
};

function wordsOfBroken({ broken, sent, code }: Broken): string {
  if (broken === "large") return "answered with a body that is too large";
  if (broken === "cut") return "got a truncated answer";
  return sent ? `got no answer: the connection was lost (${code})` : `was not sent: could not connect (${code})`;
}

type FailureRest = Omit<FailureFacts, keyof Attempt | "uncertain"> & { readonly acted?: boolean };

function failed(attempt: Attempt, { acted = false, ...part }: FailureRest, said?: string): CallFailed {
  return new CallFailed({ ...attempt, ...part, uncertain: attempt.method !== "GET" && acted }, said);
}

/** The server's own words, as one line that is fit for a terminal and a log. */

const longestMessage = 300;
const longestRead = 16 * 1024;
/** Longer than any secret: one that is cut would not be recognised. */
const longestCleaned = 2 * 1024 * 1024;
const deepest = 4;
const mostEntries = 20;

/** Field names that say nothing beside their value. */
const silent: ReadonlySet<string> = new Set(["message", "error", "base"]);

/** Message of an error body, shortened: `message`, else `error`, each a string, a list or an object (platform errors). */
export function serverMessageIn(body: unknown): string | undefined {
  return saidIn(body)?.slice(0, longestCleaned);
}

function saidIn(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  const { message, error, error_description: description } = body;
  if (typeof message === "string") return inPlainWords(message.slice(0, longestCleaned));
  if (message !== undefined && message !== null) return flat(message, 0);
  if (error === undefined || error === null) return undefined;
  return typeof description === "string" ? `${flat(error, 0)}: ${description}` : flat(error, 0);
}

/** Text of a body that is not JSON: a page's title, else all of it. Secrets go first, since they may look like tags. */
function serverMessageInText(text: string, clean: (text: string) => string): string {
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

function flat(value: unknown, depth: number): string {
  if (depth > deepest) return "…";
  if (Array.isArray(value))
    return joined(
      value.slice(0, mostEntries).map((entry) => flat(entry, depth + 1)),
      ", ",
    );
  if (!isObject(value)) return String(value);
  const entries = Object.entries(value).slice(0, mostEntries);
  return joined(
    entries.map(([name, entry]) => (silent.has(name) ? flat(entry, depth + 1) : `${name} ${flat(entry, depth + 1)}`)),
    "; ",
  );
}

function joined(parts: readonly string[], separator: string): string {
  return parts.filter((part) => part !== "").join(separator);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/**
 * A message that ends in a printed mapping of fields to sentences, as `Failed to update. {:url=>["is blocked"]}`, in plain
 * words: `Failed to update: url is blocked`. Any other text stays as it is.
 */
function inPlainWords(message: string): string {
  const text = message.trim();
  const open = text.indexOf("{");
  if (open < 0 || !text.endsWith("}")) return message;
  const words = fieldsIn(text.slice(open + 1, -1).trim());
  const start = text.slice(0, open).trim().replace(/[.:]$/, "");
  return words === undefined ? message : `${start}${start && ": "}${words}`;
}

/** `:url=>["a", "b"]`, `"url" => ["a"]` or `url: ["a"]`. */
const field = /:?"?([\w.]{1,100})"?\s*(?:=>|:)\s*\[((?:"(?:[^"\\]|\\.)*"[,\s]*)*)\][,\s]*/y;

const quoted = /"((?:[^"\\]|\\.)*)"/g;

/** Undefined where it is printed otherwise. */
function fieldsIn(text: string): string | undefined {
  const words: string[] = [];
  let end = 0;
  while (end < text.length) {
    field.lastIndex = end;
    const [whole, name, sentences = ""] = field.exec(text) ?? [];
    if (whole === undefined) return undefined;
    const said = Array.from(sentences.matchAll(quoted), ([, sentence = ""]) => sentence.replace(/\\(.)/g, "$1"));
    words.push(name === "base" ? said.join(", ") : `${name} ${said.join(", ")}`);
    end += whole.length;
  }
  return words.join("; ");
}

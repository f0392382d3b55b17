import { createHash } from "node:crypto";
import { ifPossible } from "./exit.ts";
import { withoutTrailing } from "./text-format.ts";

/** All secrets of this process, redacted from its output. Code that reads another one must add it before using it. */
export const knownSecrets = createRedactor();

/** Replacements for Evenkeel's own credentials, by environment variable. */
export const ownNames = { EVENKEEL_TOKEN: "[token]", EVENKEEL_LEDGER_KEY: "[ledger key]" } as const;

const credentials = new Set<string>();

/** Registers a credential of this process: it is redacted, and no manifest may send it. */
export function learnCredential(value: string, name: string): void {
  knownSecrets.learn(value, name);
  if (value.trim() !== "") credentials.add(value.trim());
}

export function usedCredentials(): readonly string[] {
  return [...credentials];
}

/** Forgets all secrets but those of the environment. */
export function resetSecrets(env: Readonly<Record<string, string | undefined>>): void {
  knownSecrets.forget();
  credentials.clear();
  for (const [variable, name] of Object.entries(ownNames)) learnCredential(env[variable] ?? "", name);
}

/** A copy that is safe to print: name, message, stack and code. */
export function withoutSecrets(thrown: unknown): Error {
  const given: Partial<NodeJS.ErrnoException> = thrown instanceof Error ? thrown : {};
  const { name = "Error", message = String(thrown), stack = message, code } = given;
  const error = new Error(knownSecrets.clean(message));
  const known = { name, stack: knownSecrets.clean(stack) };
  return Object.assign(error, known, code === undefined ? {} : { code: String(code) });
}

export interface Redactor {
  /**
   * Replaces `value` by `name`: the value, each of its lines, the password of a URL and its path, each also as JSON, URLs
   * and HTML escape it, and the value in Base64. A value of less than 4 characters is found only as a separate word.
   */
  learn(value: string, name: string): void;
  forget(): void;
  /** Redacts a text. Takes time proportional to the text, however many values there are. */
  clean(text: string): string;
  /** True if a text is one of the values, or contains a long one, also escaped or in Base64. Results are cached. */
  isIn(text: string): boolean;
}

/** Size of the cache, and the longest text in it: a fleet repeats a few values many times. */
const mostCached = 10_000;
const longestCached = 1_000;

/** A redactor without values. `shortestHeld`: shorter values are in a text only if they are all of it. */
export function createRedactor(shortestHeld = 16): Redactor {
  const known = new Set<string>();
  const equals = new Set<string>();
  const cache = new Map<string, boolean>();
  const forms = createSearch();
  const wholes = createSearch();
  return {
    learn(value, name) {
      if (value.trim() === "" || known.has(value)) return;
      known.add(value);
      cache.clear();
      for (const form of [...secretParts(value).flatMap(escapedForms), ...base64Forms(value)]) forms.add(form, name);
      for (const form of wholeForms(value)) {
        equals.add(form);
        if (value.trim().length >= shortestHeld) wholes.add(form, name);
      }
    },
    forget() {
      for (const each of [known, equals, cache, forms, wholes]) each.clear();
    },
    clean: (text) => (known.size === 0 ? text : replaceRanges(text, forms.rangesIn(text))),
    isIn(text) {
      if (known.size === 0) return false;
      const cached = cache.get(text);
      if (cached !== undefined) return cached;
      const result = equals.has(withoutTrailing(text.trim(), "=")) || wholes.rangesIn(text).length > 0;
      if (cache.size >= mostCached) cache.clear();
      if (text.length <= longestCached) cache.set(text, result);
      return result;
    },
  };
}

/** Shorter lines, paths and Base64 occur in unrelated texts. */
const shortestPart = 8;

/** A value and the parts that reveal it. Frames of PEM files are not secret. */
function secretParts(value: string): readonly string[] {
  const lines = value.split(/[\r\n]+/).filter((line) => !line.startsWith("-----"));
  const [, user = "", path = "", query = ""] =
    /^\s*[a-z][a-z0-9+.-]*:\/\/(?:([^/?#@]*)@)?[^/?#]*([^?#]*)(.*?)\s*$/is.exec(value) ?? [];
  const parts = [...lines, path, path + query].map((part) => part.trim());
  const password = user.slice(user.indexOf(":") + 1);
  return [value, value.trim(), ...parts.filter((part) => part.length >= shortestPart), password, decodeUrl(password)];
}

export function decodeUrl(text: string): string {
  return ifPossible(() => decodeURIComponent(text)) ?? text;
}

function escapedForms(part: string): readonly string[] {
  const text = part.toWellFormed();
  const json = JSON.stringify(text).slice(1, -1);
  const url = encodeURIComponent(text);
  const html = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
  return [
    part,
    json,
    json.replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`),
    url,
    url.replace(/%../g, (code) => code.toLowerCase()),
    encodeURI(text),
    url.replace(/[!'()~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`).replaceAll("%20", "+"),
    ...["'", "&#39;", "&#x27;", "&apos;"].map((quote) => html.replaceAll("'", quote)),
  ];
}

function base64Forms(value: string): readonly string[] {
  return [value, value.trim()].flatMap(alignedBase64).filter((form) => form.length >= shortestPart);
}

/** Base64 at every alignment, in both alphabets, without the characters at its edges, which neighbouring bytes change. */
function alignedBase64(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const plain = [0, 1, 2].map((before) => {
    const text = withoutTrailing(Buffer.concat([Buffer.alloc(before), bytes]).toString("base64"), "=");
    return text.slice(before && before + 1, (before + bytes.length) % 3 === 0 ? undefined : -1);
  });
  return [...plain, ...plain.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"))];
}

function wholeForms(value: string): readonly string[] {
  const trimmed = value.trim();
  const encoded = [value, trimmed].flatMap((each) =>
    (["base64", "base64url"] as const).map((form) => Buffer.from(each).toString(form)),
  );
  return [...escapedForms(trimmed), ...encoded, ...base64Forms(value)].map((form) => withoutTrailing(form, "="));
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

/** Finds texts by their last characters, since URLs begin alike. */
function createSearch() {
  const endings = new Map<string, Map<string, string>>();
  let lengths: readonly number[] = [];
  return {
    add(form: string, name: string) {
      if (form === "") return;
      const ending = form.slice(-longestEnding);
      const alike = endings.get(ending) ?? new Map<string, string>();
      endings.set(ending, alike);
      if (!alike.has(form)) alike.set(form, name);
      if (!lengths.includes(ending.length)) lengths = [...lengths, ending.length];
    },
    rangesIn(text: string) {
      const ranges: Range[] = [];
      for (let to = 1; to <= text.length; to++) {
        for (const length of lengths) {
          if (length > to) continue;
          for (const [form, name] of endings.get(text.slice(to - length, to)) ?? []) {
            const from = to - form.length;
            if (from < 0 || !text.startsWith(form, from)) continue;
            if (form.length >= 4 || !(isJoined(text, from) || isJoined(text, to))) ranges.push({ from, to, name });
          }
        }
      }
      return ranges;
    },
    clear() {
      endings.clear();
      lengths = [];
    },
  };
}

const longestEnding = 8;

/** True if the characters on both sides of a position belong to one word. */
function isJoined(text: string, at: number): boolean {
  return at > 0 && /^[\p{L}\p{N}_]{2}$/u.test(text.slice(at - 1, at + 1));
}

function replaceRanges(text: string, ranges: readonly Range[]): string {
  let result = "";
  let done = 0;
  for (const { from, to, name } of ranges.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    if (to <= done) continue;
    // A range that begins within the previous one extends it, and keeps its name.
    if (from >= done) result += text.slice(done, from) + name;
    done = to;
  }
  return result + text.slice(done);
}

/** The digest of a secret, to compare it by within a run. It is stored nowhere but in a keyed fingerprint. */
export function secretMark(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

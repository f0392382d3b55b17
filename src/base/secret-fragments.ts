import { decodingsOf, foldedText } from "./decodings.ts";
import { nestedReadings } from "./nested-readings.ts";
import { shortest } from "./prefix-index.ts";
import { withoutTrailing } from "./text-format.ts";

/** A folded text that reveals a secret, and the length of its prefix that already does. */
export interface SecretFragment {
  readonly text: string;
  readonly least: number;
}

/** Longer texts are split, which bounds the cost of finding one. */
const longest = 256;

/** This many characters reveal a text; half of a shorter one, so that an unrelated word does not match. */
const mostNeeded = 32;

/**
 * The fragments of a value: the whole, its lines, the strings of a JSON document, the password, path, last segment
 * and parameters of a URL, and all of them in Base64. Short parts are left out, because unrelated words contain them.
 */
export function fragmentsOf(value: string): readonly SecretFragment[] {
  const spellings = new Set([value, ...stringsIn(value)].flatMap((part) => decodingsOf(part).map(({ text }) => text)));
  const traces = [...spellings].flatMap((part) => linesOf(part).flatMap(tracesOfLine));
  const isEnough = ({ text }: SecretFragment) => text.length >= shortest;
  return [...traces, ...[value, value.trim()].flatMap(base64Of).map(traceOf)].flatMap(cut).filter(isEnough);
}

/** Shorter secrets occur in other values by chance. */
const leastHeld = 16;

/** Forms of a whole secret, plain, in Base64 and in hexadecimal digits; none for a short one. */
export function wholesOf(value: string): readonly SecretFragment[] {
  const text = foldedText(value);
  if (text.length < leastHeld) return [];
  const whole = [text, ...encodingsOf(value).map(foldedText)].map((each) => ({ text: each, least: each.length }));
  return whole.flatMap(cut).map((part) => ({ ...part, least: part.text.length }));
}

/**
 * The parts of a secret of which a few characters are revealing: the longer strings of a JSON document, of a URL the
 * login and the path without its leading plain words, and no PEM header lines; none for a short secret.
 */
export function secretParts(value: string): readonly string[] {
  if (foldedText(value).length < shortest) return [];
  const strings = /^\s*[[{]/.test(value) ? stringsIn(value) : [];
  const parts = strings.length > 0 ? strings.filter((each) => each.length >= leastHeld) : [value];
  return parts.flatMap(revealingParts).flatMap((part) => [part, ...bytesOf(part)]);
}

function revealingParts(part: string): readonly string[] {
  const [, scheme, user, , rest = ""] = urlForm.exec(part) ?? [];
  if (scheme !== undefined) return [user ?? "", ...(user?.split(":") ?? []), rest.replace(plainSegments, "")];
  return [part.replace(frame, "\n")];
}

const plainSegments = /^(?:\/(?:[A-Za-z]{1,12}|v\d{1,2})(?=\/))*\//;
const frame = /-{5}(?:BEGIN|END) [A-Z0-9 ]+-{5}/g;

/** Non-ASCII text as decoded bytes show it. */
function bytesOf(part: string): readonly string[] {
  const bytes = Buffer.from(part).toString("latin1");
  return bytes === part ? [] : [bytes];
}

function linesOf(value: string): readonly string[] {
  const lines = value.split(/[\r\n\u2028\u2029]+/);
  return lines.length > 1 ? [value, ...lines] : [value];
}

function traceOf(part: string): SecretFragment {
  const text = foldedText(part);
  return { text, least: enoughOf(text.length) };
}

function enoughOf(length: number): number {
  return Math.min(length, mostNeeded, Math.max(shortest, Math.ceil(length / 2)));
}

function cut({ text, least }: SecretFragment): readonly SecretFragment[] {
  if (text.length <= longest) return [{ text, least }];
  const starts = Array.from({ length: Math.floor(text.length / longest) }, (_, index) => index * longest);
  return [...starts, text.length - longest].map((start) => ({
    text: text.slice(start, start + longest),
    least: start === 0 ? least : mostNeeded,
  }));
}

/** A service account's key is a JSON document, and servers repeat single strings of it. */
function stringsIn(value: string): readonly string[] {
  const strings: string[] = [];
  try {
    JSON.parse(value, (_, inner: unknown) => void (typeof inner === "string" && strings.push(inner)));
  } catch {
    return strings;
  }
  return strings;
}

/** Scheme and host of a URL reveal nothing without what follows. */
function tracesOfLine(line: string): readonly SecretFragment[] {
  const [, scheme, user, host = "", rest = ""] = urlForm.exec(line) ?? [];
  if (scheme === undefined) return [traceOf(line)];
  const [path = "", query = ""] = rest.split(/[?#](.*)/s);
  const parts = [rest, passwordIn(line), path.split("/").findLast(Boolean) ?? "", ...valuesIn(query)];
  const text = foldedText(line);
  const open = foldedText(user === undefined ? `${scheme}//${host}/` : `${scheme}//`).length;
  return [{ text, least: Math.min(text.length, open + enoughOf(text.length - open)) }, ...parts.map(traceOf)];
}

const urlForm = /^\s*([a-z][a-z0-9+.-]*:)\/\/(?:([^/?#@]*)@)?([^/?#]*)(.*)$/is;

/** The password of a URL, else its user, which is then the credential. */
export function passwordIn(value: string): string {
  const [, , user = ""] = urlForm.exec(value) ?? [];
  return user.split(":").at(-1) ?? "";
}

function valuesIn(query: string): readonly string[] {
  return query.split(/[&;#]/).map((pair) => pair.slice(pair.indexOf("=") + 1));
}

/** Base64 of the value at every alignment, in both alphabets, without the characters at its edges. */
function base64Of(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const plain = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const isWhole = (before + bytes.length) % 3 === 0;
    return text.slice(before && before + 1, isWhole ? undefined : -1);
  });
  return [...plain, ...plain.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"))];
}

/**
 * Tests whether a value contains a whole one of these secrets, in any case, white space, escapes or encoding, also
 * nested. A short secret occurs in many values by chance, so there the value has to be equal.
 */
export function secretHolderTest(secrets: readonly string[]): (value: string) => boolean {
  const phrases = new Set<string>();
  const words = new Set<string>();
  for (const secret of secrets) {
    const isShort = foldedText(secret).length < shortest;
    const spellings = isShort ? [secret, ...wholeEncodingsOf(secret)] : spellingsOf(secret);
    for (const each of spellings) (isShort ? words : phrases).add(foldedText(each));
  }
  for (const texts of [phrases, words]) texts.delete("");
  return (value) =>
    [...nestedReadings(value)].some((text) => {
      const folded = withoutTrailing(foldedText(text), "=");
      return words.has(folded) || [...phrases].some((each) => folded.includes(each));
    });
}

function spellingsOf(secret: string): ReadonlySet<string> {
  const once = encodingsOf(secret);
  return new Set([secret, ...once, ...once.flatMap(encodingsOf)]);
}

function encodingsOf(value: string): readonly string[] {
  return [...base64Of(value), Buffer.from(value).toString("hex")];
}

function wholeEncodingsOf(value: string): readonly string[] {
  return (["base64", "base64url", "hex"] as const).map((form) => Buffer.from(value).toString(form).replace(/=+$/, ""));
}

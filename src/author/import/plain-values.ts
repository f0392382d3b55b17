import { objectOf } from "../../base/json.ts";
import type { Plain } from "../../model/types.ts";
import { isList, isMapping } from "../../model/values.ts";

/** The choice of literals: of values that are plainly public (default), of all that may be literals, or of none. */
export type ValueForm = "literal" | "reference";

/**
 * True if a value that the server returned is plainly no credential: a boolean, number, version, word, path, or URL
 * without user, password and query, under a name that promises no credential either. False if in doubt.
 */
export function isPlainlyPublic(name: string, value: string): boolean {
  if (credentialName.test(name) || credentialName.test(value)) return false;
  if (value === "" || /^[-+]?\d{1,9}(?:\.\d{1,6})?$/.test(value)) return true;
  const url = /^(?:https?|wss?|git|ssh):\/\/([\w.-]+(?::\d{1,5})?(?:\/[\w.\-/]*)?)$/.exec(value);
  const text = url?.[1] ?? value;
  if (text.length > 120 || !/^(?:[\w\-./,~^ ]|:(?=\d))+$/.test(text)) return false;
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const mixed = words.filter((word) => /\d/.test(word) && /[a-z]/i.test(word));
  const digits = text.replace(/\D/g, "");
  const isShort = words.length <= 12 && mixed.length <= 3 && digits.length <= 14 && text.split(" ").length <= 3;
  return isShort && words.length > 0 && words.every(isPlainWord);
}

/** Names of credentials, anywhere in a name or as one of its words; "monkey" is a harmless mistake. */
const credentialName = new RegExp(
  "token|key|secret|pass|pwd|cred|auth|private|sign|cert|cookie|session|jwt|bearer|salt|crypt|hook|dsn|licen[cs]e" +
    "|(?<![a-z])(?:conn|connection|pw|pat|pin|otp|sas|sig|seed|pem|pgp|gpg|login|mnemonic|nonce|hmac|hash)(?![a-z])",
  "i",
);

function isPlainWord(word: string): boolean {
  if (/^\d{1,8}$/.test(word)) return true;
  // Like v2, x86, k8s, 30s, 512Mi, amd64 or node20.
  if (/^(?:[a-z]{1,4}\d{1,2}|[a-z]\d{1,3}[a-z]?|\d{1,4}[a-z]{1,2}|\dxlarge)$/i.test(word)) return true;
  const parts = /^(?:[a-z]+|[A-Z]+|(?:[a-z]{3,}|[A-Z][a-z]{2,})(?:[A-Z][a-z]{2,})*)$/.test(word)
    ? word.match(/[A-Z]?[a-z]+|[A-Z]+/g)
    : null;
  return parts !== null && word.length <= 24 && !/^[a-f]{8,}$/i.test(word) && parts.every(isPronounceable);
}

function isPronounceable(word: string): boolean {
  if (word.length <= 3) return true;
  return Array.from(word.toLowerCase()).every((letter, index, letters) => {
    const next = letters[index + 1];
    return next === undefined || followers[letter]?.includes(next);
  });
}

/** Letters that follow each letter in English and technical words; random ones of 10 letters pass in 1 of 80 cases. */
const followers: Readonly<Record<string, string>> = {
  a: "bcdefgiklmnprstuvwxyz",
  b: "abceijlmorstuy",
  c: "acehiklorstuy",
  d: "abdefgilmnoprsuwy",
  e: "abcdefghijklmnopqrstuvwxyz",
  f: "aefilortuy",
  g: "aeghilnorstuy",
  h: "aeilmnortuy",
  i: "abcdefgklmnoprstvxz",
  j: "aeosu",
  k: "aeforilnsuwy",
  l: "abcdefghiklmopstuvwy",
  m: "abeilmnopsuy",
  n: "acdefghijklmnopstuvxy",
  o: "abcdefgijklmnoprstuvwxy",
  p: "aehilmoprstuy",
  q: "lu",
  r: "abcdefgiklmnopqrstuvwy",
  s: "acefhiklmnopqrstuwy",
  t: "aceghilmnorstuwy",
  u: "abcdefgiklmnoprstx",
  v: "aeio",
  w: "aehilnors",
  x: "aceipt",
  y: "acelmnoprst",
  z: "aeiouz",
};

/** The text with URLs that contain a password, or a user that may be a token, written without it. */
export function withoutPasswords(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/)([^\s/?#]*)@/gi, (all, scheme: string, login: string) => {
    const [user = "", ...password] = login.split(":");
    const isPlainUser = user !== "" && isPlainlyPublic("", user);
    if (password.length === 0 && (isPlainUser || user === "")) return all;
    return isPlainUser ? `${scheme}${user}@` : scheme;
  });
}

/** Replaces each text within a value. */
export function mapTexts(value: Plain, by: (text: string) => string): Plain {
  if (typeof value === "string") return by(value);
  if (isList(value)) return value.map((each) => mapTexts(each, by));
  return isMapping(value) ? objectOf(Object.keys(value), (name) => mapTexts(value[name] ?? null, by)) : value;
}

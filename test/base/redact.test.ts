import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { createRedactor } from "../../src/base/known-secrets.ts";

const name = "[it]";

function cleaned(text: string, ...secrets: readonly string[]): string {
  const redactor = createRedactor();
  for (const secret of secrets) redactor.learn(secret, name);
  return redactor.clean(text);
}

type Making = (value: string) => string;

/** The parts of a value that reveal it. */
const parts: Readonly<Record<string, Making>> = {
  whole: (value) => value,
  trimmed: (value) => value.trim(),
  "its longest line": (value) => value.split(/[\r\n]+/).reduce((a, b) => (b.length > a.length ? b : a)),
  "the path of a URL": (value) => value.replace(/^https:\/\/[^/]*/, ""),
};

const escapes: Readonly<Record<string, Making>> = {
  plainly: (value) => value,
  "in JSON": (value) => JSON.stringify(value).slice(1, -1),
  "in JSON for a page": (value) =>
    JSON.stringify(value)
      .slice(1, -1)
      .replace(/[<>&]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
  "in a URL": (value) => encodeURIComponent(value),
  "in a URL, in small letters": (value) => encodeURIComponent(value).replace(/%../g, (one) => one.toLowerCase()),
  "as a URL": (value) => encodeURI(value),
  "in a form": (value) => new URLSearchParams([["", value]]).toString().slice(1),
  "in HTML": (value) =>
    value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
};

const base64s: Readonly<Record<string, Making>> = {
  alone: (value) => Buffer.from(value).toString("base64"),
  "in a URL": (value) => Buffer.from(value).toString("base64url"),
  "behind one byte": (value) => Buffer.from(`:${value}`).toString("base64").slice(2),
  "behind two bytes": (value) => Buffer.from(`a:${value}`).toString("base64").slice(3),
};

const pick = (table: Readonly<Record<string, Making>>) => fc.constantFrom(...Object.entries(table));

const word = fc.string({ unit: fc.constantFrom(..."abcdefXYZ0189-_.~+=/"), minLength: 16, maxLength: 40 });
const secrets = fc.oneof(
  word,
  fc.array(word, { minLength: 1, maxLength: 4 }).map((lines) => `${lines.join("\n")}\n`),
  fc.tuple(word, word).map(([path, key]) => `https://hooks.example.com/${path}/b?key=${key}&c=<d>`),
  fc.string({ unit: "grapheme", minLength: 16, maxLength: 40 }).filter((value) => /\S{10}/.test(value)),
);
const around = fc.tuple(fc.string(), fc.string());

describe("clean", () => {
  it("removes every part of a secret, however it is escaped", () => {
    fc.assert(
      fc.property(secrets, pick(parts), pick(escapes), around, (secret, [, part], [, written], [before, after]) => {
        const form = written(part(secret.toWellFormed()).trim());
        fc.pre(form.length >= 8 && !/^-----/.test(form));
        expect(cleaned(`${before} "${form}" ${after}`, secret.toWellFormed())).not.toContain(form);
      }),
      { numRuns: 500 },
    );
  });

  it("removes a secret in Base64 at any offset", () => {
    fc.assert(
      fc.property(secrets, pick(base64s), around, (secret, [, written], [before, after]) => {
        const form = written(secret.toWellFormed());
        expect(cleaned(`${before} ${form} ${after}`, secret)).not.toContain(form.slice(0, 20));
      }),
    );
  });

  const hook = "https://hooks.example.com/services/T0001/B0001/s3cr3t-p4th?token=t0k3n-of-it";
  const key = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----";
  test.each([
    ["the path of a URL", hook, "no route /services/T0001/B0001/s3cr3t-p4th", "no route [it]"],
    [
      "the password of a URL",
      "https://me:p4ss%21@example.com/hook",
      "login with p4ss! failed",
      "login with [it] failed",
    ],
    ["overlapping parts", "abcdefghijkl", "abcdefghijklmnopqrst", "[it]"],
    ["a line of a key, without its frame", key, "-----BEGIN PRIVATE KEY----- b3BlbnNzaC1rZXktdjEAAAAA", undefined],
    ["a short secret that is a word", "9", "error 9 in 1999", "error [it] in 1999"],
    ["none of an unrelated text", hook, "GET https://hooks.example.com/services: unavailable", undefined],
    ["nothing for blank secrets", "\n ", "a b\n ", "a b\n "],
  ])("%s", (_, secret, text, shown = text.replace("b3BlbnNzaC1rZXktdjEAAAAA", "[it]")) => {
    expect(cleaned(text, secret, "fghijklmnopqrst")).toBe(shown);
  });

  it("prefers the longer of two secrets", () => {
    const redactor = createRedactor();
    redactor.learn("hook", "env:A");
    redactor.learn("hook-two", "env:B");
    expect(redactor.clean("hook hook-two")).toBe("env:A env:B");
    redactor.forget();
    expect(redactor.clean("hook")).toBe("hook");
  });

  it("takes time that grows with the text and not with the number or size of secrets", () => {
    const redactor = createRedactor();
    for (let index = 0; index < 2000; index++) {
      const key = (index * 2654435761).toString(36).padStart(10, "0");
      const hook = `https://hooks.example.com/services/T${key}/B${key}/${key}${key}`;
      redactor.learn(hook, `env:HOOK_${index}`);
      expect(redactor.clean(`${hook} is blocked`)).toBe(`env:HOOK_${index} is blocked`);
    }
    redactor.learn(`${"a".repeat(500_000)}CANARY${"b".repeat(500_000)}`, name);
    for (const text of ["https://hooks.example.com/services/T", "a", "%41", "\\u0041"])
      redactor.clean(text.repeat(2000));
  });
});

test("isIn finds whole secrets, and short ones only where they are the value", () => {
  const redactor = createRedactor();
  redactor.learn("https://chat.example.com/hooks/payments", "[hook]");
  redactor.learn("changeme", "[password]");
  const innocent = ["https://bugs.example.com/payments/core", "https://chat.example.com/", "please changeme now"];
  expect(innocent.filter((each) => redactor.isIn(each))).toEqual([]);
  const encoded = Buffer.from("(https://chat.example.com/hooks/payments)").toString("base64");
  const revealing = ["see https%3A%2F%2Fchat.example.com%2Fhooks%2Fpayments!", "changeme ", "Y2hhbmdlbWU=", encoded];
  expect(revealing.filter((each) => !redactor.isIn(each))).toEqual([]);
});

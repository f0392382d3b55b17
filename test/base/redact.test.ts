import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { createRedactor } from "../../src/base/redact.ts";

const name = "[it]";

function cleaned(text: string, ...secrets: readonly string[]): string {
  const redactor = createRedactor();
  for (const secret of secrets) redactor.learn(secret, name);
  return redactor.clean(text);
}

type Making = (value: string) => string;

/** What servers keep of a value. */
const shapes: Readonly<Record<string, Making>> = {
  whole: (value) => value,
  trimmed: (value) => value.trim(),
  "on one line": (value) => value.replace(/\s+/g, " "),
  "without white space": (value) => value.replace(/\s+/g, ""),
  "with CRLF": (value) => value.replace(/\r?\n/g, "\r\n"),
  "wrapped at ten characters": (value) => value.replace(/.{10}/gsu, "$&\n  "),
  "its longest line": (value) => value.split(/\r?\n/).reduce((a, b) => (b.length > a.length ? b : a)),
  "cut short": (value) => value.slice(0, Math.max(16, Math.ceil(value.length * 0.8))),
  "in lower case": (value) => value.toLowerCase(),
  "in upper case": (value) => value.toUpperCase(),
};

/** How they and others write it. */
const escapes: Readonly<Record<string, Making>> = {
  plainly: (value) => value,
  "in JSON": (value) => JSON.stringify(value).slice(1, -1),
  "in JSON in JSON": (value) => JSON.stringify(JSON.stringify(value)),
  "in JSON for a page": (value) =>
    JSON.stringify(value).replace(/[<>&]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
  "in a URL": (value) => encodeURIComponent(value),
  "in a URL, in small letters": (value) => encodeURIComponent(value).replace(/%../g, (one) => one.toLowerCase()),
  "as a URL": (value) => encodeURI(value),
  "in a form": (value) => new URLSearchParams([["x", value]]).toString(),
  "in markup": (value) => value.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`),
  "in markup of a template": (value) =>
    value.replace(/[&<>"'/=`]/g, (one) => `&#x${one.charCodeAt(0).toString(16).toUpperCase()};`),
  "in markup in JSON": (value) => JSON.stringify(value.replaceAll("&", "&amp;").replaceAll("<", "&lt;")),
};

const base64s: Readonly<Record<string, Making>> = {
  alone: (value) => Buffer.from(value).toString("base64"),
  "in a URL": (value) => Buffer.from(value).toString("base64url"),
  "in lines": (value) =>
    (
      Buffer.from(value)
        .toString("base64")
        .match(/.{1,60}/g) ?? []
    ).join("\n"),
  "behind one byte": (value) => Buffer.from(`:${value}`).toString("base64").slice(2, -4),
  "behind two bytes": (value) => Buffer.from(`a:${value}`).toString("base64").slice(3, -4),
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

describe("a secret never stands in a cleaned text", () => {
  test("whatever a server keeps of it, however it is written", () => {
    fc.assert(
      fc.property(secrets, pick(shapes), pick(escapes), around, (secret, [, shape], [, written], [before, after]) => {
        const form = written(shape(secret).toWellFormed());
        fc.pre(form.length >= 8);
        expect(cleaned(`${before} "${form}" ${after}`, secret)).not.toContain(form);
      }),
      { numRuns: 3000 },
    );
  });

  test("nor in Base64, by itself or with something before it", () => {
    fc.assert(
      fc.property(secrets, pick(base64s), around, (secret, [, written], [before, after]) => {
        const form = written(secret.toWellFormed());
        expect(cleaned(`${before} ${form} ${after}`, secret)).not.toContain(form.slice(0, 20));
      }),
    );
  });

  test("also where it is short", () => {
    const short = fc
      .string({ unit: "grapheme-ascii", minLength: 4, maxLength: 8 })
      .filter((value) => /\S{4}/.test(value));
    fc.assert(
      fc.property(short, pick(escapes), around, (secret, [, written], [before, after]) => {
        const form = written(secret);
        fc.pre(!name.includes(secret.trim()));
        expect(cleaned(`${before} "${form}" ${after}`, secret)).not.toContain(`"${form}"`);
      }),
      { numRuns: 1000 },
    );
  });

  const hook = "https://hooks.example.com/services/T0001/B0001/s3cr3t-p4th?token=t0k3n-of-it";
  const account = JSON.stringify({
    type: "service_account",
    private_key: "-----BEGIN-----\nMIIEvQIBADANBgkqhkiG9w0\nBAQEF4KeyLine2\n",
  });
  test.each([
    ["the path of a URL", hook, "no route /services/T0001/B0001/s3cr3t-p4th"],
    ["its last segment", hook, "S3CR3T-P4TH is unknown"],
    ["its parameters", hook, "token t0k3n-of-it was revoked"],
    ["its credentials", "https://me:p4ss@example.com/hook", "login with p4ss failed"],
    ["a line of a key in JSON", account, "bad line BAQEF4KeyLine2"],
    ["a part that stands in another", "abcdefghijkl", "abcdefghijkl"],
    ["an invisible character", "s3cr3tvalue", "s3cr3t\u200bval\u00adue"],
  ])("nor %s", (_, secret, text) => {
    const result = cleaned(text, secret, "fghijklmnopqrst");
    expect(result).toContain(name);
    expect(result).not.toMatch(/s3cr3t|s3CR3T|S3CR3T|t0k3n|p4ss|BAQEF4|ghijk/);
  });
});

describe("what is no secret stays", () => {
  const hooks = ["https://code.example.com/hooks/abcdef0123456789", "main", "no", "password-of-the-fleet-2024"];
  test.each([
    "GET https://code.example.com/api/v4/projects answered 404",
    "the password is not known",
    "nothing is known",
    "a%20b &amp; c \\u0041 + d",
    "",
  ])("%j", (text) => {
    expect(cleaned(text, ...hooks, "", "\n ")).toBe(text);
  });

  test("a very short one is replaced where it is a word, and a longer one before what it begins with", () => {
    expect(cleaned("error 9 in 1999: no.", "9", "no")).toBe("error [it] in 1999: [it].");
    const redactor = createRedactor();
    redactor.learn("hook", "env:A");
    redactor.learn("hook-two", "env:B");
    expect(redactor.clean("hook hook-two")).toBe("env:A env:B");
  });
});

describe("time", () => {
  const hooks = Array.from({ length: 2000 }, (_, index) => {
    const key = (index * 2654435761).toString(36).padStart(10, "0");
    return `https://hooks.example.com/services/T${key}/B${key}/${key}${key}`;
  });

  test("grows with the texts and not with the number of secrets, also where they are learnt in between", () => {
    const redactor = createRedactor();
    const start = performance.now();
    for (const [index, hook] of hooks.entries()) {
      redactor.learn(hook, `env:HOOK_${index}`);
      expect(redactor.clean(`${hook} is blocked`)).toBe(`env:HOOK_${index} is blocked`);
    }
    redactor.clean("https://hooks.example.com/services/T".repeat(2000));
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it("is short for secrets of any size, and for texts that nearly hold them", () => {
    const start = performance.now();
    const long = `${"a".repeat(500_000)}CANARY${"b".repeat(500_000)}`;
    expect(cleaned(`<${long.slice(470_000, 530_000)}>`, long)).toBe(`<${name}>`);
    cleaned(`${"a".repeat(31)}c`.repeat(2000), long);
    expect(performance.now() - start).toBeLessThan(15_000);
  });
});

test("a value holds a secret only as a whole: a word that a URL ends in stands in many values", () => {
  const redactor = createRedactor();
  redactor.learn("https://chat.example.com/hooks/payments", "[hook]");
  redactor.learn("changeme", "[password]");
  const innocent = ["https://bugs.example.com/payments/core", "https://chat.example.com/", "please changeme now"];
  expect(innocent.filter((each) => redactor.isIn(each))).toEqual([]);
  const telling = ["see https%3A%2F%2Fchat.example.com%2Fhooks%2Fpayments!", "CHANGEME"];
  expect(telling.filter((each) => !redactor.isIn(each))).toEqual([]);
});

test("a word that is known to be none stays, unless it is the secret", () => {
  const redactor = createRedactor();
  redactor.spare("Payments");
  redactor.learn("https://chat.example.com/hooks/payments", "[hook]");
  expect(redactor.clean("no project payments/cor, see /hooks/payments")).toBe("no project payments/cor, see [hook]");
  redactor.learn("https://me:payments@example.com/", "[login]");
  expect(redactor.clean("payments/cor")).toBe("[login]/cor");
});

import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { commonWords } from "../../src/base/common-words.ts";
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

describe("of a secret of 8 characters or more, no more than four that stand side by side are shown", () => {
  const most = 4;
  const printable = fc.string({
    unit: fc.constantFrom(...Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i))),
    minLength: 8,
    maxLength: 64,
  });
  const letters = fc.string({
    unit: fc.constantFrom(..."abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789"),
    minLength: 8,
    maxLength: 48,
  });

  /** How one piece of it is written. */
  const hexByte = (byte: number) => byte.toString(16).padStart(2, "0");
  const ways: Readonly<Record<string, Making>> = {
    ...escapes,
    "in small letters": (value) => value.toLowerCase(),
    "in capital letters": (value) => value.toUpperCase(),
    "in lines": (value) => value.replace(/.{3}/gsu, "$&\r\n"),
    "with all of it escaped": (value) => Array.from(Buffer.from(value), (byte) => `%${hexByte(byte)}`).join(""),
    "in Base64": (value) => Buffer.from(value).toString("base64"),
    "in Base64 for a URL": (value) => Buffer.from(value).toString("base64url"),
    "in Base64 behind other bytes": (value) => Buffer.from(`ab${value}`).toString("base64"),
    "in Base64, in lines": (value) =>
      (
        Buffer.from(value)
          .toString("base64")
          .match(/.{1,6}/g) ?? []
      ).join("\n"),
    "in hexadecimal": (value) => Buffer.from(value).toString("hex"),
    "in hexadecimal, byte by byte": (value) => Array.from(Buffer.from(value), hexByte).join(":"),
    "in hexadecimal, as numbers": (value) => Array.from(Buffer.from(value), (byte) => `0x${hexByte(byte)}`).join(", "),
    "in hexadecimal, in capital letters": (value) => `0x${Buffer.from(value).toString("hex").toUpperCase()}`,
  };

  /** All that a text may mean to whoever knows these encodings. */
  const readings = (text: string): string[] => {
    const bare = text.replaceAll(name, "\n");
    const joined = bare.replace(/(?<=\b(?:0x)?[0-9a-f]{2})(?::|, )(?:0x)?(?=[0-9a-f]{2}\b)/gi, "");
    const stretches = [bare, joined].flatMap((each) => each.replace(/\s/g, "").match(/[\w+/-]+/g) ?? []);
    const bytes = stretches.flatMap((each) =>
      [0, 1, 2, 3].flatMap((at) => [Buffer.from(each.slice(at), "base64"), Buffer.from(each.slice(at), "hex")]),
    );
    return [bare, ...bytes.map((each) => each.toString("latin1"))].map((each) => each.toLowerCase());
  };
  const runsOf = (text: string, length: number) =>
    Array.from({ length: Math.max(0, text.length - length + 1) }, (_, at) => text.slice(at, at + length).toLowerCase());

  test("of any piece, however it is written and wherever it is cut", () => {
    const cut = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(printable, cut, pick(ways), fc.nat(12), (value, [a, b], [, written], lost) => {
        const [from, to] = [a, b].map((part) => Math.floor(part * value.length)).sort((x, y) => x - y);
        const piece = value.slice(from, to);
        fc.pre(piece.length > most && commonWords(value, () => false).length === 0);
        const form = written(piece);
        const shown = cleaned(`{"message":"no: ${form.slice(0, form.length - lost)}…`, value);
        const runs = runsOf(piece, most + 1).filter((run) => !/^(.)\1*$/.test(run));
        expect(readings(shown).filter((each) => runs.some((run) => each.includes(run)))).toEqual([]);
      }),
      { numRuns: 3000 },
    );
  });

  test("of a path or a parameter of a URL either", () => {
    fc.assert(
      fc.property(letters, fc.nat(40), fc.nat(40), pick(ways), (key, from, size, [, written]) => {
        const url = `https://hooks.example.com/services/${key}/x?k=${key}z`;
        const piece = key.slice(from % key.length).slice(0, most + 1 + size);
        fc.pre(piece.length > most);
        const shown = cleaned(`no: ${written(piece)}!`, url);
        const runs = runsOf(piece, most + 1).filter((run) => !/^(.)\1*$/.test(run));
        expect(readings(shown).filter((each) => runs.some((run) => each.includes(run)))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ["its beginning", "Tr0ub4dor&3x", "the password Tr0ub4d… is wrong", "the password [it]… is wrong"],
    ["its end", "Tr0ub4dor&3x", "…4dor&3x is wrong", "…[it] is wrong"],
    ["its middle", "Tr0ub4dor&3x", "near r0ub4dor&3", "near [it]"],
    ["four of it", "Tr0ub4dor&3x", "near Tr0u", "near Tr0u"],
    ["a word of it that is most of it", "Troubadour-1", "near troubadour", "near [it]"],
    ["two words of it", "correct-horse-battery-staple", "horse-battery", "[it]"],
    ["it in octal escapes", "Tr0ub4", "near \\124\\162\\060\\165\\142\\064", "near [it]"],
    ["a piece in escapes with braces", "Tr0ub4dor&3x", "see \\u{30}\\u{75}\\u{62}\\u{34}\\u{64}", "see [it]"],
    ["a piece in entities without their ends", "Tr0ub4dor&3x", "see &#48&#117&#98&#52&#100", "see [it]"],
    ["a piece in wide characters", "Tr0ub4dor&3x", "see ０ｕｂ４ｄ", "see [it]"],
    ["a piece with joiners between", "Tr0ub4dor&3x", "see 0\u034fu\u034fb\ufe0f4\u034fd", "see [it]"],
    ["what is beyond all characters", "Tr0ub4dor&3x", "\\u{ffffff} &#9999999", "\\u{ffffff} &#9999999"],
  ])("such as %s", (_, value, text, shown) => expect(cleaned(text, value)).toBe(shown));

  test.each([
    [
      "https://hooks.example.com/services/T0001/B0001/s3cr3t-p4th",
      "GET https://hooks.example.com/services: these services are unavailable",
    ],
    [
      "https://code.example.com/api/v4/projects/7/hook?token=abcdef12345",
      "GET https://code.example.com/api/v4/projects/x answered 404: token is invalid",
    ],
    ["password-of-the-fleet-2024", "the password of the project is too short; passwords have 12 characters"],
    ["evenkeel-dev-token", "run evenkeel validate: the token has no scope"],
    ["payments-webhook-prod-8f3a", "webhook is invalid for the webhooks of group/app"],
    [
      '{"type":"service_account","project_id":"main","private_key":"-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0\\n"}',
      "no private key: project_id of this service account is missing",
    ],
    [
      "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----",
      "expected -----BEGIN PRIVATE KEY-----",
    ],
  ])("and with %j known, everyday words stay", (value, text) => expect(cleaned(text, value)).toBe(text));
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

/** What would not end in time if its work grew with the square of a size. */
describe("work", () => {
  const hooks = Array.from({ length: 2000 }, (_, index) => {
    const key = (index * 2654435761).toString(36).padStart(10, "0");
    return `https://hooks.example.com/services/T${key}/B${key}/${key}${key}`;
  });

  test("grows with the texts and not with the number of secrets, also where they are learnt in between", () => {
    const redactor = createRedactor();
    for (const [index, hook] of hooks.entries()) {
      redactor.learn(hook, `env:HOOK_${index}`);
      expect(redactor.clean(`${hook} is blocked`)).toBe(`env:HOOK_${index} is blocked`);
    }
    redactor.clean("https://hooks.example.com/services/T".repeat(2000));
  });

  it("is short for secrets of any size, and for texts that nearly hold them", () => {
    const long = `${"a".repeat(500_000)}CANARY${"b".repeat(500_000)}`;
    expect(cleaned(`<${long.slice(470_000, 530_000)}>`, long)).toBe(`<${name}>`);
    cleaned(`${"a".repeat(31)}c`.repeat(2000), long);
  });
});

test("work for a long text does not grow with how much is known, nor faster than the text", () => {
  const redactor = createRedactor();
  for (let index = 0; index < 1000; index++) redactor.learn(`hunter2-${index}-${"x".repeat(index)}`, name);
  const signs = [
    "=",
    "%41",
    "%e4%b8",
    "\\\\u0041",
    "&#x41;",
    "+",
    "\\",
    '"',
    "<",
    " ",
    "QQ",
    "hunter2-",
    "x",
    "\u{1f600}",
  ];
  for (const sign of signs) redactor.isIn(`${sign.repeat(200_000 / sign.length)}!`);
  for (const sign of signs) redactor.clean(`${sign.repeat(20_000 / sign.length)}!`);
});

test("a value holds a secret only as a whole: a word that a URL ends in stands in many values", () => {
  const redactor = createRedactor();
  redactor.learn("https://chat.example.com/hooks/payments", "[hook]");
  redactor.learn("changeme", "[password]");
  const innocent = ["https://bugs.example.com/payments/core", "https://chat.example.com/", "please changeme now"];
  expect(innocent.filter((each) => redactor.isIn(each))).toEqual([]);
  const hex = Buffer.from("https://chat.example.com/hooks/payments").toString("hex");
  const bytes = `${hex.match(/../g)?.join(":")}`;
  redactor.learn("12:34:56:78:9a:bc:de:f0", "[bytes]");
  const encoded = [hex, hex.toUpperCase(), bytes, bytes.replaceAll(":", ", 0x"), "at 12:34:56:78:9a:bc:de:f0"];
  const telling = ["see https%3A%2F%2Fchat.example.com%2Fhooks%2Fpayments!", "CHANGEME", ...encoded];
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

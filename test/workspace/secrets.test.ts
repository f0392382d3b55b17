import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createSecrets } from "../../src/workspace/secrets.ts";
import { readToken } from "../../src/workspace/token.ts";

const root = mkdtempSync(join(tmpdir(), "evenkeel-"));
afterAll(() => rmSync(root, { recursive: true }));

function file(name: string, content: string | Buffer): string {
  writeFileSync(join(root, name), content);
  return name;
}

function refusalOf(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("expected a refusal");
}

describe("a secret", () => {
  mkdirSync(join(root, "folder"));
  file("plain", "s3cret");
  file("newline", "s3cret\n");
  file("crlf", "s3cret\r\n");
  file("two", " two\nlines\n\n");
  file("empty", "\n");
  file("binary", Buffer.from([0xff, 0xfe, 0x00]));
  file("large", "x".repeat(1024 * 1024 + 1));
  const env = { HOOK: "https://hook", EMPTY: "", constructor: "own" };
  const plaintext = new Map([["manifest:a.yaml:3:9", "literal"]]);
  const secrets = createSecrets({ env, root, plaintext });

  it.each([
    ["env:HOOK", "https://hook"],
    ["file:plain", "s3cret"],
    ["file:newline", "s3cret"],
    ["file:crlf", "s3cret"],
    ["file:two", " two\nlines\n"],
    [`file:${join(root, "plain")}`, "s3cret"],
    ["manifest:a.yaml:3:9", "literal"],
  ])("%s is found", (secret, value) => {
    expect(secrets.resolve({ secret })).toBe(value);
    expect(secrets.missing([{ secret }])).toEqual([]);
  });

  it("is never Evenkeel's own token, under whatever name", () => {
    const own = { EVENKEEL_TOKEN: "own-token", COPY: "own-token" };
    expect(createSecrets({ env: own, root, plaintext }).missing([{ secret: "env:COPY" }])).toEqual([
      "env:COPY (it is Evenkeel's own token or key, which no manifest may send)",
    ]);
    const kept = { EVENKEEL_TOKEN_FILE: join(root, "newline") };
    expect(createSecrets({ env: kept, root, plaintext }).missing([{ secret: "file:plain" }])).toHaveLength(1);
  });

  it.each([
    ["env:NONE", "not set"],
    ["env:EMPTY", "set, but empty"],
    ["file:none", "no such file"],
    ["file:plain/below", "no such file"],
    ["file:folder", "not a file"],
    ["file:/dev/zero", "not a file"],
    ["file:empty", "an empty file"],
    ["file:binary", "not UTF-8 text"],
    ["file:large", "larger than 1 MiB"],
    ["manifest:a.yaml:3:10", "no manifest holds it"],
    ["vault:x", "expected env:NAME or file:PATH"],
    ["constructor:x", "expected env:NAME or file:PATH"],
    ["HOOK", "expected env:NAME or file:PATH"],
  ])("%s is missing: %s", (secret, why) => {
    expect(secrets.missing([{ secret }])).toEqual([`${secret} (${why})`]);
    expect(refusalOf(() => secrets.resolve({ secret }))).toMatchObject({
      name: "SecretMissing",
      reference: secret,
      why,
    });
  });

  it("that is missing is named once, in order", () => {
    const names = ["file:none", "env:B", "env:HOOK", "env:A", "env:B"].map((secret) => ({ secret }));
    expect(secrets.missing(names)).toEqual(["env:A (not set)", "env:B (not set)", "file:none (no such file)"]);
  });

  it("keeps its value for the run", () => {
    file("rotating", "one");
    expect(secrets.resolve({ secret: "file:rotating" })).toBe("one");
    file("rotating", "two");
    expect(secrets.resolve({ secret: "file:rotating" })).toBe("one");
  });
});

describe("the token", () => {
  it("comes from either variable", () => {
    file("token", "glpat-1\n");
    expect(readToken({ EVENKEEL_TOKEN: "glpat-1" })).toBe("glpat-1");
    expect(readToken({ EVENKEEL_TOKEN: "", EVENKEEL_TOKEN_FILE: "token" }, root)).toBe("glpat-1");
    expect(readToken({ EVENKEEL_TOKEN_FILE: join(root, "token") })).toBe("glpat-1");
  });

  it.each([
    [{}, "no access token: set EVENKEEL_TOKEN"],
    [{ EVENKEEL_TOKEN: "" }, "no access token"],
    [{ EVENKEEL_TOKEN: "CANARY", EVENKEEL_TOKEN_FILE: "token" }, "both set"],
    [{ EVENKEEL_TOKEN: "CANARY\r\nX-Evil: 1" }, "EVENKEEL_TOKEN holds"],
    [{ EVENKEEL_TOKEN: "CANARY x" }, "EVENKEEL_TOKEN holds"],
    [{ EVENKEEL_TOKEN: "CANARYü" }, "EVENKEEL_TOKEN holds"],
    [{ EVENKEEL_TOKEN_FILE: "none" }, "cannot be read (ENOENT)"],
    [{ EVENKEEL_TOKEN_FILE: "folder" }, "cannot be read (EISDIR)"],
    [{ EVENKEEL_TOKEN_FILE: "empty" }, "is empty"],
  ])("%o is refused", (env, message) => {
    const refusal = refusalOf(() => readToken(env, root));
    expect(refusal.name).toBe("Refusal");
    expect(refusal.message).toContain(message);
    expect(refusal.message).not.toContain("CANARY");
  });
});

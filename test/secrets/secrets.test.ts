import { execFileSync, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { closeSync, linkSync, mkdirSync, openSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createSecrets } from "../../src/secrets/secrets.ts";
import { readHookSecret, readToken } from "../../src/secrets/token.ts";
import { folder, tempFolder } from "../support/folder.ts";

const root = tempFolder();

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
  file("lines", "\n\r\n\n");
  file("binary", Buffer.from([0xff, 0xfe, 0x00]));
  file("nul", "s3\0cret");
  file("large", "x".repeat(1024 * 1024 + 1));
  execFileSync("mkfifo", [join(root, "pipe")]);
  symlinkSync("/proc/self/environ", join(root, "link"));
  const env = { HOOK: "https://hook", EMPTY: "" };
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

  describe("never comes out of what Evenkeel itself opens things with", () => {
    const made = folder();
    const home = join(made.root, "home");
    const refused =
      "it contains a secret of Evenkeel itself, such as its token or what opens its state, hooks or console, which no manifest may send";
    const pem = String(generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }));
    const state = "postgres://u@h/d";
    const login = "*:*:*:u:pa55-word-of-state\n# h:1:d:u:no\nother:5432:d:u:an\\:other-one\n";
    const asked = (env: Record<string, string>, secret: string) =>
      createSecrets({ env: { HOME: home, ...env }, root: made.root, plaintext }).missing([{ secret }]);

    /** By the file, the variables that make it Evenkeel's, what stands in it, and copies of which none may be sent. */
    const files: readonly (readonly [string, Record<string, string>, string, readonly string[]])[] = [
      ["run/token", { EVENKEEL_TOKEN_FILE: "run/token" }, "t0k3n-of-evenkeel\n", ["t0k3n-of-evenkeel"]],
      ["run/hook", { EVENKEEL_HOOK_SECRET_FILE: "run/hook" }, "hook-secret-1\n", ["x hook-secret-1"]],
      ["run/console", { EVENKEEL_CONSOLE_TOKEN_FILE: "run/console" }, "console-token-1234\n", ["console-token-1234"]],
      [
        "run/state",
        { EVENKEEL_STATE_FILE: "run/state" },
        "postgres://u:p%40ss-word@h/d\n",
        ["p@ss-word", "u:p%40ss-word@h"],
      ],
      ["run/pgpass", { EVENKEEL_STATE: state, PGPASSFILE: "run/pgpass" }, login, []],
      ["run/queue-pass", { EVENKEEL_QUEUE: state, PGPASSFILE: "run/queue-pass" }, login, []],
      ["home/.pgpass", { EVENKEEL_STATE: state }, login, []],
      ["run/client.key", { EVENKEEL_CLIENT_KEY: "run/client.key" }, pem, []],
      ["run/both.pem", { EVENKEEL_CLIENT_CERT: "run/both.pem" }, pem, []],
      ["run/pg.key", { EVENKEEL_STATE: "postgres://u@h/d?sslkey=run/pg.key" }, pem, []],
      ["run/pg2.key", { PGSSLKEY: "run/pg2.key" }, pem, []],
      ["home/.postgresql/postgresql.key", {}, pem, []],
      ["home/.ssh/id_ed25519", {}, pem, []],
      ["home/.netrc", {}, "machine h login u password pw\n", []],
      ["home/.git-credentials", {}, "https://u:pw@h\n", []],
      [
        "run/providers.yaml",
        { EVENKEEL_SECRET_PROVIDERS: "run/providers.yaml" },
        'v: { command: [vault, "-token=s.abc", "{ref}"] }\n',
        [],
      ],
      [".evenkeel/ledger.key", {}, "0123456789abcdef\n", ["0123456789abcdef"]],
    ];

    const placed = (name: string, env: Record<string, string>, text: string) => {
      made.write(name, text);
      const path = join(made.root, name);
      return Object.fromEntries(Object.entries(env).map(([key, value]) => [key, value.replace(/run\/.*$/, path)]));
    };

    it.each(files)("the file %s, by any path", (name, variables, text) => {
      const env = placed(name, variables, text);
      const path = join(made.root, name);
      const links = tempFolder();
      linkSync(path, join(links, "hard"));
      symlinkSync(path, join(links, "soft"));
      symlinkSync(links, join(links, "around"));
      const open = openSync(path, "r");
      const spellings = [
        ...[
          name,
          path,
          `./${name}`,
          `x/../${name}`,
          `/proc/self/cwd/../../../../../..${path}`,
          `/proc/self/fd/${open}`,
        ],
        ...["hard", "soft", "around/hard", "around/around/soft"].map((each) => join(links, each)),
        ...[`/dev/fd/${open}`, `/proc/${process.pid}/root${path}`],
      ];
      made.write("x/y", "");
      try {
        for (const each of spellings) expect(asked(env, `file:${each}`), each).toEqual([`file:${each} (${refused})`]);
      } finally {
        closeSync(open);
      }
    });

    it.each(files.filter(([, , , copies]) => copies.length > 0))(
      "what stands in %s, by any name",
      (name, variables, text, copies) => {
        const env = placed(name, variables, text);
        for (const copy of copies) {
          made.write("copy", copy);
          expect(asked({ ...env, COPY: copy }, "env:COPY")).toEqual([`env:COPY (${refused})`]);
          expect(asked(env, "file:copy")).toEqual([`file:copy (${refused})`]);
        }
      },
    );

    it.each([
      [
        "HTTPS_PROXY",
        "proxy-user:proxy-word@p:3128",
        ["proxy-word", Buffer.from("proxy-user:proxy-word").toString("base64")],
      ],
      ["http_proxy", "http://key-of-a-proxy@p:3128", ["key-of-a-proxy"]],
      [
        "EVENKEEL_TOKEN",
        "s3v3n",
        ["s3v3n", " s3v3n", ...(["base64", "base64url"] as const).map((form) => Buffer.from("s3v3n").toString(form))],
      ],
      [
        "EVENKEEL_TOKEN",
        "own-token<1>",
        [
          ...["x-own-token<1>", "own-token%3C1%3E", "own-token&lt;1&gt;", "own-token\\u003c1\\u003e"],
          Buffer.from("me:own-token<1>!").toString("base64"),
        ],
      ],
      ["EVENKEEL_STATE", "postgres://u:pa#ss-word@h/d", ["pa#ss-word"]],
      ["EVENKEEL_LEDGER_KEY", "the-ledgers-key", ["the-ledgers-key."]],
      ["EVENKEEL_QUEUE", "redis://:queu%65-password@h", ["the queue-password"]],
      ["EVENKEEL_CONSOLE_TOKEN", "sixteen-letters-or-more", ["?token=sixteen-letters-or-more"]],
    ])("what %s holds, as in %s", (variable, value, copies) => {
      for (const COPY of copies) {
        expect(asked({ [variable]: value, COPY }, "env:COPY"), COPY).toEqual([`env:COPY (${refused})`]);
      }
    });

    it("what was used in this run, though its file has another text by now", () => {
      made.write("run/rotating", "first-token-1\n");
      const env = { EVENKEEL_TOKEN_FILE: join(made.root, "run/rotating"), COPY: "first-token-1" };
      const secrets = createSecrets({ env, root: made.root, plaintext });
      expect(readToken(env)).toBe("first-token-1");
      made.write("run/rotating", "second-token-2\n");
      expect(secrets.missing([{ secret: "env:COPY" }])).toHaveLength(1);
    });

    it("but leaves what only resembles it", () => {
      const env = { EVENKEEL_TOKEN: "own-token", EVENKEEL_STATE: "postgres://user@h/d", HTTPS_PROXY: "http://p:3128" };
      for (const COPY of ["user", "http://p:3128", "tok", "n"]) {
        expect(asked({ ...env, COPY }, "env:COPY"), COPY).toEqual([]);
      }
      expect(asked({ EVENKEEL_TOKEN: "s3v3n", COPY: "not s3v3n at all" }, "env:COPY")).toEqual([]);
    });
  });

  it("is not PGPASSWORD where it opens a shared state", () => {
    const alone = { PGPASSWORD: "beside-the-url" };
    const missing = (env: Record<string, string>) =>
      createSecrets({ env, root, plaintext }).missing([{ secret: "env:PGPASSWORD" }]);
    expect(missing({ EVENKEEL_STATE: "postgres://u@h/d", ...alone })).toHaveLength(1);
    expect(missing(alone)).toEqual([]);
  });

  it.each([
    ["env:NONE", "not set"],
    ["env:EMPTY", "set, but empty"],
    ["file:none", "no such file or folder"],
    ["file:plain/below", "a part of its path is not a folder"],
    ["env:constructor", "not set"],
    ["env:__proto__", "not set"],
    ["env:toString", "not set"],
    ["file:folder", "not a regular file"],
    ["file:pipe", "not a regular file"],
    ["file:/dev/zero", "it is below /proc, /sys or /dev, which are not allowed"],
    ["file:/dev/fd/0/../0", "it is below /proc, /sys or /dev, which are not allowed"],
    ["file:/proc/self/environ", "it is below /proc, /sys or /dev, which are not allowed"],
    ["file:link", "it is below /proc, /sys or /dev, which are not allowed"],
    ["file:/sys", "it is below /proc, /sys or /dev, which are not allowed"],
    ["file:empty", "an empty file"],
    ["file:lines", "an empty file"],
    ["file:binary", "not UTF-8 text"],
    ["file:nul", "it holds a NUL character, so it is no text"],
    ["file:large", "larger than 1 MiB"],
    ["manifest:a.yaml:3:10", "it is in no manifest"],
    ["vault:x", "EVENKEEL_SECRET_PROVIDERS is not set"],
    ["constructor:x", "EVENKEEL_SECRET_PROVIDERS is not set"],
    ["HOOK", "expected env:NAME, file:PATH or PROVIDER:NAME"],
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
    expect(secrets.missing(names)).toEqual([
      "env:A (not set)",
      "env:B (not set)",
      "file:none (no such file or folder)",
    ]);
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

  it("is read from a pipe once, and known from then on", () => {
    execFileSync("mkfifo", [join(root, "token-pipe")]);
    const env = { EVENKEEL_TOKEN_FILE: join(root, "token-pipe"), COPY: "piped-token-1" };
    spawn("sh", ["-c", `echo piped-token-1 > ${join(root, "token-pipe")}`]);
    expect([readToken(env), readToken(env)]).toEqual(["piped-token-1", "piped-token-1"]);
    expect(createSecrets({ env, root, plaintext: new Map() }).missing([{ secret: "env:COPY" }])).toHaveLength(1);
  });

  it.each([
    [{}, "no access token: set EVENKEEL_TOKEN"],
    [{ EVENKEEL_TOKEN: "" }, "no access token"],
    [{ EVENKEEL_TOKEN: "CANARY", EVENKEEL_TOKEN_FILE: "token" }, "both set"],
    [{ EVENKEEL_TOKEN: "CANARY\r\nX-Evil: 1" }, "EVENKEEL_TOKEN contains"],
    [{ EVENKEEL_TOKEN: "CANARY x" }, "EVENKEEL_TOKEN contains"],
    [{ EVENKEEL_TOKEN: "CANARYü" }, "EVENKEEL_TOKEN contains"],
    [{ EVENKEEL_TOKEN_FILE: "none", EVENKEEL_TOKEN_COMMAND: "x" }, "EVENKEEL_TOKEN_COMMAND are both set"],
    [{ EVENKEEL_TOKEN_FILE: "none" }, "cannot be read (no such file or folder)"],
    [{ EVENKEEL_TOKEN_FILE: "folder" }, "cannot be read (it is a folder)"],
    [{ EVENKEEL_TOKEN_FILE: "empty" }, "is empty"],
  ])("%o is refused", (env, message) => {
    const refusal = refusalOf(() => readToken(env, root));
    expect(refusal.name).toBe("UserError");
    expect(refusal.message).toContain(message);
    expect(refusal.message).not.toContain("CANARY");
  });
});

describe("the secret of push hooks", () => {
  it("is the text of a variable as it is, or of a file without its last line end", () => {
    file("hook", " hook-secret\n");
    expect(readHookSecret({ EVENKEEL_HOOK_SECRET: " hook-secret " })).toBe(" hook-secret ");
    expect(readHookSecret({ EVENKEEL_HOOK_SECRET_FILE: join(root, "hook") })).toBe(" hook-secret");
    expect(readHookSecret({ EVENKEEL_HOOK_SECRET: "" })).toBeUndefined();
  });

  it.each([
    ["empty", "an empty file"],
    ["large", "larger than 1 MiB"],
    ["nul", "it holds a NUL character, so it is no text"],
    ["binary", ""],
    ["none", "no such file or folder"],
  ])("is not read from the file %s", (name, why) => {
    const refusal = refusalOf(() => readHookSecret({ EVENKEEL_HOOK_SECRET_FILE: join(root, name) }));
    expect(refusal.name).toBe("UserError");
    expect(refusal.message).toContain(
      `EVENKEEL_HOOK_SECRET_FILE names ${join(root, name)}, which cannot be used: ${why}`,
    );
  });
});

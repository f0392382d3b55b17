import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { knownSecrets } from "../../src/base/known-secrets.ts";
import { loadProviders } from "../../src/secrets/providers-file.ts";
import { createSecrets } from "../../src/secrets/secrets.ts";
import { folder } from "../support/folder.ts";
import { until } from "../support/until.ts";

beforeEach(() => knownSecrets.forget());

const own = {
  EVENKEEL_TOKEN: "the-token-of-evenkeel",
  EVENKEEL_LEDGER_KEY: "the-key-of-the-ledger",
  EVENKEEL_STATE: "postgres://u:pw@h/d",
};

/** Programs of shell by name, each a provider's; the text of the file is that of the folder beside it. */
function provided(programs: Readonly<Record<string, string>>, text: string, debug?: (text: string) => void) {
  const files = folder({ "ops/providers.yaml": text, "site/evenkeel.yaml": "" });
  for (const [name, script] of Object.entries(programs)) {
    files.write(`bin/${name}`, `#!/bin/sh\n${script}\n`);
    chmodSync(join(files.root, "bin", name), 0o755);
  }
  const env = { PATH: `${files.root}/bin:${process.env.PATH}`, LOG: join(files.root, "log"), ...own };
  const root = join(files.root, "site");
  const providers = loadProviders({ EVENKEEL_SECRET_PROVIDERS: join(files.root, "ops/providers.yaml") }, root);
  const secrets = createSecrets({ env, root, plaintext: new Map(), providers, debug });
  const log = () => (existsSync(env.LOG) ? readFileSync(env.LOG, "utf8") : "");
  return { ...files, providers, secrets, log, ask: (...all: string[]) => secrets.ask(all.map(reference)) };
}

const reference = (secret: string) => ({ secret });

const each = (...words: string[]) => `p: { command: ${JSON.stringify(words)} }`;

test("one call a reference, without a shell, in the workspace, with none of Evenkeel's own settings", async () => {
  const script = 'printf "%s\\n" "$PWD $# $1 $2 $(env | grep -c ^EVENKEEL_)" >> "$LOG"; echo "value of $2"';
  const { secrets, ask, log, root } = provided({ teller: script }, each("teller", "$HOME; x", "at://{ref}/{ref}"));
  expect(secrets.missing([reference("p:a")])).toEqual([]);
  expect(() => secrets.resolve(reference("p:a"))).toThrow("its provider was not asked");
  expect(await ask("p:a/b $(id)", "p:a/b $(id)", "env:NONE")).toEqual([]);
  expect(secrets.resolve(reference("p:a/b $(id)"))).toBe("value of at://a/b $(id)/a/b $(id)");
  await ask("p:a/b $(id)");
  expect(log()).toBe(`${root}/site 2 $HOME; x at://a/b $(id)/a/b $(id) 0\n`);
  expect(knownSecrets.clean("it says value of at://a/b $(id)/a/b $(id).")).toBe("it says p:a/b $(id).");
});

test.each([
  ["no newline", "printf %s secret", "secret"],
  ["one newline of two", "printf 'two\\nlines\\n\\n'", "two\nlines\n"],
  ["a program that leaves another one behind", "sleep 60 & echo secret", "secret"],
  ["the secret on stderr, too", "echo secret >&2; echo secret", "secret"],
  ["megabytes on stderr", "head -c 3000000 /dev/zero >&2; echo secret", "secret"],
])("takes %s", async (_, script, value) => {
  const { secrets, ask } = provided({ teller: script }, each("teller", "{ref}"));
  expect(await ask("p:x")).toEqual([]);
  expect(secrets.resolve(reference("p:x"))).toBe(value);
});

test.each([
  ["fails", "echo s3cret-CANARY; echo s3cret-CANARY >&2; exit 3", "it exited with 3"],
  ["is killed", "kill -9 $$", "it was ended by SIGKILL"],
  ["prints megabytes", "exec yes", "it printed more than 1 MiB"],
  ["prints nothing", "printf '\\n'", "it printed nothing"],
  ["prints a NUL character", "printf 'se\\0cret'", "it printed a NUL character"],
  ["prints bytes", "printf '\\377\\376'", "it printed something other than UTF-8 text"],
  [
    "knows the token",
    "echo bearer the-token-of-evenkeel",
    "it contains a secret of Evenkeel itself, such as its token or what opens its state, hooks or console, which no manifest may send",
  ],
])("a program that %s gives nothing, and its words are nowhere", async (_, script, why) => {
  const { secrets, ask } = provided({ teller: script }, each("teller", "{ref}"));
  expect(await ask("p:x")).toEqual([`p:x (${why})`]);
  expect(secrets.missing([reference("p:x")])).toEqual([`p:x (${why})`]);
  expect(() => secrets.resolve(reference("p:x"))).toThrow(`secret p:x cannot be resolved: ${why}`);
});

test("a program that hangs is killed with all that it started, and is not called again", async () => {
  const script = 'sleep 100 & echo $! >> "$LOG"; wait';
  const text = "p: { command: [teller, '{ref}'], timeout: 300ms }";
  const { ask, log } = provided({ teller: script }, text);
  const names = Array.from({ length: 40 }, (_, index) => `p:${index}`);
  const missing = await ask(...names);
  expect(missing).toHaveLength(40);
  expect(new Set(missing.map((each) => each.replace(/^\S+ /, "")))).toEqual(
    new Set(["(it did not answer within 0.3 s)", "(it did not answer before, and was not called again)"]),
  );
  const started = log().trim().split("\n").map(Number);
  expect(started.length).toBeLessThanOrEqual(8);
  await until(() => started.every((pid) => !isAlive(pid)));
});

test("does not end what a provider leaves behind when it has answered", async () => {
  const script = 'sleep 100 > /dev/null 2>&1 & echo $! >> "$LOG"; echo secret';
  const { ask, log, secrets } = provided({ teller: script }, each("teller", "{ref}"));
  expect([await ask("p:x"), secrets.known(reference("p:x"))]).toEqual([[], "secret"]);
  expect(isAlive(Number(log()))).toBe(true);
  process.kill(Number(log()), "SIGKILL");
});

/** A process that ended and that nobody waited for is not alive. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

test("a stopped run stops its providers, and what they did not say stays unknown", async () => {
  const { secrets, log } = provided({ teller: 'echo $$ >> "$LOG"; exec sleep 100' }, each("teller", "{ref}"));
  const stop = new AbortController();
  const asked = secrets.ask([reference("p:x")], stop.signal);
  await until(() => log() !== "");
  stop.abort();
  expect([await asked, secrets.known(reference("p:x"))]).toEqual([[], undefined]);
  await until(() => !isAlive(Number(log())));
});

test("a program that cannot be started is one sentence, and a slash means: beside the file", async () => {
  const text = `
none: { command: [no-such-program-anywhere, "{ref}"] }
plain: { command: [./plain.sh, "{ref}"] }
beside: { command: [../bin/teller, "{ref}"] }`;
  const { ask, write, secrets } = provided({ teller: "echo $1" }, text);
  write("ops/plain.sh", "#!/bin/sh\necho $1\n");
  expect(await ask("none:x", "plain:x", "beside:x", "other:x")).toEqual([
    "none:x (its program was not found)",
    "plain:x (its program is not executable)",
  ]);
  expect(secrets.resolve(reference("beside:x"))).toBe("x");
  expect(secrets.missing([reference("other:x")])).toEqual(["other:x (no provider other is defined)"]);
});

describe("batch", () => {
  const text = "p: { command: [teller, all], protocol: batch }";
  test("an answer may begin with a byte order mark", async () => {
    const { ask, secrets } = provided({ teller: `printf '\\357\\273\\277{"values":{"a":"x"}}'` }, text);
    expect([await ask("p:a"), secrets.resolve(reference("p:a"))]).toEqual([[], "x"]);
  });

  const answering = (answer: unknown) => `cat >> "$LOG"; cat <<'X'\n${JSON.stringify(answer)}\nX`;

  test("asks once for all, and believes only what it was asked for", async () => {
    const answer = {
      values: { a: "value a", b: "", c: 5, unasked: "value", e: "value e" },
      errors: { d: "no such key: value a", e: "expired" },
    };
    const { ask, log, secrets } = provided({ teller: answering(answer) }, text);
    expect(await ask("p:a", "p:b", "p:c", "p:d", "p:e", "p:f", "p:a", "p:__proto__")).toEqual([
      "p:__proto__ (it gave no answer for this)",
      "p:b (its value is empty)",
      "p:c (its value is not a string but a number)",
      "p:d (it says: no such key: p:a)",
      "p:e (it says: expired)",
      "p:f (it gave no answer for this)",
    ]);
    expect(secrets.resolve(reference("p:a"))).toBe("value a");
    expect(secrets.known(reference("p:unasked"))).toBeUndefined();
    await ask("p:a", "p:b");
    expect(JSON.parse(log())).toEqual({ version: 1, references: ["a", "b", "c", "d", "e", "f", "__proto__"] });
  });

  test.each([
    [null, "its error is not a string but nothing"],
    [404, "its error is not a string but a number"],
    [false, "its error is not a string but false"],
    [["expired"], "its error is not a string but a list"],
    [{ message: "expired" }, "its error is not a string but a mapping"],
    [{ toString: 1, valueOf: null }, "its error is not a string but a mapping"],
    [" \n", "its error is empty"],
    [" two\n lines ", "it says: two lines"],
  ])("an error that is %j is a sentence", async (error, why) => {
    const { ask } = provided(
      { teller: answering({ values: { a: "value", b: "value b" }, errors: { a: error } }) },
      text,
    );
    expect(await ask("p:a", "p:b")).toEqual([`p:a (${why})`]);
  });

  const noAnswer = "it gave no answer for this";
  test.each([
    ["{}", noAnswer],
    ['{"values":{}}', noAnswer],
    ['{"errors":{}}', noAnswer],
    ['{"values":null}', "values and errors are not objects"],
    ['{"values":{"a":"x"},"errors":null}', "values and errors are not objects"],
    ['{"values":{"a":"x"},"errors":"no"}', "values and errors are not objects"],
    ['{"values":{"a":null}}', "its value is not a string but nothing"],
    ['{"values":{"a":["x"]}}', "its value is not a string but a list"],
    ['{"values":{"a":{"toString":1}}}', "its value is not a string but a mapping"],
    ['{"values":{"__proto__":{"a":"x"}}}', noAnswer],
    ["null", "it did not print a JSON object"],
    ['"a"', "it did not print a JSON object"],
    ["", "it did not print a JSON object"],
  ])("an answer %s is a sentence", async (answer, why) => {
    const { ask } = provided({ teller: `cat > /dev/null; printf '%s' '${answer}'` }, text);
    expect(await ask("p:a")).toEqual([`p:a (${why})`]);
  });

  test.each([
    ["prints half an object", "cat > /dev/null; printf '{\"values\":'", "it did not print a JSON object"],
    ["prints a list", "echo '[]'", "it did not print a JSON object"],
    ["prints other values", "echo '{\"values\":[]}'", "values and errors are not objects"],
    ["does not read and fails", "exit 4", "it exited with 4"],
    ["prints without end", "exec yes", "it printed more than 16 MiB"],
  ])("a program that %s gives nothing", async (_, script, why) => {
    const { ask } = provided({ teller: script }, text);
    expect(await ask("p:a", "p:b")).toEqual([`p:a (${why})`, `p:b (${why})`]);
  });
});

test("what providers print on stderr is told only where that is asked for, without secrets that are known", async () => {
  const said: string[] = [];
  const script = 'echo "asked for secret-of-$1 $1" >&2; echo "secret-of-$1"';
  const { ask } = provided({ teller: script }, each("teller", "{ref}"), (text) => said.push(text));
  await ask("p:x");
  expect(said).toEqual(["p: asked for p:x x"]);
});

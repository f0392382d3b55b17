import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dayOf } from "../../src/base/day.ts";
import { type Scene, scene } from "./workspace.ts";

const admin = (expires_at?: string) => ({ role: "admin", ...(expires_at && { expires_at }) }) as const;

function inDays(days: number): string {
  return dayOf(new Date(Date.now() + days * 86_400_000));
}

/** A workspace whose server knows the tokens `first` and `second`. */
const made = (expiry?: string) =>
  scene({
    seed: {
      projects: [{ path: "g/a" }],
      tokens: ["first", "second"].map((name) => ({ token: `${name}-CANARY`, ...admin(expiry) })),
    },
    policy: { projects: ["g/a"], licenses: { MIT: "denied" } },
  });

/** A command that prints the n-th of these tokens when it runs for the n-th time, and the last one from then on. */
function command({ root, write }: Scene, ...tokens: readonly string[]): string {
  write("runs", "");
  write(
    "token.sh",
    `#!/bin/sh\ncd "$(dirname "$0")"\nprintf x >> runs\nset -- ${tokens.join(" ")}\nn=$(wc -c < runs)\n[ $n -gt $# ] && n=$#\neval echo \\$$n\n`,
  );
  chmodSync(join(root, "token.sh"), 0o755);
  return JSON.stringify(["sh", join(root, "token.sh")]);
}

test.each([
  ["a valid token", ["first-CANARY"], 0, 1],
  ["a token that was revoked", ["old-CANARY", "second-CANARY"], 0, 2],
  ["no other token", ["old-CANARY"], 1, 2],
])("a command gives %s", async (_, tokens, code, runs) => {
  const run = await made();
  const env = { EVENKEEL_TOKEN: undefined, EVENKEEL_TOKEN_COMMAND: command(run, ...tokens) };
  const ended = await run.evenkeelWith(env, "plan");
  expect({ code: ended.code, runs: run.read("runs").length }).toEqual({ code, runs });
  expect(ended.stdout + ended.stderr).not.toContain("CANARY");
  if (code === 1) expect(ended.stderr).toContain("401 Unauthorized: the token was rejected");
});

test("a path alone is a command without arguments", async () => {
  const run = await made();
  command(run, "first-CANARY");
  const env = { EVENKEEL_TOKEN: undefined, EVENKEEL_TOKEN_COMMAND: join(run.root, "token.sh") };
  expect(await run.evenkeelWith(env, "plan")).toMatchObject({ code: 0, stderr: "" });
});

test.each([
  [
    '["sh", "-c", "echo secret-CANARY; exit 3"]',
    "the command in EVENKEEL_TOKEN_COMMAND, sh, exited with 3; with EVENKEEL_DEBUG=1",
  ],
  ['["no-such-program"]', "no-such-program, was not found"],
  ['["sh", 3]', "EVENKEEL_TOKEN_COMMAND is not a JSON list of texts; expected one like"],
  ['["true"]', "the output of EVENKEEL_TOKEN_COMMAND is empty"],
  ['["echo", "two words"]', "the output of EVENKEEL_TOKEN_COMMAND contains white space"],
])("the command %s is refused with the next step", async (text, message) => {
  const run = await made();
  const { code, stdout, stderr } = await run.evenkeelWith(
    { EVENKEEL_TOKEN: undefined, EVENKEEL_TOKEN_COMMAND: text },
    "plan",
  );
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain(message);
  expect(stderr).not.toContain("CANARY");
});

test("a command beside a token is refused", async () => {
  const run = await made();
  const { stderr } = await run.evenkeelWith({ EVENKEEL_TOKEN: "a", EVENKEEL_TOKEN_COMMAND: "b" }, "plan");
  expect(stderr).toContain("EVENKEEL_TOKEN and EVENKEEL_TOKEN_COMMAND are both set; set only one");
});

test.each([
  [14, true],
  [15, false],
])("a token that expires in %i days is reported: %s", async (days, isReported) => {
  const run = await made(inDays(days));
  const { code, stderr } = await run.evenkeelWith({ EVENKEEL_TOKEN: "first-CANARY" }, "plan");
  expect(code).toBe(0);
  const warning = `warning: the access token admin token expires on ${inDays(days)}; replace it in EVENKEEL_TOKEN before that day  (token-expiry)\n`;
  expect(stderr).toBe(isReported ? warning : "");
});

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

test("a path alone is a command without arguments", async () => {
  const run = await made();
  command(run, "first-CANARY");
  const env = { EVENKEEL_TOKEN: undefined, EVENKEEL_TOKEN_COMMAND: join(run.root, "token.sh") };
  expect(await run.evenkeelWith(env, "plan")).toMatchObject({ code: 0, stderr: "" });
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

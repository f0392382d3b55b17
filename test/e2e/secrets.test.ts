import { expect, test } from "vitest";
import { serve } from "../client/scripted.ts";
import { type Folder, folder } from "../support/folder.ts";
import type { Ended } from "../support/processes.ts";
import { runProgram, start } from "./program.ts";
import { policyText, scripted, token, workspaceText } from "./workspace.ts";

const canary = "s3cret+CANARY/of=the hook";
const declared = { webhook: { secret: "env:HOOK" }, push_events: false };

/** Every spelling of a value that a log could hold it in. */
function spellings(secret: string): string[] {
  const form = new URLSearchParams({ x: secret }).toString().slice(2);
  return [secret, encodeURIComponent(secret), form, Buffer.from(secret).toString("base64"), "CANARY"];
}

function expectNowhere(secret: string, { files }: Folder, ...ended: readonly Ended[]): void {
  const texts = [...Object.values(files()), ...ended.flatMap(({ stdout, stderr }) => [stdout, stderr])];
  for (const spelling of spellings(secret)) {
    for (const text of texts) expect(text).not.toContain(spelling);
  }
}

test("a server that repeats secret and token in its words is not repeated", async () => {
  const said = `no: ${canary}, ${encodeURIComponent(canary)}, ${JSON.stringify(canary)} and ${token}`;
  for (const answer of [
    { status: 400, body: { error: said } },
    { status: 422, body: { message: { webhook: [said] } } },
    { status: 403, body: `<html><title>${canary} ${token}</title></html>` },
    { status: 200, body: { slug: "chat-webhook-d", active: true, properties: { webhook: canary, note: said } } },
    { status: 200, body: said, headers: { "x-request-id": "r1" } },
  ]) {
    // Once it has been written to, it refuses to be read: nobody waits for a lost write to show.
    const refused = { status: 403, body: { message: said } };
    let isWritten = false;
    const made = await scripted(
      ({ method }) => {
        if (method === "GET") return isWritten ? refused : { body: [] };
        isWritten = true;
        return answer;
      },
      {
        policy: { projects: ["p"], integrations: { "chat-webhook-d": declared } },
        workspace: { ledger: "ledger.ndjson" },
        env: { HOOK: canary },
      },
    );
    const ran = await made.run("apply", "--yes", "--report", "json=applied.json");
    expect(ran.code).toBe(answer.status === 200 && typeof answer.body !== "string" ? 0 : 1);
    expect(made.server.seen.some(({ body }) => body.includes("CANARY"))).toBe(true);
    expectNowhere(canary, made, ran);
    expectNowhere(token, made, ran);
  }
});

/** A module that does something as a secret is written into a form. */
function breaking(something: string): string {
  return `const { toString } = URLSearchParams.prototype;
    URLSearchParams.prototype.toString = function () {
      const form = toString.call(this);
      const text = "not a form: " + form + process.env.EVENKEEL_TOKEN;
      if (form.includes("CANARY")) ${something};
      return form;
    };`;
}

test("what nobody foresaw is told without secrets, and with its stack only where that is asked for", async () => {
  const site = await serve(({ method }) => (method === "GET" ? { body: [] } : { body: {} }));
  const files = folder({
    "evenkeel.yaml": workspaceText({ url: site.url }),
    "all.yaml": policyText({ projects: ["p"], integrations: { "chat-webhook-d": declared } }),
    "broken.mjs": breaking("throw new TypeError(text)"),
    "later.mjs": breaking("setTimeout(() => { throw new TypeError(text); })"),
  });
  const env = { EVENKEEL_TOKEN: token, HOOK: canary };
  for (const [file, more, expected] of [
    ["broken.mjs", {}, /not a form: =env:HOOK\[token\] \(set EVENKEEL_DEBUG=1 for a stack trace\)\n$/],
    ["broken.mjs", { EVENKEEL_DEBUG: "1" }, /not a form: =env:HOOK\[token\]\n +at /],
    ["later.mjs", {}, /not a form: =env:HOOK\[token\] \(set EVENKEEL_DEBUG=1 for a stack trace\)\n$/],
  ] as const) {
    const injected = { NODE_OPTIONS: `--import=${files.root}/${file}`, ...env, ...more };
    const ran = await start(["apply", "--yes"], files.root, injected).ended;
    expect(ran.stderr).toMatch(expected);
    expect(ran.code).toBe(1);
    for (const spelling of [...spellings(canary), ...spellings(token)]) expect(ran.stderr).not.toContain(spelling);
  }
  const misread = await runProgram(["plan", `--token=${token}`], files.root, env);
  expect(misread).toMatchObject({ code: 64, stderr: expect.stringContaining("unknown option '--token'") });
  expect(misread.stderr).not.toContain(token);
});

test("a server gets no secret of this machine by naming it in a row that an update repeats", async () => {
  const names = ["env:AWS_KEY", "file:deploy.key"];
  const row = {
    ...{ id: 1, description: "nightly", ref: "main", cron: "0 1 * * *", cron_timezone: "UTC", active: true },
    inputs: names.map((secret) => ({ name: { secret }, value: "x" })),
  };
  const { run, server, write } = await scripted(
    ({ method, path }) =>
      method === "GET"
        ? { body: path.endsWith("pipeline_schedules?per_page=100") ? [row] : row }
        : { body: { ...row, cron: "0 2 * * *", inputs: [] } },
    {
      site: { dialect: "gitlab", release: "19.9" },
      policy: { projects: ["p"], pipeline_schedules: { nightly: { ref: "main", cron: "0 2 * * *", inputs: [] } } },
      env: { AWS_KEY: canary },
    },
  );
  write("deploy.key", canary);
  expect((await run("apply", "--yes")).code).toBe(0);
  const sent = server.seen.filter(({ method }) => method === "PUT").map(({ body }) => body);
  expect(sent).toEqual([expect.stringContaining('"destroy":true')]);
  for (const spelling of spellings(canary)) expect(sent.join()).not.toContain(spelling);
});

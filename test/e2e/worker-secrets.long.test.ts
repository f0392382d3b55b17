import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import pg from "pg";
import { expect, test } from "vitest";
import { withDatabase } from "../state/databases.ts";
import { folder } from "../support/folder.ts";
import { until } from "../support/until.ts";
import { type Environment, start } from "./program.ts";
import { changeOf, scene, token, told } from "./workspace.ts";

await withDatabase("secrets of workers", (database) => {
  let count = 0;

  /** A workspace with one hook of each secret, in a ledger of the state, and one worker of it. */
  async function fleet(hooks: readonly string[], forWorker: Environment, forRun: Environment = {}, latency = 0) {
    const projects = hooks.map((_, index) => ({ path: `group/p${index}` }));
    const policyOf = (secret: string, index: number) => ({
      projects: [`group/p${index}`],
      integrations: { "chat-webhook-d": { webhook: { secret }, push_events: true } },
    });
    const policies = Object.fromEntries(hooks.map((secret, index) => [`p${index}`, policyOf(secret, index)]));
    const workspace = { requestTimeout: "4s", ledger: "state", name: `worker-secrets-${++count}` };
    const made = await scene({ projects, policies, workspace, latency });
    const own = { EVENKEEL_TOKEN: token, EVENKEEL_STATE: database.url(), EVENKEEL_LEASE: "6s" };
    const env = { ...own, EVENKEEL_LEDGER_KEY: "a-key-of-this-test", ...forRun };
    const worker = start(["worker", "--concurrency", "2"], made.root, {
      ...made.environment,
      ...own,
      EVENKEEL_LEDGER_KEY: "a-key-of-this-test",
      ...forWorker,
    });
    await until(() => worker.said().includes("Ready to work"));
    return {
      ...made,
      worker,
      env,
      evenkeelWith: (more: Environment, ...args: string[]) => made.evenkeelWith({ ...env, ...more }, ...args),
    };
  }

  const hook = "group/p0:integration/chat-webhook-d";
  const applied = ["apply", "--yes", "--workers", "--report", "json"] as const;

  test("are those of a run: one that was rotated is sent, and one that could not be had is asked for again", async () => {
    const place = folder({});
    const file = join(place.root, "hook");
    place.write(
      "vault.mjs",
      `import { readFileSync } from "node:fs";\nprocess.stdout.write(readFileSync("${file}", "utf8"));\n`,
    );
    place.write("providers.yaml", `v: { command: ["${process.execPath}", "${place.root}/vault.mjs", "{ref}"] }\n`);
    const providers = { EVENKEEL_SECRET_PROVIDERS: join(place.root, "providers.yaml") };
    const made = await fleet([`file:${file}`, "v:hook"], providers, providers);
    const evenkeel = (...args: string[]) => made.evenkeelWith({}, ...args);
    const failed = await evenkeel(...applied);
    expect(failed.code).toBe(1);
    expect(changeOf(failed.plan(), hook).outcome?.error).toMatch(
      /cannot be resolved: file:.* \(no such file or folder\)/,
    );
    for (const value of ["https://one.example.com", "https://two.example.com"]) {
      writeFileSync(file, value);
      expect(told((await evenkeel("plan", "--report", "json")).plan())).toHaveLength(2);
      expect(await evenkeel(...applied)).toMatchObject({ code: 0, stderr: "", writes: 2 });
      expect(await evenkeel("drift")).toMatchObject({ code: 0 });
    }
    rmSync(file);
    expect(await evenkeel(...applied, "--resend", "*")).toMatchObject({ code: 1, writes: 0 });
  });

  test("are compared by one key of the ledger: a worker with another one ends, and the run goes on", async () => {
    const HOOK = "https://chat.example.com/hooks/a";
    const own = { EVENKEEL_LEDGER_KEY: "another-key-of-this-test" };
    const made = await fleet(["env:HOOK"], { HOOK, ...own }, { HOOK, EVENKEEL_WORKER_WAIT: "1s" });
    expect(await made.evenkeelWith({}, ...applied)).toMatchObject({ code: 0, writes: 1 });
    expect(await made.worker.ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("the worker has another key of the ledger; set the same EVENKEEL_LEDGER_KEY"),
    });
  });

  test("are in no table of the state and of the queue, at no moment of an apply", async () => {
    const HOOK = "https://chat.example.com/hooks/c4nary-0f-hook";
    const made = await fleet(
      Array.from({ length: 6 }, () => "env:HOOK"),
      { HOOK },
      { HOOK },
      100,
    );
    const client = new pg.Client(database.url());
    await client.connect();
    const seen = new Set<string>();
    let text = "";
    const look = async () => {
      const tables = await client.query(
        "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname LIKE 'evenkeel%'",
      );
      for (const { name } of tables.rows) {
        const { rows } = await client.query(`SELECT t::text AS row FROM ${name} AS t`);
        if (rows.length > 0) seen.add(name);
        for (const { row } of rows) text += ` ${row} ${unpacked(row)}`;
      }
    };
    const applied = made.evenkeelWith({}, "apply", "--yes", "--workers");
    let isOver = false;
    const over = applied.finally(() => {
      isOver = true;
    });
    while (!isOver) await look();
    expect(await over).toMatchObject({ code: 0, writes: 6 });
    await look();
    await client.end();
    expect([...seen]).toEqual(expect.arrayContaining(["evenkeel.document", "evenkeel.line"]));
    expect([...seen].some((name) => name.startsWith("evenkeel_queue."))).toBe(true);
    expect(text).toContain("env:HOOK");
    for (const secret of [HOOK, token]) {
      const bytes = Buffer.from(secret);
      const hash = (form: "hex" | "base64") => createHash("sha256").update(secret).digest(form);
      const forms = [secret, encodeURIComponent(secret), bytes.toString("hex"), hash("hex"), hash("base64")];
      const inBase64 = bytes.toString("base64").slice(0, -4);
      for (const form of [...forms, inBase64, secret.slice(-12)]) expect(text).not.toContain(form);
    }
  });
});

/** What a row holds that is packed: bytes are shown in hex. */
function unpacked(row: string): string {
  return (row.match(/\\x1f8b[0-9a-f]+/g) ?? [])
    .map((hex) => String(gunzipSync(Buffer.from(hex.slice(2), "hex"))))
    .join();
}

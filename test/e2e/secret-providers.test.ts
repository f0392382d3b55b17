import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder, tempFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";
import { changeOf, outcomes, scene, told } from "./workspace.ts";

const canary = "s3cret-PIGEON-of-the-vault";

/** A vault that logs each call and its references, and knows what lies in its folder. */
function vault() {
  const place = tempFolder();
  const [program, log, file] = ["vault.mjs", "log", "providers.yaml"].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(
    program,
    `#!${process.execPath}
import { appendFileSync, existsSync, readFileSync } from "node:fs";
const [, , ...args] = process.argv;
const known = (name) => existsSync("${place}/" + encodeURIComponent(name)) && readFileSync("${place}/" + encodeURIComponent(name), "utf8");
const log = (names) => appendFileSync("${log}", names.join(",") + "\\n");
if (args[0] === "get") {
  log([args[1]]);
  const value = known(args[1]);
  console.error("looked for " + args[1] + ": " + value);
  if (!value) process.exit(2);
  console.log(value);
} else {
  const { references } = JSON.parse(readFileSync(0, "utf8"));
  log(references);
  const values = Object.fromEntries(references.filter(known).map((name) => [name, known(name)]));
  const errors = Object.fromEntries(references.filter((name) => !known(name)).map((name) => [name, "no such secret"]));
  console.log(JSON.stringify({ version: 1, values, errors }));
}
`,
  );
  chmodSync(program, 0o755);
  writeFileSync(
    file,
    `vault: { command: [./vault.mjs, get, "{ref}"] }\nbatch: { command: [./vault.mjs], protocol: batch }\n`,
  );
  return {
    file,
    env: { EVENKEEL_SECRET_PROVIDERS: file },
    put: (name: string, value: string) => writeFileSync(join(place, encodeURIComponent(name)), value),
    /** Since the last time. */
    calls: () => {
      const lines = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").filter(Boolean).sort() : [];
      writeFileSync(log, "");
      return lines;
    },
  };
}

const hook = (secret: string) => ({ "chat-webhook-d": { webhook: { secret }, push_events: true } });

test("only apply asks, once for each reference; the values are in the requests alone", async () => {
  const { env, put, calls } = vault();
  put("a/p/hook", `${canary}-p`);
  put("a/q/hook", `${canary}-q`);
  const policy = {
    projects: ["a/*"],
    vars: { place: "hook" },
    integrations: hook("vault:${project.path}/${vars.place}"),
  };
  const projects = [{ path: "a/p" }, { path: "a/q" }];
  const made = await scene({ projects, policy, secrets: env, workspace: { concurrency: 2 } });
  const { evenkeel, ask } = made;
  expect(await evenkeel("validate")).toMatchObject({ code: 0, stderr: "" });
  const planned = await evenkeel("plan", "--out", "plan.json");
  expect(planned).toMatchObject({ code: 0, stderr: "" });
  expect(planned.stdout).toContain("webhook: (secret vault:a/p/hook)");
  const ran = [planned, await evenkeel("drift"), await evenkeel("apply", "--dry-run"), await evenkeel("show", "a/p")];
  expect(calls()).toEqual([]);
  ran.push(await evenkeel("apply", "plan.json", "--report", "json=applied.json"));
  expect(ran.at(-1)).toMatchObject({ code: 0, writes: 2 });
  expect(calls()).toEqual(["a/p/hook", "a/q/hook"]);
  const stored = await ask("GET", "/projects/a%2Fq/integrations/chat-webhook-d");
  expect(stored.json.active).toBe(true);
  expect(await evenkeel("apply", "--yes")).toMatchObject({ code: 0, writes: 0 });
  expect(calls()).toEqual([]);
  ran.push(await evenkeel("apply", "--yes", "--resend", "*", "--report", "html=page.html"));
  expect(ran.at(-1)).toMatchObject({ code: 0, writes: 2 });
  const texts = [...Object.values(made.files()), ...ran.flatMap(({ stdout, stderr }) => [stdout, stderr])];
  expect(texts.filter((text) => text.includes("PIGEON"))).toEqual([]);
});

test("all that providers do not give is named at once, before the first write", async () => {
  const { env, put, calls } = vault();
  put("there", canary);
  const policies = {
    a: { projects: ["p"], integrations: hook("vault:there") },
    b: { projects: ["q"], integrations: hook("vault:gone") },
    c: { projects: ["r"], integrations: hook("batch:gone") },
    d: { projects: ["s"], integrations: hook("env:NONE") },
  };
  const projects = ["p", "q", "r", "s"].map((path) => ({ path }));
  const { evenkeel, evenkeelWith } = await scene({ projects, policies, secrets: env });
  const failed = await evenkeel("apply", "--yes");
  expect(failed).toMatchObject({ code: 1, writes: 0 });
  const needed = failed.stderr.match(/cannot be resolved: (.*?) {2}/g)?.map((each) => each.slice(20).trim());
  expect(needed).toEqual([
    "batch:gone (it says: no such secret)",
    "env:NONE (not set)",
    "vault:gone (it exited with 2)",
  ]);
  expect(failed.stderr).not.toContain("PIGEON");
  expect(calls()).toEqual(["gone", "gone", "there"]);
  const debugged = await evenkeelWith({ EVENKEEL_DEBUG: "1" }, "apply", "--yes");
  expect(debugged.stderr).toContain("vault: looked for there: vault:there\n");
  const unset = await evenkeelWith({ EVENKEEL_SECRET_PROVIDERS: "" }, "apply", "--yes");
  expect(unset.stderr).toContain("vault:there (EVENKEEL_SECRET_PROVIDERS is not set)");
  const planned = await evenkeelWith({ EVENKEEL_SECRET_PROVIDERS: "" }, "plan");
  expect(planned).toMatchObject({ code: 0 });
  expect(planned.stderr).toContain("vault:there (EVENKEEL_SECRET_PROVIDERS is not set)");
});

test("a ledger's comparison asks too: a secret that was rotated in the vault is sent, by plan and apply in one call", async () => {
  const { env, put, calls } = vault();
  put("x", "first value");
  put("y", "other value");
  const policies = {
    a: { projects: ["p"], integrations: hook("batch:x") },
    b: { projects: ["q"], integrations: hook("batch:y") },
  };
  const projects = [{ path: "p" }, { path: "q" }];
  const { evenkeel } = await scene({ projects, policies, secrets: env, workspace: { ledger: "l.ndjson" } });
  expect(await evenkeel("apply", "--yes")).toMatchObject({ code: 0, writes: 2 });
  expect(calls()).toEqual(["x,y"]);
  expect((await evenkeel("drift")).code).toBe(0);
  put("x", canary);
  const rotated = (await evenkeel("plan", "--report", "json")).plan();
  expect(told(rotated)).toEqual(["update p:integration/chat-webhook-d"]);
  expect(calls()).toEqual(["x,y", "x,y"]);
  put("y", "");
  const applied = await evenkeel("apply", "--yes", "--report", "json");
  expect(outcomes(applied.plan())).toEqual(["applied p:integration/chat-webhook-d"]);
  expect(changeOf(applied.plan(), "p:integration/chat-webhook-d").change.after).toEqual({
    webhook: { secret: "batch:x" },
  });
  expect(applied.stderr).toContain("could not be compared: batch:y (it says: no such secret)");
  expect(applied.stdout + applied.stderr).not.toContain("PIGEON");
  expect(calls()).toEqual(["x,y"]);
});

test("mistakes in the file have their place, and matter where a reference needs it; an unknown provider is one of the manifest", async () => {
  const files = folder();
  const file = join(files.root, "ops.yaml");
  const made = await scene({
    policy: { projects: ["p"], integrations: hook("vaul:x") },
    secrets: { EVENKEEL_SECRET_PROVIDERS: file },
  });
  const validated = async (text: string) => {
    files.write("ops.yaml", text);
    const { stderr } = await made.evenkeel("validate");
    return stderr
      .replaceAll(file, "ops.yaml")
      .replace(/^error: /gm, "")
      .trimEnd()
      .split("\n");
  };
  expect((await made.evenkeel("plan")).stderr).toContain(
    `${file}:1:1  cannot be read (no such file or folder)  (unreadable)`,
  );
  expect(await validated("vault: { command: [vault, '{ref}'] }\n")).toEqual([
    "all.yaml:5:54  integrations.chat-webhook-d.webhook.secret  no provider vaul is defined in the file that EVENKEEL_SECRET_PROVIDERS names; did you mean vault?  (secret-provider)",
  ]);
  const mistakes = `
env: { command: [x] }
a: { comand: [x], timeout: 0s }
b: { command: "x {ref}" }
c: { command: [x, y] }
d: { command: ["x-{ref}"] }
e: { command: [x, "{ref}"], protocol: batsh }
f: { command: [x, "{ref}"], protocol: batch }
g: []
`;
  expect(await validated(mistakes)).toEqual([
    expect.stringMatching(
      /^ops.yaml:2:1 {2}env {2}unknown key env; expected a provider's name: lower-case .* are reserved {2}\(unknown-key\)$/,
    ),
    "ops.yaml:3:1  a.command  missing command  (missing-key)",
    "ops.yaml:3:6  a.comand  unknown key comand; did you mean command?  (unknown-key)",
    "ops.yaml:3:28  a.timeout  expected a duration such as 500ms, 30s, 2m or 1h  (wrong-value)",
    "ops.yaml:4:15  b.command  expected a list of a program and its arguments, got a string  (wrong-type)",
    "ops.yaml:5:15  c.command  no argument has {ref}, which the reference takes the place of  (wrong-value)",
    "ops.yaml:6:16  d.command[0]  the program itself cannot depend on {ref}  (wrong-value)",
    'ops.yaml:7:39  e.protocol  expected one of each, batch, got "batsh"; did you mean batch?  (wrong-value)',
    "ops.yaml:8:19  f.command[1]  batch gets its references on stdin, not by {ref}  (wrong-value)",
    "ops.yaml:9:4  g  expected a mapping with command, got an empty list  (wrong-type)",
  ]);
  expect(await validated("a: [")).toEqual([expect.stringMatching(/^ops.yaml:\d+:\d+ {2}.*\(yaml\)$/)]);
  expect(await validated("")).toEqual([expect.stringContaining("cannot be read (an empty file)")]);
  expect(await validated("# nothing")).toEqual([
    "ops.yaml:1:1  expected a mapping from names to providers  (wrong-type)",
  ]);
  made.policy({ projects: ["p"], integrations: hook("env:HOOK") });
  expect(await validated("a: [")).toEqual([""]);
});

test("a file inside the workspace is warned of: whoever edits manifests could choose what is run", async () => {
  const policy = { projects: ["p"], integrations: hook("vault:x") };
  const made = await scene({ policy });
  made.write("ops.yaml", "vault: { command: [vault, '{ref}'] }\n");
  const ran = await made.evenkeelWith({ EVENKEEL_SECRET_PROVIDERS: join(made.root, "ops.yaml") }, "validate");
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.stderr).toMatch(
    /ops.yaml:1:1 {2}the file of secret providers is inside the workspace or its repository, .*\(secret-providers\)/,
  );
});

test("a hostile server cannot choose a file or an argument by the name of a project", async () => {
  const made = await scene({
    projects: [{ path: "a/--help" }, { path: "a/../../etc" }, { path: "a/good.one" }],
    policy: { projects: ["a/**"], integrations: hook("file:hooks/${project.path}") },
  });
  const ran = await made.evenkeel("plan");
  expect(ran.code).toBe(1);
  expect(ran.stderr.match(/the path of project (\S+) cannot stand in a secret reference/g)).toHaveLength(2);
});

test("a signal ends a run that waits for a provider, and the provider with it; nothing was written", async () => {
  const files = folder({ "ops.yaml": "slow: { command: [./slow.sh, '{ref}'] }" });
  files.write("slow.sh", `#!/bin/sh\nsleep 100 & echo $$ $! > ${files.root}/pids; wait\n`);
  chmodSync(join(files.root, "slow.sh"), 0o755);
  const made = await scene({
    projects: [{ path: "p" }],
    policy: { projects: ["p"], integrations: hook("slow:x") },
    secrets: { EVENKEEL_SECRET_PROVIDERS: join(files.root, "ops.yaml") },
  });
  const running = made.begin("apply", "--yes");
  await until(() => (files.files().pids ?? "").endsWith("\n"));
  running.kill("SIGTERM");
  expect((await running.ended).code).toBe(130);
  expect(made.server.requests.writes).toBe(0);
  const pids = files.read("pids").trim().split(" ");
  await until(() =>
    pids.every(
      (pid) => !existsSync(`/proc/${pid}`) || /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8")),
    ),
  );
});

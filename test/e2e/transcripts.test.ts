import { readdirSync, readFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { ServerOptions } from "../../src/server/server.ts";
import { ask, type Serving, serving } from "../server/serving.ts";
import { type Folder, folder } from "../support/folder.ts";
import { type Ended, runProcess } from "../support/processes.ts";
import { type Environment, runProgram } from "./program.ts";
import { token } from "./workspace.ts";

type Texts = Readonly<Record<string, string>>;

/** One thing that happens; test/cases/README.md explains the words. */
interface Step {
  readonly title?: string;
  readonly setup?: string;
  readonly run?: string | readonly string[];
  readonly env?: Readonly<Record<string, string | null>>;
  readonly reads?: boolean;
  readonly write?: Texts;
  readonly sh?: string;
  readonly ask?: string;
  readonly json?: object;
  readonly form?: Texts;
}

interface Scenario {
  readonly name: string;
  readonly server?: ServerOptions;
  readonly env?: Texts;
  readonly files: Texts;
  readonly steps: readonly Step[];
}

interface Scene {
  readonly url: string;
  readonly requests: Serving["server"]["requests"];
  readonly place: Folder;
  readonly env: Texts;
  /** The run that was named last. */
  run: string;
}

const runName = /\d{8}T\d{6}Z-[0-9a-f]{4}/g;

const cases = join(import.meta.dirname, "../cases/commands");
const names = readdirSync(cases).flatMap((file) => (file.endsWith(".yaml") ? [basename(file, ".yaml")] : []));

test.each(names)("the transcript of %s is the golden one", async (name) => {
  const scenarios: readonly Scenario[] = parse(readFileSync(join(cases, `${name}.yaml`), "utf8"), { merge: true });
  const transcripts: string[] = [];
  for (const scenario of scenarios) transcripts.push(`# ${scenario.name}\n\n${await transcriptOf(scenario)}`);
  await expect(transcripts.join("\n")).toMatchFileSnapshot(join(cases, `${name}.txt`));
});

async function transcriptOf({ server: options = {}, env = {}, files, steps }: Scenario): Promise<string> {
  const { url, requests } = (await serving({ keepRequests: 10_000, ...options, token })).server;
  const place = folder(mapValues(files, (text) => text.replaceAll("http://SERVER", url)));
  const scene = { url, requests, place, env: { EVENKEEL_TOKEN: token, ...env }, run: "" };
  const parts: string[] = [];
  for (const step of steps) parts.push(await play(step, scene));
  return steady(parts.filter((part) => part !== "").join("\n"), scene);
}

async function play(step: Step, scene: Scene): Promise<string> {
  const { place, url } = scene;
  for (const [file, text] of Object.entries(step.write ?? {})) place.write(file, text.replaceAll("http://SERVER", url));
  if (step.sh !== undefined) return await runShell(step.sh, scene);
  if (step.ask !== undefined) return await askServer(step.ask, step, url);
  const line = step.run ?? step.setup;
  if (line === undefined) return "";
  const words = (typeof line === "string" ? line.split(" ") : line).map((word) =>
    word.replaceAll("http://SERVER", url).replaceAll("RUN", scene.run),
  );
  const ran = await runIn(scene, words, step);
  scene.run = ran.run ?? scene.run;
  const set = Object.entries(step.env ?? {}).map(([name, value]) => `${name}=${value ?? ""} `);
  const head = `${step.title ? `## ${step.title}\n` : ""}$ ${set.join("")}evenkeel ${words.join(" ")}\n`;
  return step.setup === undefined ? head + ran.told : `${head}= ${ran.code}\n`;
}

async function askServer(line: string, { json, form }: Step, url: string): Promise<string> {
  const [method = "", path = ""] = line.split(" ");
  const answered = await ask(url, method, path, { token, ...(json && { json }), ...(form && { form }) });
  const body = method === "GET" ? `${JSON.stringify(answered.json)}\n` : "";
  return `$ ${line}\n${body}= ${answered.status}\n`;
}

/** Git with an author and a date, and without anybody's own settings. */
const git = {
  ...{ GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_COUNT: "1" },
  ...{ GIT_CONFIG_KEY_0: "init.defaultBranch", GIT_CONFIG_VALUE_0: "main" },
  ...{ GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "ada@example.com", GIT_AUTHOR_DATE: "2026-02-03T04:05:06Z" },
  ...{ GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "ada@example.com", GIT_COMMITTER_DATE: "2026-02-03T04:05:06Z" },
};

async function runShell(script: string, { place, url, run }: Scene): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: place.root, SERVER: url, RUN: run, ...git };
  const { code, stdout, stderr } = await runProcess("sh", ["-c", script], { cwd: place.root, env }).ended;
  const lines = linesOf(script).map((line) => `% ${line}\n`);
  return [...lines, stdout, stderr, code === 0 ? "" : `= ${code}\n`].join("");
}

/** Runs the program, and tells all that it printed, wrote and sent. */
async function runIn({ place, url, requests, env }: Scene, words: readonly string[], { env: more = {}, reads }: Step) {
  const own = Object.fromEntries(Object.entries(more).filter((entry): entry is [string, string] => entry[1] !== null));
  const unset = Object.fromEntries(Object.keys(more).map((name) => [name, undefined]));
  const here = (text: string) => text.replaceAll("http://SERVER", url).replaceAll("ROOT", place.root);
  const all = { ...mapValues(env, here), ...unset, ...mapValues(own, here) };
  const before = place.files();
  requests.reset();
  const ended = await runProgram(words, place.root, all);
  const after = place.files();
  const written = Object.keys(after).flatMap((file) => (after[file] === before[file] ? [] : [after[file] ?? ""]));
  expect(leaked(all, [ended.stdout, ended.stderr, ...written]), words.join(" ")).toEqual([]);
  const run = `${ended.stdout}${ended.stderr}`.match(runName)?.at(-1);
  return { code: ended.code, run, told: toldOf(ended, changesOf(before, after), requests.kept, reads) };
}

/** Secrets of the environment that are in a text, and marks of those that the server has. */
function leaked(env: Environment, texts: readonly string[]): readonly string[] {
  const names = Object.keys(env).filter((name) => !/^(?:CI_|GITHUB_|EVENKEEL_(?!TOKEN$))/.test(name));
  const values = names.flatMap((name) => env[name] ?? []).filter((value) => value.length > 3);
  return [...values, "CANARY"].filter((value) => texts.some((text) => text.includes(value)));
}

function toldOf(
  { code, stdout, stderr }: Ended,
  changes: readonly string[],
  requests: readonly { readonly method: string; readonly path: string; readonly query: string }[],
  withReads = false,
): string {
  const reads = requests.filter(({ method }) => method === "GET");
  const shown = withReads ? requests : requests.filter(({ method }) => method !== "GET");
  const sent = shown.map(({ method, path, query }) => {
    const below = decodeURIComponent(path.replace("/api/v4", ""));
    return `> ${method} ${below}${query && `?${query}`}\n`;
  });
  const complaints = linesOf(stderr).map((line) => `! ${line}\n`);
  return [readable(stdout), ...complaints, ...changes, ...sent.toSorted(), `= ${code}, ${reads.length} reads\n`].join(
    "",
  );
}

const linesOf = (text: string) => text.split("\n").filter((line) => line !== "");

/** Files that a run wrote or removed: of manifests and other texts the lines that came and went. */
function changesOf(before: Texts, after: Texts): readonly string[] {
  const files = Object.keys({ ...before, ...after }).filter(
    (file) => !/^(?:ws\/)?\.evenkeel\/|(?:^|\/)\.git\//.test(file),
  );
  return files.toSorted().flatMap((file) => {
    const [was, is] = [before[file], after[file]];
    if (was === is) return [];
    const head = `${is === undefined ? "-" : was === undefined ? "+" : "~"} ${file}\n`;
    if (!/\.(?:ya?ml|md|txt)$/.test(file)) return [head];
    const lacking = (text = "", other = "", sign: string) =>
      linesOf(text).flatMap((line) => (linesOf(other).includes(line) ? [] : [`  ${sign} ${line}\n`]));
    return [head, ...lacking(was, is, "-"), ...lacking(is, was, "+")];
  });
}

/** Keys of documents that say nothing of what a case is about. */
const left = ["format_version", "evenkeel_version", "server", "manifests", "digest", "created_at"];

/** A document of JSON as one line for each of its keys, or each item of a list; any other text as it is. */
function readable(stdout: string): string {
  if (!/^[[{]/.test(stdout)) return stdout;
  const document: object = JSON.parse(stdout);
  const entries = Array.isArray(document) ? [["", document] as const] : Object.entries(document);
  const lines = entries.map(([key, value]) => {
    if (left.includes(key) || (Array.isArray(value) && value.length === 0)) return "";
    if (!Array.isArray(value)) return `${key}: ${JSON.stringify(value)}\n`;
    return `${key}:\n${value.map((item) => `  ${JSON.stringify(item)}\n`).join("")}`;
  });
  return lines.join("");
}

/** A text without what differs from run to run. */
function steady(text: string, { url, place }: Scene): string {
  return text
    .replaceAll("\r", "\\r")
    .replaceAll("\u001b", "\\e")
    .replaceAll(url, "http://SERVER")
    .replaceAll(new URL(url).host, "SERVER")
    .replaceAll(place.root, "ROOT")
    .replaceAll(`${userInfo().username}@${hostname()}`, "WHO@HOST")
    .replaceAll(`"who":"${userInfo().username}","host":"${hostname()}"`, '"who":"WHO","host":"HOST"')
    .replaceAll(`"host":"${hostname()}"`, '"host":"HOST"')
    .replace(runName, "RUN")
    .replace(/sha256:[0-9a-f]{8,}/g, "DIGEST")
    .replace(/(?<!@)\b(?:[0-9a-f]{40}|[0-9a-f]{12})\b/g, "SHA")
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "TIME")
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?(?: UTC)?/g, "TIME")
    .replace(/"short_id":"\w+"/g, '"short_id":"SHA"')
    .replace(/[\d.]+ s(?= {2}\(run RUN\))/g, "N s")
    .replace(/ \(tried \d+ times\)/g, "");
}

function mapValues(values: Texts, change: (text: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
}

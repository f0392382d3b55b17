import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parse } from "yaml";
import { root } from "../readme.ts";
import { runProcess } from "../support/processes.ts";
import { type Ran, runScript, type Variables } from "./shell.ts";

const require = createRequire(import.meta.url);
const { bin } = require("gitlab-ci-local/package.json");
const program = require.resolve(`gitlab-ci-local/${typeof bin === "string" ? bin : bin["gitlab-ci-local"]}`);

/** The jobs of a pipeline by the rules of its file, or what is wrong with the file by the forge's published schema. */
export async function jobsOf(folder: string, file: string, variables: Variables): Promise<readonly string[] | string> {
  const own = Object.keys(variables).filter((name) => name.startsWith("CI_"));
  const more = Object.entries(variables).flatMap(([name, value]) => ["--variable", `${name}=${value}`]);
  const args = ["--file", file, "--list-csv", "--ignore-predefined-vars", own.join(","), ...more];
  const { code, stdout, stderr } = await runProcess(process.execPath, [program, ...args], { cwd: folder }).ended;
  if (code !== 0) return stderr || stdout;
  const rows = stdout.split("\n").filter((line) => /^[\w-]+;/.test(line));
  return rows.slice(1).map((line) => line.split(";")[0] ?? "");
}

/** A pipeline with all that it includes, and with inputs filled in; or what is wrong with it. */
export async function expandPipeline(folder: string, file: string): Promise<string> {
  const args = ["--file", file, "--preview"];
  const { stdout, stderr } = await runProcess(process.execPath, [program, ...args], { cwd: folder }).ended;
  const [, text = stderr] = stdout.split("---\n");
  return text.replaceAll("/opt/evenkeel/", `${root}/`);
}

interface Artifacts {
  readonly paths?: readonly string[];
  readonly reports?: Readonly<Record<string, string | readonly string[]>>;
}

interface Job {
  readonly script?: readonly string[];
  readonly after_script?: readonly string[];
  readonly variables?: Variables;
  readonly artifacts?: Artifacts;
}

export interface JobRan {
  readonly exit: number | null;
  readonly ran: readonly Ran[];
  /** Files that are to be artifacts and are not there. */
  readonly lacking: readonly string[];
  /** What its dotenv report hands on. */
  readonly handed: Variables;
  readonly folder: string;
}

export interface Setting {
  readonly folder: string;
  readonly variables: Variables;
  readonly bin: string;
}

/** The variables of a job beside those that it is given: the file's and its own, with references filled in. */
function variablesOf(file: string, name: string, given: Variables): Variables {
  const { variables = {}, ...rest } = parse(file, { merge: true });
  const job: Job = rest[name];
  const filled = (text: string) => text.replace(/\$(\w+)/g, (_, each: string) => given[each] ?? "");
  const own = Object.entries({ ...variables, ...job.variables }).map(([key, value]) => [key, filled(String(value))]);
  return {
    ...Object.fromEntries(own),
    ...given,
    ...Object.fromEntries(own.filter(([key]) => key && key in (job.variables ?? {}))),
  };
}

/** Runs a job's script, and what it does after it. */
export async function runJob(file: string, name: string, { folder, variables: given, bin }: Setting): Promise<JobRan> {
  const job: Job = parse(file, { merge: true })[name];
  const variables = { CI_PROJECT_DIR: folder, ...variablesOf(file, name, given) };
  const main = await runScript((job.script ?? []).join("\n"), folder, variables, bin);
  const after = job.after_script ? [await runScript(job.after_script.join("\n"), folder, variables, bin)] : [];
  const { paths = [], reports = {} } = job.artifacts ?? {};
  const lacking = [...paths, ...Object.values(reports).flat()].filter((path) => !existsSync(join(folder, path)));
  return { exit: main.exit, ran: [main, ...after], lacking, handed: handedBy(folder, reports), folder };
}

function handedBy(folder: string, { dotenv }: { readonly dotenv?: unknown }): Variables {
  if (typeof dotenv !== "string" || !existsSync(join(folder, dotenv))) return {};
  const lines = readFileSync(join(folder, dotenv), "utf8").trimEnd().split("\n");
  return Object.fromEntries(lines.map((line) => line.split("=") as [string, string]));
}

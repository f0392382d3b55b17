import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type * as Expressions from "@actions/expressions";
import type * as Parser from "@actions/workflow-parser";
import type { parseAction } from "@actions/workflow-parser/actions/action-parser";
import { build } from "esbuild";
import { inject } from "vitest";
import { parse } from "yaml";
import { read, root } from "../readme.ts";
import { tempFolder } from "../support/folder.ts";
import { type Ran, runScript, type Variables } from "./shell.ts";

type Published = typeof Parser & { readonly parseAction: typeof parseAction; readonly expressions: typeof Expressions };

/** The forge's own parser and expressions; bundled, since they import JSON in a way that Node 20 does not know. */
async function published(): Promise<Published> {
  const contents = `export * from "@actions/workflow-parser";
    export { parseAction } from "@actions/workflow-parser/actions/action-parser";
    export * as expressions from "@actions/expressions";`;
  const outfile = join(inject("scratch"), "workflow-parser.cjs");
  const stdin = { contents, resolveDir: root };
  await build({ stdin, bundle: true, format: "cjs", platform: "node", outfile, logLevel: "error" });
  return createRequire(import.meta.url)(outfile);
}

const {
  parseWorkflow,
  convertWorkflowTemplate,
  parseAction: parseActionFile,
  NoOperationTraceWriter,
  expressions,
} = await published();

/** What the forge's own parser says against a workflow. */
export async function workflowFaults(text: string): Promise<readonly string[]> {
  const { context, value } = parseWorkflow({ name: "workflow.yml", content: text }, new NoOperationTraceWriter());
  if (value) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}

/** The same of a composite action. */
export function actionFaults(text: string): readonly string[] {
  const { context } = parseActionFile({ name: "action.yml", content: text }, new NoOperationTraceWriter());
  return context.errors.getErrors().map(({ message }) => message);
}

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly env?: Variables;
}

interface Job {
  readonly if?: string;
  readonly needs?: string;
  readonly environment?: string;
  readonly outputs?: Variables;
  readonly env?: Variables;
  readonly steps: readonly Step[];
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

interface Workflow {
  readonly env?: Variables;
  readonly jobs: Readonly<Record<string, Job>>;
}

/** What happened, and what the forge holds for it. */
export interface Happening {
  readonly github: Readonly<Record<string, unknown>>;
  readonly inputs?: Variables;
  readonly vars?: Variables;
  /** Of the repository; empty for a fork. */
  readonly secrets: Variables;
  /** Of each environment, for the jobs that name it. */
  readonly environments?: Readonly<Record<string, Variables>>;
  readonly variables: Variables;
  readonly checkout: () => string;
  readonly bin: string;
}

type Artifacts = Map<string, string>;

export interface JobRan {
  readonly exit: number;
  readonly ran: readonly Ran[];
  readonly outputs: Variables;
  readonly summary: string;
  /** Files that `upload-artifact` was told of and that are not there. */
  readonly lacking: readonly string[];
  readonly folder: string;
}

/** Runs the jobs that a happening starts, one after the other as `needs` says; jobs that it does not start are left out. */
export async function runWorkflow(text: string, happening: Happening): Promise<Readonly<Record<string, JobRan>>> {
  const { jobs, env = {} }: Workflow = parse(text);
  const ran: Record<string, JobRan> = {};
  const artifacts: Artifacts = new Map();
  for (const [name, job] of Object.entries(jobs)) {
    const before = job.needs === undefined ? undefined : ran[job.needs];
    const needs = before ? { [job.needs ?? ""]: { outputs: before.outputs } } : {};
    const started =
      (job.needs === undefined || before?.exit === 0) && isTrue(job.if, { ...contextOf(happening), needs });
    if (started) ran[name] = await runJob(job, env, { ...happening, artifacts }, needs);
  }
  return ran;
}

function contextOf({ github, inputs = {}, vars = {} }: Happening): Record<string, unknown> {
  return { github, inputs, vars };
}

async function runJob(
  job: Job,
  common: Variables,
  happening: Happening & { readonly artifacts: Artifacts },
  needs: object,
): Promise<JobRan> {
  const folder = happening.checkout();
  const temp = tempFolder();
  const secrets = { ...happening.secrets, ...happening.environments?.[job.environment ?? ""] };
  const steps: Record<string, { outputs: Variables }> = {};
  const shared = { ...contextOf(happening), secrets, needs, steps, runner: { temp } };
  const files = filesIn(temp);
  const ran: Ran[] = [];
  const lacking: string[] = [];
  let exit = 0;
  for (const { inputs, ...step } of job.steps.flatMap((each) => withAction(each, shared))) {
    const context = { ...shared, ...(inputs && { inputs }) };
    if (!isTrue(step.if ?? "success()", context, { failed: exit !== 0, folder })) continue;
    const { name = "", ...settings } = filled(step.with, context);
    if (step.uses?.includes("upload-artifact")) {
      lacking.push(...missing(folder, settings));
      happening.artifacts.set(name, folder);
    }
    if (step.uses?.includes("download-artifact"))
      for (const file of readdirSync(happening.artifacts.get(name) ?? "").filter((file) => file.startsWith("plan.")))
        cpSync(join(happening.artifacts.get(name) ?? "", file), join(folder, file));
    if (step.run === undefined) continue;
    const { names, output } = files.ofStep();
    const own = filled({ ...common, ...job.env, ...step.env }, context);
    const variables = {
      ...happening.variables,
      ...files.env(),
      ...own,
      ...names,
      GITHUB_ACTION_PATH: root,
      GITHUB_WORKSPACE: folder,
      RUNNER_TEMP: temp,
    };
    const each = await runScript(interpolated(step.run, context), folder, variables, happening.bin);
    ran.push(each);
    if (step.id) steps[step.id] = { outputs: pairsIn(readFileSync(output, "utf8")) };
    exit ||= each.exit ?? 1;
  }
  for (const { id } of job.steps.filter(isOurAction)) if (id) steps[id] = { outputs: actionOutputs(shared) };
  return { exit, ran, lacking, folder, outputs: filled(job.outputs, shared), summary: files.summary() };
}

const ourAction: Action = parse(read("action.yml"));

function isOurAction({ uses }: Step): boolean {
  return Boolean(uses?.startsWith("platform/evenkeel@"));
}

function actionOutputs(context: Record<string, unknown>): Variables {
  const values = Object.entries(ourAction.outputs).map(([name, { value }]) => [name, value] as const);
  return filled(Object.fromEntries(values), context);
}

/** A step, or the steps of our own action in its place. What installs the action is left out: `bin` has the program. */
function withAction(step: Step, context: Record<string, unknown>): readonly (Step & { readonly inputs?: Variables })[] {
  if (!isOurAction(step)) return [step];
  const { inputs, runs } = ourAction;
  const defaults = Object.entries(inputs).map(([name, input]) => [name, input.default ?? ""]);
  const given = { ...Object.fromEntries(defaults), ...filled(step.with, context) };
  const steps = runs.steps.filter(({ id }) => id !== "install");
  return steps.map((each) => ({ ...each, env: { ...step.env, ...each.env }, inputs: given }));
}

/** The files by which steps tell the runner something: a step has its own, but for the environment of later ones. */
function filesIn(temp: string) {
  mkdirSync(temp, { recursive: true });
  const summaries: string[] = [];
  const made = (name: string) => {
    const file = join(temp, name);
    writeFileSync(file, "");
    return file;
  };
  const env = made("env");
  return {
    ofStep: () => {
      const [output, summary] = [made(`output-${summaries.length}`), made(`summary-${summaries.length}`)];
      summaries.push(summary);
      return { output, names: { GITHUB_ENV: env, GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary } };
    },
    env: () => pairsIn(readFileSync(env, "utf8")),
    summary: () => summaries.map((file) => readFileSync(file, "utf8")).join(""),
  };
}

function pairsIn(text: string): Variables {
  const lines = text.split("\n").filter(Boolean);
  return Object.fromEntries(lines.map((line) => [line.split("=")[0], line.split("=").slice(1).join("=")]));
}

function missing(folder: string, { path = "", ...rest }: Variables): readonly string[] {
  if (rest["if-no-files-found"] === "ignore") return [];
  return path.split("\n").filter((line) => line.trim() && !existsSync(join(folder, line.trim())));
}

function filled(values: Variables | undefined, context: Record<string, unknown>): Variables {
  return Object.fromEntries(
    Object.entries(values ?? {}).map(([key, value]) => [key, interpolated(String(value), context)]),
  );
}

function interpolated(text: string, context: Record<string, unknown>): string {
  return text.replace(/\$\{\{(.*?)\}\}/gs, (_, expression: string) => evaluated(expression, context).coerceString());
}

/** How the steps before went, and where the files are. */
interface Progress {
  readonly failed: boolean;
  readonly folder: string;
}

/** A condition that asks for no status holds after a success alone. */
function isTrue(condition: string | undefined, context: Record<string, unknown>, progress?: Progress): boolean {
  if (condition === undefined) return true;
  const asks = /\b(?:always|success|failure|cancelled)\(\)/.test(condition);
  const whole = asks ? condition : `success() && (${condition})`;
  const result = evaluated(whole, context, progress);
  return result.coerceString() !== "false" && result.coerceString() !== "";
}

function evaluated(expression: string, context: Record<string, unknown>, progress?: Progress) {
  const { Lexer, Parser, Evaluator, data } = expressions;
  const functions = statusFunctions(progress ?? { failed: false, folder: "" });
  const { tokens } = new Lexer(expression.trim()).lex();
  const parsed = new Parser(tokens, Object.keys(context), functions).parse();
  const known = JSON.parse(JSON.stringify(context), data.reviver);
  return new Evaluator(parsed, known, new Map(functions.map((each) => [each.name.toLowerCase(), each]))).evaluate();
}

function statusFunctions({ failed, folder }: Progress) {
  const { data } = expressions;
  const status = { always: true, success: !failed, failure: failed, cancelled: false };
  const none = Object.entries(status).map(([name, is]) => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: () => new data.BooleanData(is),
  }));
  const call = (...files: readonly Expressions.data.ExpressionData[]) =>
    new data.StringData(files.some((file) => existsSync(join(folder, file.coerceString()))) ? "5a5a" : "");
  return [...none, { name: "hashFiles", minArgs: 1, maxArgs: 255, call }];
}

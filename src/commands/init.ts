import { join, relative, resolve } from "node:path";
import { type ExitCode, exit, UserError } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { shellWord } from "../base/text-format.ts";
import { version } from "../base/version.ts";
import { connectReader } from "../client/client.ts";
import { explainCallFailure } from "../client/explain-failure.ts";
import { CallFailed } from "../client/failure.ts";
import { parseManifest } from "../manifest/document.ts";
import { readWorkspace, workspaceFile } from "../manifest/workspace.ts";
import { licenseTier, tierIncludes } from "../model/availability.ts";
import { catalogueOf } from "../model/catalogue.ts";
import { dialectNamed, neutral } from "../model/dialects.ts";
import { kindOf, removedSection } from "../model/kinds.ts";
import { minorOf } from "../model/releases.ts";
import { replaceWords } from "../model/renamed-schema.ts";
import { schemasIn } from "../model/schemas.ts";
import type { Tier } from "../model/types.ts";
import { nextStepsText } from "../report/terminal.ts";
import { connectionTo } from "../run/connection.ts";
import { findDialect, readRelease } from "../run/live/find-dialect.ts";
import { ignored } from "../state/state-folder.ts";
import { isThere } from "../workspace/durable-file.ts";
import { linkFault, makeFiles } from "../workspace/output-file.ts";
import type { Options, Run } from "./command.ts";
import pipelineFiles from "./pipelines.json" with { type: "json" };
import { checkedRelease } from "./run-request.ts";
import templates from "./templates.json" with { type: "json" };
import type { Terminal } from "./terminal.ts";

const examplePolicy = "policies/example.yaml";
const schemaFolder = ".evenkeel/schemas";

const workspace = (
  { url, release, tier }: ServerSettings,
  { dialect, because, release: reported }: ChosenDialect,
  hasPipeline: boolean,
) =>
  `# yaml-language-server: $schema=${schemaFolder}/manifest.schema.json
apiVersion: evenkeel/v1
kind: Workspace
server:
  url: ${JSON.stringify(url)}
  ${releaseLine(release, reported)}
${dialectLine(dialect, because !== undefined)}\
  ${(tier ? `tier: ${tier}` : "# tier: ultimate").padEnd(27)} # optional: validate then reports what the tier lacks
${hasPipeline ? 'manifests: ["{policies,tests}/**/*.yaml"] # leaves out the files of the pipeline\n' : ""}\
# protected: ["payments/core:integration/*"]   # never disabled or deleted
`;

function releaseLine(stated: string | undefined, reported: string | undefined): string {
  if (stated) return `release: ${JSON.stringify(stated)}`;
  if (reported === undefined) return '# release: "14.5"           # default: the release that the server reports';
  return `${`release: ${JSON.stringify(minorOf(reported))}`.padEnd(27)} # as the server reports; validate works offline`;
}

function dialectLine(dialect: string, isKnown: boolean): string {
  if (dialect !== neutral.name) return `  dialect: ${dialect}\n`;
  return isKnown ? "" : `  ${"# dialect: gitlab".padEnd(27)} # for a GitLab server; default: ${dialect}\n`;
}

const gitignore = `# State and keys of this machine. Commit a ledger.
${ignored.map((line) => `.evenkeel/${line}\n`).join("")}`;

/** `evenkeel init [DIR]`: existing files are not overwritten. Without `--url`, the server is that of EVENKEEL_URL, or an example. */
export const run: Run<Options<"init">> = async (terminal, options, [folder = "."]) => {
  const pipeline = options.ci && pipelines[options.ci];
  const exists = isThere(resolve(terminal.cwd, folder, workspaceFile));
  const { url, release, tier, dialect } = options;
  if (pipeline && exists && (url ?? release ?? tier ?? dialect) === undefined)
    return addPipeline(terminal, folder, pipeline);
  refuseTaken(terminal, folder, [workspaceFile, examplePolicy, ...(pipeline ? [pipeline.file] : [])]);
  const server = serverOf(terminal, options);
  const chosen = await chooseDialect(terminal, server.url, options.dialect);
  writeMissing(terminal, folder, createFiles(server, chosen, pipeline));
  terminal.print(nextSteps(terminal, folder, server, chosen, pipeline));
  return exit.done;
};

/** Adds a pipeline to an existing workspace, whose files are kept. */
function addPipeline(terminal: Terminal, folder: string, pipeline: PipelineFile): ExitCode {
  refuseTaken(terminal, folder, [pipeline.file]);
  writeMissing(terminal, folder, [[pipeline.file, pipeline.text]]);
  const written = `Wrote ${join(folder, pipeline.file)} and kept ${join(folder, workspaceFile)}.`;
  terminal.print([written, "", "To change first:", ...pipelineChanges(folder, pipeline)].join("\n"));
  return exit.done;
}

function refuseTaken(terminal: Terminal, folder: string, files: readonly string[]): void {
  const taken = files.find((file) => isThere(resolve(terminal.cwd, folder, file)));
  if (taken) throw new UserError(`${join(folder, taken)} exists already; nothing was written`);
}

type NamedText = readonly [name: string, text: string];

function writeMissing(terminal: Terminal, folder: string, texts: readonly NamedText[]): void {
  const root = resolve(terminal.cwd, folder);
  const files = texts.map(([file, text]) => ({ name: join(folder, file), path: join(root, file), text }));
  const missing = files.filter(({ path }) => !isThere(path));
  for (const { name, path } of missing) {
    const fault = linkFault(root, relative(root, path));
    if (fault !== undefined) throw new UserError(`cannot write ${name}: ${fault}; nothing was written`);
  }
  makeFiles(missing);
}

function createFiles(server: ServerSettings, chosen: ChosenDialect, pipeline?: PipelineFile): readonly NamedText[] {
  const { dialect } = chosen;
  const slugs = new Map(Object.entries(dialectNamed(dialect).integrations).map(([slug, { name }]) => [slug, name]));
  const release = server.release || chosen.release;
  const licenses = hasLicenses({ ...server, release }, dialect) ? templates["example-licenses.yaml"] : "";
  const schemas = [...schemasIn(dialectNamed(dialect))];
  return [
    [workspaceFile, workspace(server, chosen, pipeline !== undefined)],
    [examplePolicy, replaceWords(templates["example.yaml"] + licenses, slugs)],
    [".gitignore", gitignore],
    ...(pipeline ? [[pipeline.file, pipeline.text] as const] : []),
    ...schemas.map(([name, schema]) => [join(schemaFolder, name), JSON.stringify(schema, null, 2)] as const),
  ];
}

/** A platform's server may have any release, unless one is set. */
function hasLicenses({ release, tier }: ServerSettings, dialect: string): boolean {
  const isKept = release
    ? !removedSection(kindOf(catalogueOf(), "license"), "licenses", { release })
    : dialect === neutral.name;
  return isKept && tierIncludes(tier, licenseTier);
}

function nextSteps(
  terminal: Terminal,
  folder: string,
  { url }: ServerSettings,
  { dialect, because }: ChosenDialect,
  pipeline: PipelineFile | undefined,
): string {
  const here = relative(terminal.cwd, resolve(terminal.cwd, folder));
  const option = here ? ` -C ${shellWord(here)}` : "";
  const file = join(folder, workspaceFile);
  const changes = [
    ...(url === exampleUrl ? [`  server.url in ${file}: ${url} is only an example`] : []),
    ...(because === undefined ? [`  server.dialect in ${file}: gitlab if it is a GitLab server`] : []),
    ...(hasToken(terminal.env) ? [] : [`  ${tokenQuestion}`]),
    ...(pipeline ? pipelineChanges(folder, pipeline) : []),
  ];
  return [
    `Wrote ${[file, ...(pipeline ? [join(folder, pipeline.file)] : [])].join(", ")} and ${join(folder, examplePolicy)}${because ? `; dialect ${dialect}, because ${because}` : ""}.`,
    "",
    ...(changes.length > 0 ? ["To change first:", ...changes, ""] : []),
    nextStepsText(
      [
        [`evenkeel import${option} --all --factor`, "writes what is live as policies; --kinds all: of every kind"],
        [`evenkeel plan${option}`, "compares them with the server: no changes"],
      ],
      terminal.palette,
    ),
  ].join("\n");
}

function pipelineChanges(folder: string, { file, placeholders, settings }: PipelineFile): readonly string[] {
  const examples = placeholders.map((name) => `${name} in ${join(folder, file)}: only an example`);
  return [...examples, ...settings].map((line) => `  ${line}`);
}

const tokenQuestion =
  "EVENKEEL_TOKEN in the environment: a token of that server, or EVENKEEL_TOKEN_FILE, a file that holds it";

/** The server settings of a new workspace. A missing release is read from the server; a missing tier disables its checks. */
interface ServerSettings {
  readonly url: string;
  readonly release: string | undefined;
  readonly tier: Tier | undefined;
}

const exampleUrl = "https://code.example.com";

function serverOf({ env }: Terminal, { url, release, tier }: Options<"init">): ServerSettings {
  const { EVENKEEL_URL: named = "" } = env;
  if (url !== undefined && !isServerUrl(url))
    throw new UserError(`--url: expected an http or https address, such as ${exampleUrl}`, exit.usage);
  return { url: url ?? (isServerUrl(named) ? named : exampleUrl), release: release && checkedRelease(release), tier };
}

function isServerUrl(url: string): boolean {
  const text = JSON.stringify({ apiVersion: "evenkeel/v1", kind: "Workspace", server: { url } });
  return readWorkspace(parseManifest(workspaceFile, text)).problems.length === 0;
}

/** The dialect of a new workspace. `because` is missing if it is only assumed, and empty if the user named it. */
interface ChosenDialect {
  readonly dialect: string;
  readonly because?: string;
  readonly release?: string;
}

const assumed: ChosenDialect = { dialect: neutral.name };

/** Milliseconds to wait for a server that does not respond. */
const patience = 10_000;

/** That of the flag, else that of the server if there is a token, else that of the specification. */
async function chooseDialect(terminal: Terminal, url: string, named: string | undefined): Promise<ChosenDialect> {
  if (named !== undefined) return { dialect: named, because: "" };
  if (!hasToken(terminal.env) || (url === exampleUrl && !terminal.env.EVENKEEL_URL)) return assumed;
  const { why, ...found } = await askServer(terminal, url);
  if (why !== undefined) terminal.note(printable(`note: the server did not show which dialect it uses: ${why}`));
  return { ...assumed, ...found };
}

/** True if a token is set; it may be invalid. */
function hasToken({ EVENKEEL_TOKEN, EVENKEEL_TOKEN_FILE }: Terminal["env"]): boolean {
  return Boolean(EVENKEEL_TOKEN || EVENKEEL_TOKEN_FILE);
}

async function askServer(terminal: Terminal, url: string): Promise<Partial<ChosenDialect> & { readonly why?: string }> {
  const { cwd: folder, env, interrupted: signal, listen: connecting } = terminal;
  try {
    const connection = connectionTo(url, { folder, env, signal, connecting, patience: { giveUpAfter: patience } });
    await using reader = await connectReader(connection);
    const unseen = { why: "it has no project, or none whose integrations the token may read" };
    const detected = (await findDialect(reader)) ?? unseen;
    const release = await readRelease(reader);
    return release === undefined ? detected : { ...detected, release };
  } catch (error) {
    if (error instanceof CallFailed) return { why: explainCallFailure(error) };
    if (error instanceof UserError) return { why: error.message };
    throw error;
  }
}

interface PipelineFile {
  readonly file: string;
  readonly text: string;
  readonly placeholders: readonly string[];
  /** Settings that the forge needs (examples/ci/README.md). */
  readonly settings: readonly string[];
}

function pipelineOf(forge: keyof typeof pipelineFiles): PipelineFile {
  const fill = (text: string) => text.replaceAll("{{version}}", version);
  const { placeholders, ...rest } = pipelineFiles[forge];
  return { ...rest, placeholders: placeholders.map(fill), text: fill(templates[`${forge}.yml`]) };
}

export const pipelines = { gitlab: pipelineOf("gitlab"), github: pipelineOf("github") };

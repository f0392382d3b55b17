import { Command, CommanderError, Option } from "commander";
import { atLeastError, type ExitCode, exit, UserError } from "../base/exit.ts";
import { knownSecrets, resetSecrets, withoutSecrets } from "../base/known-secrets.ts";
import { printableLines } from "../base/printable.ts";
import { asSentence, counted, terminalWidth, wrapped } from "../base/text-format.ts";
import { version } from "../base/version.ts";
import { labelledErrors } from "../model/problem-line.ts";
import type { Palette } from "../report/terminal.ts";
import {
  type CliCommand,
  type CommandName,
  commands,
  type Flag,
  groupOf,
  groups,
  type Options,
  type Run,
  toOption,
  wordOf,
} from "./command.ts";
import { createTerminal, type Host, paletteFor, withLabels } from "./terminal.ts";

/** Resolves to the exit code, which a failed output recorded in `host.exitCode` can only make worse. */
export async function main(host: Host): Promise<ExitCode> {
  let ended: ExitCode = exit.done;
  resetSecrets(host.env);
  try {
    await program(host, (code) => {
      ended = code;
    }).parseAsync(host.argv);
  } catch (error) {
    ended = chooseExitCode(host, error);
  }
  return host.exitCode === undefined ? ended : atLeastError(ended);
}

function program(host: Host, done: (code: ExitCode) => void): Command {
  const root = new Command("evenkeel")
    .description(
      "Manages the settings of projects and groups on a GitLab server, or one with the same API, from YAML manifests.",
    )
    .version(version)
    .option("--no-color", "plain text; NO_COLOR and FORCE_COLOR are honoured too")
    .addOption(new Option("-C <dir>", "the same as -C after the command").hideHelp())
    .addHelpText("before", `${examplesText(firstExamples(["validate", "plan", "apply", "drift"]))}\n`)
    .addHelpText("after", "\nUse -h on a command for its examples and options.")
    .showSuggestionAfterError()
    .commandsGroup("Get started:")
    .helpCommand("help [command]", "display help for command")
    .configureHelp({ minWidthToWrap: 20 })
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => host.stderr.write(text),
      getOutHelpWidth: () => chooseWidth(host.stdout),
      getErrHelpWidth: () => chooseWidth(host.stderr),
      outputError: (text, write) => write(withLabels(knownSecrets.clean(inOneLine(text)), errorPalette(host))),
    })
    .exitOverride();
  refuseSecond(root);
  for (const command of commands) addCommand(host, findParent(root, command.name), command, done);
  return root;
}

/** Joins the parser's suggestion, which is on a line of its own in parentheses, and explains a superfluous argument. */
function inOneLine(error: string): string {
  return error
    .replace(
      /too many arguments for '([^']+)'\. Expected (\d+) arguments? but got (\d+)\./,
      (_, command, most, given) =>
        `${command} takes ${most === "0" ? "no argument" : `at most ${counted(Number(most), "argument")}`}, got ${given}; -h shows its options`,
    )
    .replace(
      /(unknown option '--(?:private-|access-)?token)(?:=[\s\S]*)?'/,
      "$1'; the token comes from EVENKEEL_TOKEN, never from an option",
    )
    .replace(/\n\(Did you mean ([^\n]*)\?\)/, "; did you mean $1?")
    .replace(/' is invalid\. /, "' is invalid: ");
}

function chooseWidth({ isTTY, columns = 80 }: Host["stdout"]): number {
  return isTTY ? columns : 80;
}

function findParent(root: Command, name: string): Command {
  const [first = "", second] = name.split(" ");
  if (second === undefined) return root;
  return root.commands.find((command) => command.name() === first) ?? addGroup(root, first);
}

function addGroup(root: Command, name: string): Command {
  const summary = groups[name] ?? "";
  const members = commands.filter((each) => each.name.startsWith(`${name} `)).map((each) => each.name);
  return root
    .command(name)
    .summary(summary)
    .description(asSentence(summary))
    .commandsGroup("Commands:")
    .helpCommand("help [command]", "display help for command")
    .helpGroup(`${groupOf(name)}:`)
    .addHelpText("before", `${examplesText(firstExamples(members))}\n`);
}

function firstExamples(names: readonly string[]): Pick<CliCommand, "examples"> {
  const named = names.flatMap((name) => commands.filter((each) => each.name === name));
  return { examples: named.flatMap(({ examples }) => examples.slice(0, 1)) };
}

function addCommand(host: Host, parent: Command, command: CliCommand, done: (code: ExitCode) => void): void {
  const parser = parent
    .command(`${command.name.split(" ").at(-1)} ${command.arguments ?? ""}`.trim(), { hidden: command.hidden ?? false })
    .summary(command.summary)
    .description(asSentence(command.summary))
    .addHelpText("before", `${examplesText(command)}\n`)
    .helpGroup(parent.parent ? "Commands:" : `${groupOf(command.name)}:`);
  const shared = command.flags.filter((flag) => flag.shared);
  for (const flag of command.flags) if (!flag.shared) parser.addOption(toOption(flag));
  for (const option of [...shared.map(toOption), new Option("--no-color", "plain text")])
    parser.addOption(option.helpGroup(sharedHeading));
  parser.addHelpOption(new Option("-h, --help", "display help for command").helpGroup(sharedHeading));
  refuseContradictions(parser);
  parser.action(async (...received) => {
    refuseFolder(parent, parser);
    refuseIdle(parser, command.flags);
    const args = received
      .slice(0, parser.registeredArguments.length)
      .flat()
      .filter((arg) => arg !== undefined);
    const options = parser.optsWithGlobals<never>();
    const run: Run<never> = await runsByName[command.name]();
    done(await run(createTerminal(host, options), options, args));
  });
}

const sharedHeading = "Shared options:";

/** Rejects `-C one -C other`. */
function refuseSecond(root: Command): void {
  let folders = 0;
  root.on("option:C", () => {
    if (++folders > 1) root.error("error: -C was given twice: give only one");
  });
}

/** Accepts `evenkeel -C DIR COMMAND` only for commands with a workspace. */
function refuseFolder(parent: Command, parser: Command): void {
  const { C: before } = parent.optsWithGlobals<{ C?: string }>();
  if (before === undefined) return;
  if (!parser.options.some(({ short }) => short === "-C")) parser.error("error: unknown option '-C'");
}

function refuseIdle(parser: Command, flags: readonly Flag[]): void {
  const isGiven = (name: string) =>
    parser.options.some((each) => each.long === name && parser.getOptionValueSource(each.attributeName()) === "cli");
  for (const flag of flags.filter((each) => isGiven(wordOf(each)))) {
    const name = wordOf(flag);
    if (flag.with !== undefined && !isGiven(flag.with))
      parser.error(`error: ${name} has no effect without ${flag.with}`);
    const idle = flag.without?.find(isGiven);
    if (idle !== undefined) parser.error(`error: ${idle} has no effect with ${name}`);
  }
}

/** Rejects `--tag --no-tag`. */
function refuseContradictions(parser: Command): void {
  for (const no of parser.options.filter(({ negate }) => negate)) {
    const yes = parser.options.find((each) => !each.negate && each.attributeName() === no.attributeName());
    if (!yes) continue;
    const names = new Set<string>();
    for (const { long } of [yes, no]) {
      parser.on(`option:${long?.slice(2)}`, () => {
        names.add(String(long));
        if (names.size > 1) parser.error(`error: ${yes.long} and ${no.long} contradict each other: give only one`);
      });
    }
  }
}

/** Two columns, or pairs of lines if a row would be wider than a terminal. */
function examplesText({ examples }: Pick<CliCommand, "examples">): string {
  const width = Math.max(...examples.map(([line]) => line.length));
  const rows = examples.map(([line, meaning]) => `  ${line.padEnd(width)}  ${meaning}`);
  const isWide = rows.some(({ length }) => length > terminalWidth);
  const pairs = examples.map(
    ([line, meaning]) =>
      `  ${wrapped(line, terminalWidth - 4, "    ").replaceAll("\n", " \\\n  ")}\n      ${wrapped(meaning, terminalWidth - 6, "      ")}`,
  );
  return ["Examples:", ...(isWide ? pairs : rows)].join("\n");
}

function chooseExitCode(host: Host, error: unknown): ExitCode {
  const { env, stderr } = host;
  if (error instanceof CommanderError) return error.exitCode === 0 ? exit.done : exit.usage;
  if (!(error instanceof UserError)) {
    stderr.write(defect(env, error));
    return exit.problem;
  }
  const text = printableLines(`${labelledErrors(formatError(env, withoutSecrets(error)))}\n`);
  stderr.write(withLabels(text, errorPalette(host)));
  return error.code;
}

/** Options may not be parsed yet. */
function errorPalette(host: Host): Palette {
  return paletteFor(host, host.stderr, !host.argv.includes("--no-color"));
}

export function defect(env: Host["env"], error: unknown): string {
  const where = " (set EVENKEEL_DEBUG=1 for a stack trace)";
  return printableLines(`error: internal error: ${formatError(env, withoutSecrets(error), where)}\n`);
}

function formatError(env: Host["env"], { message, stack = message }: Error, otherwise = ""): string {
  return env.EVENKEEL_DEBUG === "1" ? stack : message + otherwise;
}

/** The function that runs each command. Its file is loaded on demand. */
const runsByName: { readonly [Name in CommandName]: () => Promise<Run<Options<Name>>> } = {
  init: async () => (await import("./init.ts")).run,
  validate: async () => (await import("./validate.ts")).run,
  test: async () => (await import("./test.ts")).run,
  plan: async () => (await import("./plan.ts")).run,
  apply: async () => (await import("./apply.ts")).run,
  drift: async () => (await import("./plan.ts")).drift,
  diff: async () => (await import("./diff.ts")).run,
  unmanaged: async () => (await import("./unmanaged.ts")).run,
  approve: async () => (await import("./approve.ts")).run,
  merge: async () => (await import("./approve.ts")).mergeShards,
  show: async () => (await import("./show.ts")).run,
  overrides: async () => (await import("./overrides.ts")).run,
  prune: async () => (await import("./overrides.ts")).prune,
  import: async () => (await import("./import.ts")).run,
  explain: async () => (await import("./explain.ts")).run,
  journal: async () => (await import("./history.ts")).journal,
  runs: async () => (await import("./history.ts")).runs,
  console: async () => (await import("./console.ts")).run,
  state: async () => (await import("./history.ts")).state,
  "lock release": async () => (await import("./history.ts")).releaseLock,
  worker: async () => (await import("./worker.ts")).run,
  watch: async () => (await import("./watch.ts")).run,
  "deployments list": async () => (await import("./connected.ts")).deployments,
  "deployments show": async () => (await import("./connected.ts")).deployment,
  "deployments merge-requests": async () => (await import("./connected.ts")).mergeRequests,
  "deployments create": async () => (await import("./connected.ts")).addDeployment,
  "deployments update": async () => (await import("./connected.ts")).changeDeployment,
  deprecations: async () => (await import("./deprecations.ts")).run,
  "deprecations scan": async () => (await import("./deprecations.ts")).scan,
  routes: async () => (await import("./routes.ts")).run,
  accept: async () => (await import("./accept.ts")).run,
  blame: async () => (await import("./show.ts")).blame,
  fmt: async () => (await import("./fmt.ts")).run,
  completion: async () => (await import("./completion.ts")).run,
  schema: async () => (await import("./explain.ts")).schema,
  "storage status": async () => (await import("./connected.ts")).storageStatus,
  whoami: async () => (await import("./connected.ts")).whoami,
  mcp: async () => (await import("./mcp.ts")).serveTools(main),
  serve: async () => (await import("./serve.ts")).run,
  __complete: async () => (await import("./completion.ts")).complete,
};

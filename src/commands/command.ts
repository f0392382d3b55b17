import { InvalidArgumentError, Option } from "commander";
import { isDay } from "../base/day.ts";
import type { ExitCode } from "../base/exit.ts";
import { durationOf, maxConcurrency } from "../base/rate.ts";
import { type Wave, wavesIn } from "../manifest/waves.ts";
import { groupSummaries, rows } from "./command-rows.ts";
import type { Terminal } from "./terminal.ts";

/** An option of a command. `flags` is in commander's notation. */
export interface Flag {
  readonly flags: string;
  readonly description: string;
  readonly takes?: keyof OptionValues;
  readonly default?: string;
  readonly choices?: readonly string[];
  readonly suggests?: readonly string[];
  /** The flag without which it would have no effect. */
  readonly with?: string;
  /** Flags that would have no effect beside it. */
  readonly without?: readonly string[];
  /** Listed below the command's own options. */
  readonly shared?: boolean;
}

/** `--dry-run`, or `-C`. */
export function wordOf({ flags }: Pick<Flag, "flags">): string {
  return flags.split(" ")[0] ?? "";
}

/** Types of option values; `list` collects repeated options. */
export interface OptionValues {
  readonly text: string;
  readonly list: readonly string[];
  readonly count: number;
  readonly positive: number;
  readonly port: number;
  /** `auto`: the number is chosen up to a limit. */
  readonly concurrency: number;
  readonly duration: number;
  readonly waves: readonly Wave[];
  readonly day: string;
  readonly shard: { readonly index: number; readonly total: number } | "auto";
}

/** The parsed options of a command: a property for each flag, required if it has a default. */
type OptionsOf<Flags extends readonly Flag[]> = {
  readonly [Each in Extract<Flags[number], { readonly default: string }> as NameOf<Each["flags"]>]: ValueOf<Each>;
} & {
  readonly [Each in Exclude<Flags[number], { readonly default: string }> as NameOf<Each["flags"]>]?: ValueOf<Each>;
};

/** The property of a flag: `--dry-run` is `dryRun`, `-C <dir>` is `C`, `--no-tag` is `tag`. */
type NameOf<Flags extends string> = Flags extends `--no-${infer Rest}`
  ? Camel<FirstWord<Rest>>
  : Flags extends `--${infer Rest}` | `-${infer Rest}`
    ? Camel<FirstWord<Rest>>
    : never;

type FirstWord<Text extends string> = Text extends `${infer Word} ${string}` ? Word : Text;

type Camel<Text extends string> = Text extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Text;

type ValueOf<Each extends Flag> = Each extends { readonly takes: infer Kind extends keyof OptionValues }
  ? OptionValues[Kind]
  : Each extends { readonly choices: readonly (infer Choice)[] }
    ? Choice
    : Each["flags"] extends `${string}<${string}`
      ? string
      : boolean;

export type Run<Options> = (
  terminal: Terminal,
  options: Options,
  args: readonly string[],
) => Promise<ExitCode> | ExitCode;

export interface CommandRow {
  /** In commander's notation; the values of `[path...]` arrive as separate arguments. */
  readonly arguments?: string;
  readonly summary: string;
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  readonly flags: readonly Flag[];
  readonly hidden?: boolean;
  readonly heading: string;
  /** For commands that are tools of `mcp`: the permitted options. None of these commands writes anything. */
  readonly tool?: readonly string[];
}

export function toOption({ flags, description, takes, choices, default: defaultText }: Flag): Option {
  const option = new Option(flags, description);
  if (takes) option.argParser(parsers[takes]);
  if (choices) option.choices(choices);
  if (defaultText !== undefined)
    option.default(takes ? parsers[takes](defaultText, undefined) : defaultText, takes && defaultText);
  return option;
}

const parsers: { readonly [Kind in keyof OptionValues]: (text: string, before: unknown) => OptionValues[Kind] } = {
  text: (text) => text,
  list: (text, before) => [...(Array.isArray(before) ? before : []), text],
  count: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : refuseArgument("expected a whole number")),
  positive: (text) =>
    /^[1-9]\d{0,8}$/.test(text) ? Number(text) : refuseArgument("expected a whole number of at least 1"),
  port: (text) =>
    /^\d{1,5}$/.test(text) && Number(text) <= 65535
      ? Number(text)
      : refuseArgument("expected a port, a number from 0 to 65535"),
  concurrency: (text) => {
    if (text === "auto") return maxConcurrency;
    if (!/^[1-9]\d{0,8}$/.test(text)) return refuseArgument("expected a whole number of at least 1, or auto");
    return Number(text);
  },
  duration: (text) => {
    const duration = durationOf(text) ?? refuseArgument("expected a duration such as 30s, 10m or 1h");
    return duration > 0 ? duration : refuseArgument("expected a duration greater than zero, such as 30s");
  },
  waves: (text) => {
    const read = wavesIn(text);
    return "waves" in read ? read.waves : refuseArgument(read.fault);
  },
  day: (text) => (isDay(text) ? text : refuseArgument("expected a date that exists, such as 2027-06-30")),
  shard: (text) => {
    if (text === "auto") return text;
    const [, index = "", total = ""] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? [];
    const shard = { index: Number(index), total: Number(total) };
    if (shard.index >= 1 && shard.index <= shard.total) return shard;
    return refuseArgument("expected I/N, from 1/N to N/N, or auto");
  },
};

function refuseArgument(message: string): never {
  throw new InvalidArgumentError(message);
}

export type CommandName = keyof typeof rows;

export type Options<Name extends CommandName> = OptionsOf<(typeof rows)[Name]["flags"]>;

/** A command with its name: one word, or two (`deployments list` is listed below `deployments`). */
export interface CliCommand extends CommandRow {
  readonly name: CommandName;
}

/** The commands of `schemas/commands.yaml`. */
export const commands: readonly CliCommand[] = Object.entries(rows).map(([name, row]) => ({
  name: name as CommandName,
  ...row,
}));

/** First words that are not commands themselves: alone, they list their subcommands. */
export const groups: Readonly<Record<string, string>> = groupSummaries;

/** The heading of a command or group in the list of commands. */
export function groupOf(name: string): string {
  const [first] = name.split(" ");
  return commands.find((each) => each.name.split(" ")[0] === first)?.heading ?? "";
}

import type { ExitCode } from "../base/exit.ts";
import type { Wave } from "../manifest/waves.ts";
import type { Terminal } from "./terminal.ts";

/** An option of a command. `flags` is in commander's notation. */
export interface Flag {
  readonly flags: string;
  readonly description: string;
  readonly takes?: keyof OptionValues;
  readonly default?: string;
  readonly choices?: readonly string[];
  /** Values that shells complete; others are accepted as well. */
  readonly suggests?: readonly string[];
}

/** Types of option values; `list` collects repeated options. */
export interface OptionValues {
  readonly text: string;
  readonly list: readonly string[];
  readonly count: number;
  /** `auto`: the number is chosen up to a limit. */
  readonly concurrency: number;
  readonly duration: number;
  readonly waves: readonly Wave[];
  /** A date, such as 2027-06-30. */
  readonly day: string;
  /** `auto`: from the environment of the pipeline. */
  readonly shard: { readonly index: number; readonly total: number } | "auto";
}

/** The parsed options of a command: a property for each flag, required if it has a default. */
export type OptionsOf<Flags extends readonly Flag[]> = {
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

/** The export `run` of a command's file, called with the parsed options and the arguments in order. */
export type Run<Options> = (
  terminal: Terminal,
  options: Options,
  args: readonly string[],
) => Promise<ExitCode> | ExitCode;

/** A command without its name, as the table lists it. */
export interface CommandRow {
  /** In commander's notation; the values of `[path...]` arrive as separate arguments. */
  readonly arguments?: string;
  readonly summary: string;
  /** Examples, which help shows first: a command line and what it does. */
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  readonly flags: readonly Flag[];
  /** Loads the file of the command. */
  readonly load: () => Promise<unknown>;
  /** Not listed by help. */
  readonly hidden?: true;
}

/** A command of the table, with its options typed by `flags`. */
export interface CliCommand extends CommandRow {
  /** One word, or two: `deployments list` is listed below `deployments`. */
  readonly name: string;
  readonly load: () => Promise<{ readonly run: Run<never> }>;
}

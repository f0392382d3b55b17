import type { ExitCode } from "../base/exit.ts";
import type { Wave } from "../manifest/waves.ts";
import type { Terminal } from "./terminal.ts";

/** An option that a user can type. `flags` is in commander's notation. */
export interface Flag {
  readonly flags: string;
  readonly description: string;
  readonly takes?: keyof OptionValues;
  readonly default?: string;
  readonly choices?: readonly string[];
  /** What shells offer for it, among other things that it takes. */
  readonly suggests?: readonly string[];
}

/** Kinds of option values, and what each is parsed to; `list` gathers repeated options. */
export interface OptionValues {
  readonly text: string;
  readonly list: readonly string[];
  readonly count: number;
  /** `auto` is the most that it may come to. */
  readonly concurrency: number;
  readonly duration: number;
  readonly waves: readonly Wave[];
  /** One that exists, as 2027-06-30. */
  readonly day: string;
  /** `auto`: as the pipeline's environment says. */
  readonly shard: { readonly index: number; readonly total: number } | "auto";
}

/** The parsed options of a command: a property for each of its flags, present where it has a default. */
export type OptionsOf<Flags extends readonly Flag[]> = {
  readonly [Each in Extract<Flags[number], { readonly default: string }> as NameOf<Each["flags"]>]: ValueOf<Each>;
} & {
  readonly [Each in Exclude<Flags[number], { readonly default: string }> as NameOf<Each["flags"]>]?: ValueOf<Each>;
};

/** `--dry-run` is `dryRun`, `-C <dir>` is `C`, `--no-tag` is `tag`. */
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

/** What a command's file exports as `run`: given the parsed options, and the arguments in order. */
export type Run<Options> = (
  terminal: Terminal,
  options: Options,
  args: readonly string[],
) => Promise<ExitCode> | ExitCode;

/** A command without its name, as the table lists it. */
export interface CommandRow {
  /** In commander's notation; `[path...]` takes any number, which arrive one after another. */
  readonly arguments?: string;
  readonly summary: string;
  /** Shown first by `-h`: a command line, and what it does. */
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  readonly flags: readonly Flag[];
  /** The file that runs the command, loaded when it is called. */
  readonly load: () => Promise<unknown>;
  /** Known to shells, and not listed by help. */
  readonly hidden?: true;
}

/** A command of the table. `load` is typed for whoever parsed the options by `flags`. */
export interface CliCommand extends CommandRow {
  /** One word, or two: `deployments list` is listed below `deployments`. */
  readonly name: string;
  readonly load: () => Promise<{ readonly run: Run<never> }>;
}

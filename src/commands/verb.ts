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

/** A row of the command line: what help shows, what is parsed, and what runs, loaded when it is called. */
export interface Verb extends VerbHelp {
  readonly options: readonly Flag[];
  /** Runs it with what the command line parsed of `options`. */
  readonly run: (terminal: Terminal, options: object, args: readonly string[]) => Promise<ExitCode>;
}

interface VerbHelp {
  /** One word, or two: `deployments list` is listed below `deployments` (see {@link groups}). */
  readonly name: string;
  /** In commander's notation; `[path...]` takes any number, which arrive one after another. */
  readonly arguments?: string;
  readonly summary: string;
  /** Shown first by `-h`: a command line, and what it does. */
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  /** Known to shells, and not listed by help. */
  readonly hidden?: true;
}

/** A row whose file takes just the options that the row lists. */
export function verb<const Flags extends readonly Flag[]>(
  row: VerbHelp & {
    readonly options: Flags;
    readonly load: () => Promise<{ readonly run: Run<OptionsOf<Flags>> }>;
  },
): Verb {
  const { load, ...rest } = row;
  return {
    ...rest,
    run: async (terminal, options, args) => (await load()).run(terminal, options as OptionsOf<Flags>, args),
  };
}

/** First words that are no commands of their own: alone they show what is below them. */
export const groups: Readonly<Record<string, string>> = {
  deployments: "the deployment records of a project",
  storage: "what is still on a storage",
  export: "what policies say, in another format",
  lock: "the lease that keeps two applies apart",
};

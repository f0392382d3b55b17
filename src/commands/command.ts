import { InvalidArgumentError, Option } from "commander";
import { isDay } from "../base/day.ts";
import type { ExitCode } from "../base/exit.ts";
import { durationOf } from "../manifest/duration.ts";
import { type Wave, wavesIn } from "../manifest/waves.ts";
import { dialectNames } from "../model/dialect-names.ts";
import { maxConcurrency } from "../model/max-concurrency.ts";
import { planKinds } from "../report/report.ts";
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
  /** The flag without which it would have no effect. */
  readonly with?: string;
  /** Flags that would have no effect beside it. */
  readonly without?: readonly string[];
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

/** The function of a command, called with the parsed options and the arguments in order. */
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
  /** Not listed by help. */
  readonly hidden?: true;
}

/** Converts a flag to an option of the parser, which validates its value. */
export function parsedOption({ flags, description, takes, choices, default: standard }: Flag): Option {
  const option = new Option(flags, description);
  if (takes) option.argParser(parsers[takes]);
  if (choices) option.choices(choices);
  if (standard !== undefined) option.default(takes ? parsers[takes](standard, undefined) : standard, takes && standard);
  return option;
}

const parsers: { readonly [Kind in keyof OptionValues]: (text: string, before: unknown) => OptionValues[Kind] } = {
  text: (text) => text,
  list: (text, before) => [...(Array.isArray(before) ? before : []), text],
  count: (text) => {
    if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("expected a whole number");
    return Number(text);
  },
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

/** The folder of the workspace. */
export const folder = {
  flags: "-C <dir>",
  description: "run in this folder (evenkeel.yaml is searched upward)",
} as const;

/** For cron jobs. */
export const quiet = { flags: "--quiet", description: "suppress progress and notes on stderr" } as const;

/** For commands with reports of these kinds. */
export function reportOf(kinds: readonly string[]) {
  return {
    flags: "--report <kind[=path]>",
    description: `also write a report: ${kinds.join(", ")}; without a path, to stdout instead of the text (repeatable)`,
    takes: "list",
    suggests: kinds,
  } as const;
}

export const report = reportOf(["json", "text"]);
export const planReport = reportOf(planKinds);
export const concurrency = {
  flags: "--concurrency <n>",
  description: "maximum concurrent requests; auto: tuned during the run, up to 128",
  takes: "concurrency",
  suggests: ["auto"],
} as const;
export const timeout = {
  flags: "--timeout <duration>",
  description: "stop the whole run after this time, such as 10m",
  takes: "duration",
} as const;
export const giveUpAfter = {
  flags: "--give-up-after <duration>",
  description: "stop when the server has not responded for this time; default: 60s",
  takes: "duration",
} as const;
export const out = {
  flags: "--out <file>",
  description: "save the plan, as JSON; -: to stdout instead of the text",
} as const;
export const detailedExitcode = {
  flags: "--detailed-exitcode",
  description: "exit 2 if changes are pending",
} as const;
export const yes = { flags: "--yes", description: "do not ask for confirmation" } as const;
export const storage = { flags: "--storage", description: "plan storage migrations too" } as const;
export const failOnLoosening = {
  flags: "--fail-on-loosening",
  description: "exit 3 if a change loosens a policy",
} as const;
export const resend = {
  flags: "--resend <glob>",
  description: "write matching resources even if nothing differs (repeatable)",
  takes: "list",
} as const;
export const status = {
  flags: "--status <status>",
  description: "created, running, success, failed or canceled",
} as const;

export const asOf = {
  flags: "--as-of <date>",
  description: "evaluate dates as of this day (UTC), such as 2027-06-30",
  takes: "day",
} as const;

export const dialect = {
  flags: "--dialect <name>",
  description: "naming dialect; default: that of the workspace",
  choices: dialectNames,
} as const;
export const serverDialect = {
  flags: "--dialect <name>",
  description: "naming dialect: that of the specification (neutral), or that of a platform",
  choices: dialectNames,
  default: "neutral",
} as const;
export const isTag = { flags: "--tag", description: "the ref is a tag" } as const;
export const tiers = ["free", "premium", "ultimate"] as const;
export const check = {
  flags: "--check",
  description: "list the files that would change without changing them",
} as const;
export const projects = {
  flags: "--projects <file>",
  description: "a file with the fleet's projects, one full path per line; default: the list of the last plan",
} as const;
export const workers = {
  flags: "--workers",
  description: "distribute reads and writes to workers (evenkeel worker)",
} as const;

/** For commands that send nothing. */
export const offline = [folder, report, quiet] as const;

/** For commands that send requests to the server. */
export const connected = [folder, report, concurrency, timeout, giveUpAfter, quiet] as const;

export const target = {
  flags: "--target <glob>",
  description: "only addresses that match, such as 'payments/*' (repeatable)",
  takes: "list",
} as const;

export const exclude = {
  flags: "--exclude <glob>",
  description: "no addresses that match, such as '*:variable/*' (repeatable)",
  takes: "list",
} as const;

/** For commands that compare a workspace with its server. */
export const online = [
  folder,
  target,
  exclude,
  {
    flags: "--shard <i/n>",
    description: "only the i-th of n parts of the projects; auto: from CI_NODE_INDEX and CI_NODE_TOTAL",
    takes: "shard",
  },
  { flags: "--since <rev>", description: "only projects whose desired state changed since this git revision" },
  planReport,
  concurrency,
  workers,
  timeout,
  giveUpAfter,
  quiet,
] as const;

/** Options that most commands share, which help lists last. */
export const sharedOptions: ReadonlySet<string> = new Set(
  [folder, report, concurrency, workers, timeout, giveUpAfter, quiet].map(({ flags }) => flags),
);

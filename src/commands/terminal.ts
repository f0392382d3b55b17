import { fstatSync } from "node:fs";
import { exit } from "../base/exit.ts";
import { printableLines } from "../base/printable.ts";
import type { Palette } from "../report/palette.ts";
import { writeAll } from "../workspace/durable-file.ts";
import { paletteFor, withLabels } from "./colours.ts";
import type { Host, OutputStream } from "./host.ts";
import { noBar, type Progress, Screen, startBar } from "./progress-bar.ts";
import { blocking, interruptionOf } from "./signals.ts";

export type { Progress } from "./progress-bar.ts";

/** The input and output of a command. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Prints a result for people on stdout. */
  readonly print: (text: string) => void;
  /** Prints a result for programs on stdout, unchanged. */
  readonly emit: (text: string) => void;
  /** Prints a problem or an error on stderr. */
  readonly warn: (text: string) => void;
  /** Prints on stderr, unless `--quiet`. */
  readonly note: (text: string) => void;
  /** Reports an output that could not be written on stderr, and makes the run fail. */
  readonly fail: (sentence: string) => void;
  /** Runs something that may wait for another program, such as opening a FIFO: a signal then ends the process at once. */
  readonly blocking: (work: () => void) => void;
  /** For stdout, and for stderr. */
  readonly palette: Palette;
  readonly warnings: Palette;
  /** Whether there is a person to prompt. */
  readonly interactive: boolean;
  /** Prompts; true only for `yes`. */
  readonly confirm: (question: string) => Promise<boolean>;
  /** Prompts for several answers. */
  readonly interview: <Result>(work: (ask: AskQuestion) => Promise<Result>) => Promise<Result>;
  /** A progress bar on stderr, if that is a terminal. */
  readonly progress: (label: string) => Progress;
  /**
   * From now on the first SIGINT, SIGTERM or SIGHUP aborts `interrupted`, and the second one ends the process. Before
   * that, a signal has its default effect, even while the event loop is busy.
   */
  readonly listen: () => void;
  readonly interrupted: AbortSignal;
}

/** The trimmed answer; undefined if input ended. */
export type AskQuestion = (question: string) => Promise<string | undefined>;

export interface TerminalOptions {
  readonly quiet?: boolean;
  /** False for `--no-color`. */
  readonly color?: boolean;
}

/** The terminal of a process. */
export function createTerminal(host: Host, { quiet, color }: TerminalOptions): Terminal {
  const { stdin, stdout, stderr, env } = host;
  const [toStdout, toStderr] = [writerTo(stdout), writerTo(stderr)];
  const warnings = paletteFor(host, stderr, color);
  const screen = new Screen(stderr);
  const warn = (text: string) => {
    if (text === "") return;
    screen.clear();
    toStderr(`${withLabels(printableLines(text), warnings)}\n`);
  };
  const emit = (text: string) => {
    if (text === "") return;
    screen.clear();
    toStdout(`${text}\n`);
  };
  const interruption = interruptionOf(host, () => screen.leave());
  // In a container, the first process receives only signals that it handles.
  if (host.pid === 1) interruption.listen();
  const asking = <Result>(work: (ask: AskQuestion) => Promise<Result>) => {
    interruption.listen();
    return interview(host, work);
  };
  return {
    env,
    cwd: host.cwd(),
    print: (text) => emit(printableLines(text)),
    emit,
    warn,
    note: quiet ? () => {} : warn,
    fail: (sentence) => {
      warn(`error: ${sentence}`);
      host.exitCode = exit.problem;
    },
    blocking: (work) => blocking(host, work),
    palette: paletteFor(host, stdout, color),
    warnings,
    interactive: Boolean(stdin.isTTY && stderr.isTTY),
    confirm: (question) => asking(async (ask) => (await ask(question)) === "yes"),
    interview: asking,
    progress: (label) => (quiet || !stderr.isTTY ? noBar : startBar(label, stderr, screen)),
    listen: interruption.listen,
    interrupted: interruption.signal,
  };
}

/** Node's own stream ignores partial writes, as on a full disk. */
function writerTo(stream: OutputStream): (text: string) => void {
  const { fd } = stream;
  if (fd === undefined || !isRegular(fd)) return (text) => void stream.write(text);
  return (text) => {
    try {
      writeAll(fd, text);
    } catch (error) {
      stream.emit("error", error);
    }
  };
}

/**
 * As a bigint: otherwise a `stat` of a pipe remains in a cache of Node's, which then does not resolve links of packages in
 * a linked installation.
 */
function isRegular(fd: number): boolean {
  return fstatSync(fd, { bigint: true }).isFile();
}

/** One reader for all prompts, which keeps input that is typed ahead. */
async function interview<Result>(host: Host, work: (ask: AskQuestion) => Promise<Result>): Promise<Result> {
  const { createInterface } = await import("node:readline");
  const prompt = createInterface({ input: host.stdin, output: host.stderr });
  const lines = prompt[Symbol.asyncIterator]();
  prompt.once("SIGINT", () => {
    prompt.close();
    host.emit("SIGINT", "SIGINT");
  });
  const ask: AskQuestion = async (question) => {
    prompt.setPrompt(`${question} `);
    prompt.prompt();
    const { value, done } = await lines.next();
    if (!done) return String(value).trim();
    host.stderr.write("\n");
    return undefined;
  };
  try {
    return await work(ask);
  } finally {
    prompt.close();
  }
}

import { fstatSync } from "node:fs";
import { Ansis } from "ansis";
import { exit } from "../base/exit.ts";
import { printableLines } from "../base/printable.ts";
import { type Palette, plain } from "../report/palette.ts";
import { writeAll } from "../workspace/durable-file.ts";
import { noBar, type Progress, startBar } from "./progress-bar.ts";

export type { Progress } from "./progress-bar.ts";

/** Where a command reads and writes: the process, as commands may see it. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** A result for people, to stdout. */
  readonly print: (text: string) => void;
  /** A result for programs, to stdout: character by character as it is. */
  readonly emit: (text: string) => void;
  /** A problem or an error, to stderr. */
  readonly warn: (text: string) => void;
  /** What `--quiet` leaves out, to stderr. */
  readonly note: (text: string) => void;
  /** An output that could not be written: told on stderr, and the run ends with an error at least. */
  readonly fail: (sentence: string) => void;
  /** For what may wait for another program, such as opening a FIFO: a signal ends the process at once meanwhile. */
  readonly blocking: (work: () => void) => void;
  /** For stdout, and for stderr. */
  readonly palette: Palette;
  readonly warnings: Palette;
  /** Whether there is a person to ask. */
  readonly interactive: boolean;
  /** Asks; true for the word `yes` alone. */
  readonly confirm: (question: string) => Promise<boolean>;
  /** Asks one thing after another. */
  readonly interview: <Result>(work: (ask: AskQuestion) => Promise<Result>) => Promise<Result>;
  /** A bar on a terminal's stderr; nothing elsewhere. */
  readonly progress: (label: string) => Progress;
  /**
   * From here on the first SIGINT, SIGTERM or SIGHUP aborts `interrupted`, and the second one ends the process at once.
   * Until then a signal ends the process as the system does it, also while the program is too busy to be told of one.
   */
  readonly listen: () => void;
  readonly interrupted: AbortSignal;
}

/** The answer without white space around it; undefined where there is nobody to answer any more. */
export type AskQuestion = (question: string) => Promise<string | undefined>;

export interface TerminalOptions {
  readonly quiet?: boolean;
  /** False for `--no-color`. */
  readonly color?: boolean;
}

/** A stream that a run writes to. */
interface OutputStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly fd?: number;
}

/** What a run needs of a process, so that it can do without one. */
export interface Host {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly cwd: () => string;
  readonly on: (signal: NodeJS.Signals, listener: NodeJS.SignalsListener) => unknown;
  readonly emit: (signal: NodeJS.Signals, name: NodeJS.Signals) => boolean;
  readonly listeners: (signal: NodeJS.Signals) => readonly NodeJS.SignalsListener[];
  readonly removeAllListeners: (signal: NodeJS.Signals) => unknown;
  readonly exit: (code: number) => void;
  exitCode?: number | string | null | undefined;
}

/** The terminal of a process. */
export function createTerminal(host: Host, { quiet, color }: TerminalOptions): Terminal {
  const { stdin, stdout, stderr, env } = host;
  const [toStdout, toStderr] = [writerTo(stdout), writerTo(stderr)];
  const warn = (text: string) => void (text && toStderr(`${printableLines(text)}\n`));
  const emit = (text: string) => void (text && toStdout(`${text}\n`));
  const paletteFor = ({ isTTY }: OutputStream) => (color !== false && isColourful(env, isTTY) ? colours() : plain);
  const interruption = interruptionOf(host);
  // The system delivers no signal to a container's first process that it does not listen for.
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
      warn(`evenkeel: ${sentence}`);
      host.exitCode = exit.problem;
    },
    blocking: (work) => blocking(host, work),
    palette: paletteFor(stdout),
    warnings: paletteFor(stderr),
    interactive: Boolean(stdin.isTTY && stderr.isTTY),
    confirm: (question) => asking(async (ask) => (await ask(question)) === "yes"),
    interview: asking,
    progress: (label) => (quiet || !stderr.isTTY ? noBar : startBar(label, stderr)),
    listen: interruption.listen,
    interrupted: interruption.signal,
  };
}

/** Node's own stream takes a file that grew by a part of the text, as on a full disk, for one that holds all of it. */
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
 * As a bigint: what Node keeps of the last other look at a pipe makes it leave links unresolved where it looks for
 * packages, and those of a linked installation are not found then.
 */
function isRegular(fd: number): boolean {
  return fstatSync(fd, { bigint: true }).isFile();
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function blocking(host: Host, work: () => void): void {
  const kept = signals.map((signal) => [signal, host.listeners(signal)] as const);
  for (const signal of signals) host.removeAllListeners(signal);
  try {
    work();
  } finally {
    for (const [signal, listeners] of kept) for (const listener of listeners) host.on(signal, listener);
  }
}

function isColourful(env: Host["env"], isTTY = false): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  return isTTY && env.TERM !== "dumb";
}

function colours(): Palette {
  const paint = new Ansis(1);
  return {
    add: paint.green,
    change: paint.yellow,
    remove: paint.red,
    strong: paint.bold,
    faint: paint.dim,
    warn: paint.yellow,
  };
}

/** One reader for all questions: it keeps what is typed ahead. */
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

function interruptionOf(host: Host): { readonly signal: AbortSignal; readonly listen: () => void } {
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) return host.exit(130);
    controller.abort("the run was interrupted");
  };
  let listening = false;
  const listen = () => {
    if (listening) return;
    listening = true;
    for (const signal of signals) host.on(signal, interrupt);
  };
  return { signal: controller.signal, listen };
}

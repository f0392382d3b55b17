import { once } from "node:events";
import { fstatSync } from "node:fs";
import { resolve } from "node:path";
import { Ansis } from "ansis";
import { exit } from "../base/exit.ts";
import { printableLines } from "../base/printable.ts";
import { type Palette, plain } from "../report/terminal.ts";
import { writeAll } from "../workspace/durable-file.ts";

export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The folder of `-C`, else the working directory. */
  readonly folder: string;
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
  /** For stdout and for stderr. */
  readonly palette: Palette;
  readonly warnings: Palette;
  readonly interactive: boolean;
  /** Prompts; true only for `yes`. */
  readonly confirm: (question: string) => Promise<boolean>;
  readonly lines: () => AsyncIterable<string>;
  /** True if nothing about the run may be stored. */
  readonly unrecorded: boolean;
  readonly progress: (label: string) => Progress;
  /**
   * From now on the first SIGINT, SIGTERM or SIGHUP aborts `interrupted`, and the second one ends the process. Before
   * that, a signal has its default effect, even while the event loop is busy.
   */
  readonly listen: () => void;
  readonly interrupted: AbortSignal;
}

/** `color` is false for `--no-color`. */
export function createTerminal(
  host: Host,
  { quiet, color, C = "." }: { readonly quiet?: boolean; readonly color?: boolean; readonly C?: string },
): Terminal {
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
  const interruption = createInterruption(host, () => screen.leave());
  // In a container, the first process receives only signals that it handles.
  if (host.pid === 1) interruption.listen();
  return {
    env,
    cwd: host.cwd(),
    folder: resolve(host.cwd(), C),
    print: (text) => emit(printableLines(text)),
    emit,
    warn,
    note: quiet ? () => {} : warn,
    fail: (sentence) => {
      warn(`error: ${sentence}`);
      host.exitCode = exit.problem;
    },
    palette: paletteFor(host, stdout, color),
    warnings,
    interactive: Boolean(stdin.isTTY && stderr.isTTY),
    confirm: async (question) => {
      interruption.listen();
      return (await prompt(host, question)) === "yes";
    },
    lines: () => readLines(stdin),
    unrecorded: host.unrecorded === true,
    progress: (label) => (quiet || !stderr.isTTY ? noBar : startBar(label, screen)),
    listen: interruption.listen,
    interrupted: interruption.signal,
  };
}

export async function serveUntilInterrupted({ listen, print, interrupted }: Terminal, url: string): Promise<void> {
  listen();
  print(`listening on ${url}`);
  await once(interrupted, "abort");
}

/** Node's own stream ignores partial writes, as on a full disk. */
function writerTo(stream: OutputStream): (text: string) => void {
  const { fd } = stream;
  // A bigint, because Node.js caches a plain `stat` of a pipe, and then fails to resolve links to packages in a linked
  // installation.
  if (fd === undefined || !fstatSync(fd, { bigint: true }).isFile()) return (text) => void stream.write(text);
  return (text) => {
    try {
      writeAll(fd, text);
    } catch (error) {
      stream.emit("error", error);
    }
  };
}

async function prompt(host: Host, question: string): Promise<string | undefined> {
  const { createInterface } = await import("node:readline");
  const reader = createInterface({ input: host.stdin, output: host.stderr });
  reader.once("SIGINT", () => {
    reader.close();
    host.emit("SIGINT", "SIGINT");
  });
  try {
    reader.setPrompt(`${question} `);
    reader.prompt();
    for await (const line of reader) return line.trim();
    host.stderr.write("\n");
    return undefined;
  } finally {
    reader.close();
  }
}

async function* readLines(input: Host["stdin"]): AsyncIterable<string> {
  const { createInterface } = await import("node:readline");
  yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Aborted by the first signal after `listen`; the second one ends the process, after `leaving`. */
function createInterruption(host: Host, leaving: () => void) {
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) {
      leaving();
      return host.exit(130);
    }
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

export interface Progress {
  readonly update: (done: number, total: number, note?: string) => void;
  readonly stop: () => void;
}

export const noBar: Progress = { update: () => {}, stop: () => {} };

/** The last line of a terminal, where one bar at a time is drawn. */
export class Screen {
  #isShown = false;
  #drawnAt = 0;
  readonly #stream: OutputStream;

  constructor(stream: OutputStream) {
    this.#stream = stream;
  }

  /** At most ten times a second. Hides the cursor. */
  draw(line: string): void {
    if (performance.now() - this.#drawnAt < 100) return;
    const whole = line.slice(0, (this.#stream.columns ?? 80) - 1);
    this.#stream.write(`${this.#isShown ? "\r\u001b[2K" : "\u001b[?25l"}${whole}`);
    this.#drawnAt = performance.now();
    this.#isShown = true;
  }

  /** Clears the bar before something else is printed; its next update draws it again below. */
  clear(): void {
    if (this.#isShown) this.#stream.write("\r\u001b[2K");
  }

  /** Removes the bar, and shows the cursor again. */
  leave(): void {
    if (this.#isShown) this.#stream.write("\r\u001b[2K\u001b[?25h");
    this.#isShown = false;
  }
}

/** A bar that is shown from its first update until it is stopped. */
export function startBar(label: string, screen: Screen): Progress {
  let stopped = false;
  return {
    update: (done, total, note = "") => {
      const filled = "=".repeat(total > 0 ? Math.min(30, Math.round((done / total) * 30)) : 0);
      if (!stopped) screen.draw(`${label} [${filled.padEnd(30, "-")}] ${done}/${total} ${note}`);
    },
    stop: () => {
      if (!stopped) screen.leave();
      stopped = true;
    },
  };
}

export function paletteFor({ env }: Pick<Host, "env">, { isTTY }: OutputStream, color?: boolean): Palette {
  if (color === false || !isColourful(env, isTTY)) return plain;
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

/** The text with its labels in colour: `error:`, `warning:`, `note:` or the position of a mistake begins a line. */
export function withLabels(text: string, { remove, warn, faint, strong }: Palette): string {
  const paints = { error: (label: string) => strong(remove(label)), warning: warn, note: faint };
  const labels = /^(?:(error|warning|note):|\S+:\d+:\d+(?= {2}))/gm;
  return text.replace(labels, (label, word: keyof typeof paints = "error") => paints[word](label));
}

function isColourful(env: Host["env"], isTTY = false): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  return isTTY && env.TERM !== "dumb";
}

interface OutputStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly fd?: number;
}

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
  readonly exit: (code: number) => void;
  /** True if nothing about its runs may be stored. */
  readonly unrecorded?: true;
  exitCode?: number | string | null | undefined;
}

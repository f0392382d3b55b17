/** A stream that a run writes to. */
export interface OutputStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly fd?: number;
}

/** The parts of a process that a run uses, which tests replace. */
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

import type { Network } from "../client/network.ts";
import type { Tracing } from "../client/spans.ts";

/** Settings of a worker. */
export interface WorkerOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder that `file:` secrets are relative to. */
  readonly root: string;
  /** As EVENKEEL_URL has it. */
  readonly url: string;
  /** The server that it names. */
  readonly origin: string;
  readonly token: string;
  readonly network: Network;
  readonly concurrency: number;
  /** Milliseconds for which a process is believed to be there without a word of it. */
  readonly duration: number;
  /** Aborted: what is in flight is finished, and the rest given back. */
  readonly signal: AbortSignal;
  /** End with the run that is worked for, or after so many milliseconds without any; left out: never. */
  readonly once: number | undefined;
  readonly say: (sentence: string) => void;
  /** Where spans are recorded; left out: nowhere. */
  readonly tracing?: Tracing | undefined;
}

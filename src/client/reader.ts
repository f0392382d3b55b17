import type { Catalogue } from "../model/catalogue.ts";
import type { Call } from "../model/types.ts";
import type { CallFailed } from "./failure.ts";

/** A successful answer: `body` is the parsed JSON, undefined where there was none. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** What the server calls the request, where it was a write. */
  readonly requestId: string | undefined;
}

/** Reads from one server. It has no way to write: neither it nor what it sends with knows how. */
export interface Reader {
  /** What there is to configure on it, in its own names. */
  readonly catalogue: Catalogue;
  /** @throws CallFailed for anything but a success. */
  get(call: Call): Promise<Answer>;
  /** All rows of a list, from all of its pages, each `id` once. @throws CallFailed. */
  list(call: Call): Promise<readonly unknown[]>;
  /** How many requests may be in flight now: it changes with how the server answers. */
  room(): number;
  /** Requests sent: the first attempts of reads and of writes, and further attempts of either. */
  readonly counts: { readonly reads: number; readonly writes: number; readonly retries: number };
}

/** Reads and writes. */
export interface Writer extends Reader {
  /**
   * Sends a PUT, POST, PATCH or DELETE. Secrets are resolved here and nowhere before, as the request is written.
   * @throws CallFailed; SecretMissing where a reference leads to no value: then nothing was sent.
   */
  send(call: Call): Promise<Answer>;
  /**
   * Sends a write as {@link Writer.send} does, and looks up its effect if no usable answer came (docs/running.md), which needs `probe`. Never throws for what a server does. @throws SecretMissing.
   */
  settle(call: Call, probe?: EffectProbe): Promise<Settled>;
}

/** Reads whether the effect of a write is there. @throws CallFailed where that cannot be read. */
export type EffectProbe = (reader: Reader) => Promise<boolean>;

/** What became of a write. */
export type Settled =
  | { readonly answer: Answer }
  /** No usable answer came, and reading shows the effect. */
  | { readonly found: true }
  | {
      readonly failure: CallFailed;
      /** Whether the server may have acted, or may still. */
      readonly unknown: boolean;
      /** Why it could not be looked up. */
      readonly lookUp?: CallFailed | undefined;
    };

/** Ends a connection, as leaving the block of an `await using` does: sends nothing more, and resolves when writes in flight have ended. */
export interface Closing extends AsyncDisposable {
  /** Whether it sends nothing more, whatever ended it. */
  readonly isOver: () => boolean;
  close(): Promise<void>;
}

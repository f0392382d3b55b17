import type { Catalogue } from "../model/catalogue.ts";
import type { Call } from "../model/types.ts";
import type { CallFailed } from "./failure.ts";

/** A successful response. `body` is the parsed JSON, undefined if empty. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** The server's ID of the request. */
  readonly requestId: string | undefined;
}

/** Reads from one server. Cannot write: neither it nor its transport accepts other methods. */
export interface Reader {
  /** The catalogue in the server's own names. */
  readonly catalogue: Catalogue;
  /** @throws CallFailed for anything but a success. */
  get(call: Call): Promise<Answer>;
  /** All rows of a list, from all pages, each `id` once. @throws CallFailed. */
  list(call: Call): Promise<readonly unknown[]>;
  /** Number of requests that may be in flight now; it adapts to the server's responses. */
  room(): number;
  /** Requests sent: first attempts of reads and of writes, and all further attempts. */
  readonly counts: { readonly reads: number; readonly writes: number; readonly retries: number };
}

/** Reads and writes. */
export interface Writer extends Reader {
  /**
   * Sends a PUT, POST, PATCH or DELETE. Secrets are resolved only here, as the request is encoded. @throws CallFailed;
   * SecretMissing if a reference has no value: then nothing was sent.
   */
  send(call: Call): Promise<Answer>;
  /**
   * Sends a write like {@link Writer.send}. Without a usable response, looks up its effect with `probe`
   * (docs/running.md). Server failures are returned, not thrown. @throws SecretMissing.
   */
  settle(call: Call, probe?: EffectProbe): Promise<Settled>;
}

/** Returns whether the effect of a write is present. @throws CallFailed if that cannot be read. */
export type EffectProbe = (reader: Reader) => Promise<boolean>;

/** The outcome of a write. */
export type Settled =
  | { readonly answer: Answer }
  /** No usable response, but the probe found the effect. */
  | { readonly found: true }
  | {
      readonly failure: CallFailed;
      /** True if the server may have acted, or may still act. */
      readonly unknown: boolean;
      /** The failure of the probe. */
      readonly lookUp?: CallFailed | undefined;
    };

/**
 * Ends a connection, as leaving the block of an `await using` does: sends nothing more, and resolves when writes in
 * flight have ended.
 */
export interface Closing extends AsyncDisposable {
  /** True once nothing more is sent, for any reason. */
  readonly isOver: () => boolean;
  close(): Promise<void>;
}

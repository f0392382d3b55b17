import type { Catalogue } from "../model/catalogue.ts";
import type { Call } from "../model/types.ts";
import type { CallFailed } from "./failure.ts";

/** A successful response. `body` is the parsed JSON, undefined if empty. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly requestId: string | undefined;
}

/** Reads from one server. Cannot write: neither it nor its transport accepts other methods. */
export interface Reader {
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

export interface Writer extends Reader {
  /** Resolves secrets only as the request is encoded. @throws CallFailed; SecretMissing, then nothing was sent. */
  send(call: Call): Promise<Answer>;
  /** As `send`, but looks up the effect with `probe` if there is no usable response, and returns failures. */
  settle(call: Call, probe?: EffectProbe): Promise<Settled>;
}

export type EffectProbe = (reader: Reader) => Promise<boolean>;

export type Settled =
  | { readonly answer: Answer }
  /** No usable response, but the probe found the effect. */
  | { readonly found: true }
  | {
      readonly failure: CallFailed;
      /** True if the server may have acted, or may still act. */
      readonly unknown: boolean;
      readonly lookUp?: CallFailed | undefined;
    };

/** Sends nothing more, and resolves when writes in flight have ended. */
export interface Closing extends AsyncDisposable {
  readonly isOver: () => boolean;
  close(): Promise<void>;
}

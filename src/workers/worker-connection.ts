import { type ClientOptions, type Closing, connectWriter, type Writer } from "../client/client.ts";
import type { Network } from "../client/network.ts";
import { withKinds } from "../manifest/own-kinds.ts";
import { catalogueOf } from "../model/catalogue.ts";
import type { Rates } from "../state/rates.ts";
import type { Work } from "./chunks.ts";
import { sentBy } from "./membership.ts";

/** Settings of a worker. */
export interface WorkerOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Base folder of `file:` secrets. */
  readonly root: string;
  /** Value of EVENKEEL_URL. */
  readonly url: string;
  /** Origin of `url`. */
  readonly origin: string;
  readonly token: string;
  readonly network: Network;
  readonly concurrency: number;
  /** Milliseconds after its last heartbeat for which a process counts as alive. */
  readonly duration: number;
  /** On abort, requests in flight are finished and the rest of the work returns to the queue. */
  readonly signal: AbortSignal;
  /** Exit after the first run, or after this many milliseconds without one; undefined: never. */
  readonly once: number | undefined;
  /** Prints a message. */
  readonly say: (sentence: string) => void;
}

type ChunkSecrets = NonNullable<ClientOptions["secrets"]>;

/** Keeps one connection to the server for all work with the same settings. */
export function keepConnected({ url, token, network, concurrency, signal, say }: WorkerOptions, rates: Rates) {
  let open: { readonly key: string; readonly writer: Writer & Closing } | undefined;
  let mayWrite: () => string | undefined = () => undefined;
  let secrets: ChunkSecrets | undefined;
  const resolve: ChunkSecrets["resolve"] = (reference) => {
    if (!secrets) throw new RangeError("no work was started");
    return secrets.resolve(reference);
  };
  let before = 0;
  const sent = () => before + (open ? sentBy(open.writer) : 0);
  const drop = async () => {
    await open?.writer.close();
    before = sent();
    open = undefined;
  };
  return {
    drop,
    /** Requests sent over all connections. */
    sent,
    /** For one chunk at a time, with the secrets of that chunk. */
    writer: async (work: Work, own: ChunkSecrets, stopped: () => string | undefined): Promise<Writer> => {
      const { requestTimeout, allowInsecure, dialect, kinds = [], rateLimit } = work;
      mayWrite = stopped;
      secrets = own;
      const key = JSON.stringify({ requestTimeout, allowInsecure, dialect, kinds, rateLimit });
      if (open?.key === key && !open.writer.isOver()) return open.writer;
      await drop();
      const catalogue = withKinds(catalogueOf(dialect), kinds);
      const server = { url, urlName: "EVENKEEL_URL", token, network, dialect, catalogue };
      const options = { ...server, concurrency, requestTimeout, allowInsecure, signal, secrets: { resolve } };
      const rate = rateLimit && { limit: rateLimit, rates, onTrouble: say };
      open = { key, writer: await connectWriter({ ...options, rate, mayWrite: () => mayWrite() }) };
      return open.writer;
    },
  };
}

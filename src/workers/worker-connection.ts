import { type ClientOptions, type Closing, connectWriter, type Writer } from "../client/client.ts";
import type { Rates } from "../state/rates.ts";
import type { Work } from "./chunks.ts";
import { sentBy } from "./membership.ts";
import type { WorkerOptions } from "./worker-options.ts";

type ChunkSecrets = NonNullable<ClientOptions["secrets"]>;

/** One connection for all work whose workspaces agree on how to talk to the server. */
export function keepConnected({ url, token, network, concurrency, signal, say }: WorkerOptions, rates: Rates) {
  let open: { readonly key: string; readonly writer: Writer & Closing } | undefined;
  let mayWrite: () => string | undefined = () => undefined;
  let secrets: ChunkSecrets | undefined;
  const resolve: ChunkSecrets["resolve"] = (reference) => {
    if (!secrets) throw new RangeError("no work was begun");
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
    /** Requests of all connections. */
    sent,
    /** For one piece of work at a time, with the secrets of that work. */
    writer: async (work: Work, own: ChunkSecrets, stopped: () => string | undefined): Promise<Writer> => {
      const { requestTimeout, allowInsecure, dialect, rateLimit } = work;
      mayWrite = stopped;
      secrets = own;
      const key = JSON.stringify({ requestTimeout, allowInsecure, dialect, rateLimit });
      if (open?.key === key && !open.writer.isOver()) return open.writer;
      await drop();
      const server = { url, urlName: "EVENKEEL_URL", token, network, dialect };
      const options = { ...server, concurrency, requestTimeout, allowInsecure, signal, secrets: { resolve } };
      const rate = rateLimit && { limit: rateLimit, rates, onTrouble: say };
      open = { key, writer: await connectWriter({ ...options, rate, mayWrite: () => mayWrite() }) };
      return open.writer;
    },
  };
}

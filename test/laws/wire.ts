import http from "node:http";
import type { AddressInfo } from "node:net";

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly body: Readonly<Record<string, string>>;
}

export interface Answered {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/**
 * What happens to a request: `lost` before or after the server acts, answered by a gateway before the server acts so
 * many milliseconds later, or another answer in the server's place.
 */
export type Fate =
  | "pass"
  | "lost"
  | "acted and lost"
  | { readonly status: number; readonly actsAfter: number | undefined }
  | ((answered: Answered, seen: Seen) => Answered);

/** A wire between program and server that remembers what went over it, and may be cut. */
export interface Wire {
  readonly url: string;
  readonly seen: Seen[];
  readonly writes: Seen[];
  /** Decides for each request, counted from 0 since the last reset. */
  fate: (seen: Seen, index: number) => Fate | Promise<Fate>;
  reset(): void;
  close(): Promise<void>;
}

export async function layWire(url: string): Promise<Wire> {
  const agent = new http.Agent({ keepAlive: true });
  const seen: Seen[] = [];
  const listener = http.createServer((request, response) => {
    carry(request, response).catch(() => request.socket.destroy());
  });

  async function carry(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const body = await textOf(request);
    const { method = "GET", url: path = "/" } = request;
    const here: Seen = { method, path, body: Object.fromEntries(new URLSearchParams(body)) };
    const fate = await wire.fate(here, seen.push(here) - 1);
    if (typeof fate === "object") {
      response.writeHead(fate.status).end();
      if (fate.actsAfter !== undefined)
        setTimeout(() => forward(url, agent, request, body).catch(() => {}), fate.actsAfter);
      return;
    }
    const answered = fate === "lost" ? undefined : await forward(url, agent, request, body);
    if (fate === "lost" || fate === "acted and lost" || !answered) {
      request.socket.resetAndDestroy();
      return;
    }
    const { status, headers, body: text } = typeof fate === "function" ? fate(answered, here) : answered;
    const { "transfer-encoding": _, connection: __, "content-length": ___, ...rest } = headers;
    response.writeHead(status, { ...rest, ...(status !== 204 && { "content-length": Buffer.byteLength(text) }) });
    response.end(status === 204 ? undefined : text);
  }

  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const wire: Wire = {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    seen,
    get writes() {
      return seen.filter(({ method }) => method !== "GET");
    },
    fate: () => "pass",
    reset: () => {
      seen.length = 0;
      wire.fate = () => "pass";
    },
    close: async () => {
      agent.destroy();
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
  return wire;
}

async function textOf(stream: AsyncIterable<Buffer | string>): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += chunk;
  return text;
}

function forward(url: string, agent: http.Agent, { method, url: path, headers }: http.IncomingMessage, body: string) {
  return new Promise<Answered>((resolve, reject) => {
    const { host: _, connection: __, ...rest } = headers;
    const onward = http.request(`${url}${path}`, { agent, method, headers: rest }, (response) => {
      const { statusCode: status = 0, headers: answered } = response;
      textOf(response).then((text) => resolve({ status, headers: answered, body: text }), reject);
    });
    onward.on("error", reject);
    onward.end(body);
  });
}

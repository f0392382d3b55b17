import type { Socket } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import type { buildConnector } from "undici";
import { httpLibrary } from "./http-library.ts";
import type { Network } from "./network.ts";
import type { HttpProxy } from "./proxy.ts";

type Connector = buildConnector.connector;

/** A proxy that cannot be reached, or does not let a connection through; `code` begins with `PROXY_`. */
class ProxyTrouble extends Error {
  readonly code: string;
  constructor(code: string | number) {
    super("the proxy did not open a connection");
    this.code = `PROXY_${code}`;
  }
}

/**
 * How connections to a server come about: directly or through the network's proxy, believing its authorities. `timeout`,
 * in milliseconds, holds for each step of it.
 */
export function connectorFor({ proxy, authorities, identity }: Network, timeout: number): Connector {
  const toServer = httpLibrary().buildConnector({ timeout, ...contextFor(authorities, identity) });
  return tolerant(proxy ? throughProxy(proxy, toServer, { timeout, ...contextFor(authorities) }) : toServer);
}

/** Nothing where Node's own context does; else one context for all connections, since making one takes long. */
function contextFor(authorities?: string, identity?: Network["identity"]): { secureContext?: SecureContext } {
  if (!authorities && !identity) return {};
  const secureContext = createSecureContext(identity);
  // The option `ca` would take the place of Node's own authorities, with those of NODE_EXTRA_CA_CERTS and the system.
  if (authorities) secureContext.context.addCACert(authorities);
  return { secureContext };
}

type Options = { readonly timeout: number; readonly secureContext?: SecureContext };

/** `toServer` is what goes on inside the tunnel. */
function throughProxy(proxy: HttpProxy, toServer: Connector, options: Options): Connector {
  return (wanted, callback) => {
    openTunnel(proxy, authorityOf(wanted), options).then(
      (httpSocket) => {
        if (wanted.protocol === "https:") toServer({ ...wanted, httpSocket }, callback);
        else callback(null, httpSocket);
      },
      (error: Error) => callback(error, null),
    );
  };
}

/** Host and port, the latter always. */
function authorityOf({ hostname, port, protocol }: buildConnector.Options): string {
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  return `${host}:${port || (protocol === "https:" ? 443 : 80)}`;
}

/** A connection to `authority` by way of the proxy. @throws ProxyTrouble. */
async function openTunnel(
  { origin, authorization }: HttpProxy,
  authority: string,
  { timeout, ...connect }: Options,
): Promise<Socket> {
  const { Client } = await import("undici");
  const client = new Client(origin, { connect: { timeout, ...connect }, headersTimeout: timeout });
  const headers = { host: authority, ...(authorization && { "proxy-authorization": authorization }) };
  try {
    const { statusCode, socket } = await client.connect({ path: authority, headers });
    if (statusCode === 200) return socket as Socket;
    socket.on("error", () => {}).destroy();
    throw new ProxyTrouble(statusCode);
  } catch (error) {
    if (error instanceof ProxyTrouble) throw error;
    throw new ProxyTrouble(String((error as NodeJS.ErrnoException).code ?? "unknown"));
  } finally {
    client.close().catch(() => {});
  }
}

function tolerant(connect: Connector): Connector {
  return (options, callback) => {
    connect(options, (...result) => {
      if (result[1]) dropContinue(result[1]);
      callback(...result);
    });
  };
}

const start = Buffer.from("HTTP/1.1 100");
const end = "\r\n\r\n";
/** Where it differs from nearly every other answer. */
const told = "HTTP/1.1 ".length;
/** Bytes of a `100 Continue` that is waited for to its end. */
const longest = 16 * 1024;

/**
 * Takes `100 Continue` out of what a connection reads, since undici takes an unsolicited one as a broken answer,
 * where RFC 9110 (15.2) has clients ignore it. No answer in JSON begins a line like that.
 */
function dropContinue(socket: Socket): void {
  const read = socket.read.bind(socket);
  let held: Buffer | undefined;
  socket.read = (size?: number): Buffer | null => {
    for (;;) {
      const chunk: Buffer | null = read(size);
      if (!chunk || (!held && !mayStart(chunk))) return chunk;
      const rest: Buffer = withoutContinue(held ? Buffer.concat([held, chunk]) : chunk);
      held = mayStart(rest) && rest.length < longest ? rest : undefined;
      if (!held && rest.length > 0) return rest;
    }
  };
}

/** Whether `100 Continue` begins here, as far as can be told from so many bytes. */
function mayStart(bytes: Buffer): boolean {
  if (bytes.length > told && bytes[told] !== start[told]) return false;
  const length = Math.min(bytes.length, start.length);
  return length > 0 && bytes.compare(start, 0, length, 0, length) === 0;
}

function withoutContinue(bytes: Buffer): Buffer {
  let rest = bytes;
  while (rest.length >= start.length && mayStart(rest)) {
    const at = rest.indexOf(end);
    if (at < 0) return rest;
    rest = rest.subarray(at + end.length);
  }
  return rest;
}

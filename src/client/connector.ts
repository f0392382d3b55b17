import type { Socket } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import { buildConnector, Client } from "undici";
import { dropContinue } from "./continue.ts";
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
  const toServer = buildConnector({ timeout, ...contextFor(authorities, identity) });
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

import { createSecureContext, type SecureContext } from "node:tls";
import type { Agent, Dispatcher } from "undici";
import { type Identity, readCertificates, readIdentity } from "../secrets/certificates.ts";
import { type HttpProxy, proxyFor } from "./proxy.ts";

/** What lies between this process and a server, and how each of the two knows the other. */
export interface Network {
  readonly proxy?: HttpProxy | undefined;
  /** PEM certificates of authorities that are trusted beside Node's own. */
  readonly authorities?: string | undefined;
  /** Shown to a server that asks for a client certificate. */
  readonly identity?: Identity | undefined;
}

/**
 * The way to a server as the environment describes it: HTTPS_PROXY, HTTP_PROXY and NO_PROXY, EVENKEEL_CLIENT_CERT and
 * EVENKEEL_CLIENT_KEY. `authorities` is the content of the workspace's `server.ca`.
 * @throws UserError where a variable names what cannot be used.
 */
export function networkFor(
  server: string,
  env: Readonly<Record<string, string | undefined>>,
  authorities?: string,
): Network {
  const all = authorities && authorities + extraAuthorities(env.NODE_EXTRA_CA_CERTS);
  return { proxy: proxyFor(server, env), authorities: all, identity: readIdentity(env) };
}

/** Node 20 forgets those of NODE_EXTRA_CA_CERTS if others are added; it warns itself if they cannot be read. */
function extraAuthorities(file: string | undefined): string {
  const read = file ? readCertificates(file) : { why: "" };
  return "text" in read ? read.text : "";
}

/** Milliseconds to wait for a connection, even if an attempt may take longer. */
const longestConnect = 10_000;

/** Opens connections through the network's proxy or directly; each step of connecting takes up to `timeout` milliseconds. */
export async function openAgent(network: Network, timeout: number, options: Agent.Options): Promise<Dispatcher> {
  const { Agent, ProxyAgent } = await import("undici");
  const { proxy, authorities, identity } = network;
  const limit = Math.min(timeout, longestConnect);
  const connect = { timeout: limit, ...contextFor(authorities, identity) };
  if (!proxy) return new Agent({ ...options, connect });
  const proxyTls = { timeout: limit, ...contextFor(authorities) };
  const { origin: uri, authorization } = proxy;
  return new ProxyAgent({
    ...options,
    uri,
    requestTls: connect,
    proxyTls,
    ...(authorization && { token: authorization }),
  });
}

/** Nothing if Node's own context will do; else one context for all connections, because making one takes long. */
function contextFor(authorities?: string, identity?: Identity): { secureContext?: SecureContext } {
  if (!authorities && !identity) return {};
  const secureContext = createSecureContext(identity);
  // The option `ca` would replace Node's own authorities, those of NODE_EXTRA_CA_CERTS and the system.
  if (authorities) secureContext.context.addCACert(authorities);
  return { secureContext };
}

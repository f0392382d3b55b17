import { BlockList, isIP } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import type { Agent, Dispatcher } from "undici";
import { UserError } from "../base/exit.ts";
import { type Identity, readCertificates, readIdentity } from "../secrets/certificates.ts";
import { isLoopback } from "./server-url.ts";

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

/** A proxy that requests go through, by a CONNECT each connection. */
interface HttpProxy {
  readonly origin: string;
  /** Host and port, as messages name it; never with its credentials. */
  readonly name: string;
  /** The environment variable that names it. */
  readonly variable: string;
  /** Value of Proxy-Authorization. */
  readonly authorization: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Where a proxy may be named, the nearest first: as curl and undici look for it. */
const variables = {
  "https:": ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"],
  "http:": ["http_proxy", "HTTP_PROXY"],
} as const;

const ports = { "https:": 443, "http:": 80 } as const;

/**
 * The proxy on the way to a server, undefined where there is none. Loopback never has one, nor a host in NO_PROXY.
 * @throws UserError where the variable names no proxy; it never repeats the value, which may hold a password.
 */
export function proxyFor(server: string, env: Environment): HttpProxy | undefined {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (!url || !isScheme(url.protocol) || isLoopback(url.hostname)) return undefined;
  const variable = variables[url.protocol].find((name) => env[name]);
  if (variable === undefined || isExcepted(url, env.no_proxy || env.NO_PROXY || "")) return undefined;
  return parseProxy(env[variable] ?? "", variable);
}

function isScheme(protocol: string): protocol is keyof typeof ports {
  return Object.hasOwn(ports, protocol);
}

/** A value without a scheme is a proxy reached by plain http, as for curl. */
function parseProxy(value: string, variable: string): HttpProxy {
  const text = /^[a-z][a-z\d+.-]{0,20}:\/\//i.test(value) ? value : `http://${value}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url?.hostname) throw new UserError(`${variable} is not the URL of a proxy; expected one like ${example}`);
  const { protocol, hostname, port, origin } = url;
  if (!isScheme(protocol)) {
    throw new UserError(`${variable} has the scheme ${protocol.slice(0, -1)}; expected a proxy like ${example}`);
  }
  return { origin, name: `${hostname}:${port || ports[protocol]}`, variable, authorization: authorizationOf(url) };
}

const example = "http://proxy.example.com:3128";

function authorizationOf({ username, password }: URL): string | undefined {
  if (!username && !password) return undefined;
  return `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString("base64")}`;
}

/** A percent sign that encodes nothing stands for itself. */
function decoded(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}

/** `*`, hosts with all that lies below them, addresses, and networks such as 10.0.0.0/8, each with or without a port. */
function isExcepted({ hostname, protocol, port }: URL, list: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  const own = port || (protocol === "https:" ? "443" : "80");
  return list.split(/[,\s]+/).some((entry) => {
    const { name, only = own } = entryOf(entry);
    return only === own && name !== "" && (name === "*" || coversName(name, host) || coversAddress(name, host));
  });
}

function entryOf(entry: string): { readonly name: string; readonly only?: string | undefined } {
  const [, bracketed, bracketedPort] = /^\[([^\]]*)\](?::(\d{1,5}))?$/.exec(entry) ?? [];
  if (bracketed !== undefined) return { name: bracketed, only: bracketedPort };
  const [, name = entry, only] = /^([^:]*):(\d{1,5})$/.exec(entry) ?? [];
  return { name: name.toLowerCase(), only };
}

function coversName(name: string, host: string): boolean {
  const bare = name.replace(/^\*?\./, "");
  return host === bare || host.endsWith(`.${bare}`);
}

function coversAddress(name: string, host: string): boolean {
  const [network = "", bits] = name.split("/");
  const kind = isIP(host);
  if (kind === 0 || isIP(network) !== kind) return false;
  const family = kind === 4 ? "ipv4" : "ipv6";
  const longest = kind === 4 ? 32 : 128;
  const prefix = bits === undefined ? longest : Number(bits);
  if (!Number.isInteger(prefix) || prefix < 0 || prefix > longest) return false;
  const block = new BlockList();
  block.addSubnet(network, prefix, family);
  return block.check(host, family);
}

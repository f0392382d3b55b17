import { BlockList, isIP } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import type { Agent, Dispatcher } from "undici";
import { UserError } from "../base/exit.ts";
import { decodeUrl } from "../base/known-secrets.ts";
import { type Identity, readCertificates, readIdentity } from "../secrets/certificates.ts";
import { isLoopback } from "./server-url.ts";

export interface Network {
  readonly proxy?: HttpProxy | undefined;
  /** PEM certificates of authorities trusted in addition to Node's own. */
  readonly authorities?: string | undefined;
  readonly identity?: Identity | undefined;
}

/**
 * Network settings from the environment: HTTPS_PROXY, HTTP_PROXY and NO_PROXY, EVENKEEL_CLIENT_CERT and
 * EVENKEEL_CLIENT_KEY. `authorities` is the content of the workspace's `server.ca`. @throws UserError for an unusable
 * variable.
 */
export function readNetwork(
  server: string,
  env: Readonly<Record<string, string | undefined>>,
  authorities?: string,
): Network {
  const all = authorities && authorities + extraAuthorities(env.NODE_EXTRA_CA_CERTS);
  return { proxy: findProxy(server, env), authorities: all, identity: readIdentity(env) };
}

/** Node 20 drops NODE_EXTRA_CA_CERTS when other authorities are added. Node itself warns if they cannot be read. */
function extraAuthorities(file: string | undefined): string {
  const read = file ? readCertificates(file) : { why: "" };
  return "text" in read ? read.text : "";
}

/** Milliseconds to wait for a connection, even if an attempt may take longer. */
const longestConnect = 10_000;

/** Each step of connecting takes up to `timeout` milliseconds. */
export async function openAgent(network: Network, timeout: number, options: Agent.Options): Promise<Dispatcher> {
  const { Agent, ProxyAgent } = await import("undici");
  const { proxy, authorities, identity } = network;
  const limit = Math.min(timeout, longestConnect);
  const connect = { timeout: limit, ...createContext(authorities, identity) };
  if (!proxy) return new Agent({ ...options, connect });
  const proxyTls = { timeout: limit, ...createContext(authorities) };
  const { origin: uri, authorization } = proxy;
  return new ProxyAgent({
    ...options,
    uri,
    requestTls: connect,
    proxyTls,
    ...(authorization && { token: authorization }),
  });
}

/** Empty if Node's default context suffices; else one context for all connections, because creating one is slow. */
function createContext(authorities?: string, identity?: Identity): { secureContext?: SecureContext } {
  if (!authorities && !identity) return {};
  const secureContext = createSecureContext(identity);
  // The option `ca` would replace Node's own authorities, those of NODE_EXTRA_CA_CERTS and the system.
  if (authorities) secureContext.context.addCACert(authorities);
  return { secureContext };
}

interface HttpProxy {
  readonly origin: string;
  /** Host and port for messages, without credentials. */
  readonly name: string;
  readonly variable: string;
  readonly authorization: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that may name a proxy, first match wins: the order of curl and undici. */
const variables = {
  "https:": ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"],
  "http:": ["http_proxy", "HTTP_PROXY"],
} as const;

const ports = { "https:": 443, "http:": 80 } as const;

/** Loopback never has a proxy. @throws UserError, without the value, which may contain a password. */
export function findProxy(server: string, env: Environment): HttpProxy | undefined {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (!url || !isScheme(url.protocol) || isLoopback(url.hostname)) return undefined;
  const variable = variables[url.protocol].find((name) => env[name]);
  if (variable === undefined || isExcepted(url, env.no_proxy || env.NO_PROXY || "")) return undefined;
  return parseProxy(env[variable] ?? "", variable);
}

function isScheme(protocol: string): protocol is keyof typeof ports {
  return Object.hasOwn(ports, protocol);
}

/** A value without a scheme is a proxy over plain http, as for curl. */
function parseProxy(value: string, variable: string): HttpProxy {
  const text = /^[a-z][a-z\d+.-]{0,20}:\/\//i.test(value) ? value : `http://${value}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url?.hostname) throw new UserError(`${variable} is not the URL of a proxy; expected one like ${example}`);
  const { protocol, hostname, port, origin } = url;
  if (!isScheme(protocol)) {
    throw new UserError(`${variable} has the scheme ${protocol.slice(0, -1)}; expected a proxy like ${example}`);
  }
  return { origin, name: `${hostname}:${port || ports[protocol]}`, variable, authorization: encodeAuthorization(url) };
}

const example = "http://proxy.example.com:3128";

function encodeAuthorization({ username, password }: URL): string | undefined {
  if (!username && !password) return undefined;
  return `Basic ${Buffer.from(`${decodeEscapes(username)}:${decodeEscapes(password)}`).toString("base64")}`;
}

function decodeEscapes(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, decodeUrl);
}

/** A NO_PROXY list: `*`, hosts with their subdomains, addresses, networks; each with an optional port. */
function isExcepted({ hostname, protocol, port }: URL, list: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  const own = port || (protocol === "https:" ? "443" : "80");
  return list.split(/[,\s]+/).some((entry) => {
    const { name, only = own } = parseEntry(entry);
    return only === own && name !== "" && (name === "*" || coversName(name, host) || coversAddress(name, host));
  });
}

function parseEntry(entry: string): { readonly name: string; readonly only?: string | undefined } {
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

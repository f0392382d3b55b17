import { type Identity, readCertificates, readIdentity } from "../secrets/certificates.ts";
import { type HttpProxy, proxyFor } from "./proxy.ts";

/** What lies between this process and a server, and how each of the two knows the other. */
export interface Network {
  readonly proxy?: HttpProxy | undefined;
  /** PEM certificates of authorities that are believed beside those that Node believes by itself. */
  readonly authorities?: string | undefined;
  /** Shown to a server that asks for a client certificate. */
  readonly identity?: Identity | undefined;
}

/**
 * The way to a server as the environment describes it: HTTPS_PROXY, HTTP_PROXY and NO_PROXY, EVENKEEL_CLIENT_CERT and
 * EVENKEEL_CLIENT_KEY. `authorities` is what the workspace's `server.ca` holds.
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

/** Node 20 forgets those of NODE_EXTRA_CA_CERTS where others are added; it warns itself where they cannot be read. */
function extraAuthorities(file: string | undefined): string {
  const read = file ? readCertificates(file) : { why: "" };
  return "text" in read ? read.text : "";
}

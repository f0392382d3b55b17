import type { Attempt } from "./failure.ts";
import type { Network } from "./network.ts";
import type { Broken } from "./retry.ts";

/** The reason of an attempt without a complete response; completes "GET https://… ". */
export function describeBroken(result: Broken, attempt: Attempt, network: Network, hasResponded: boolean): string {
  const { broken, sent, code } = result;
  const { host, protocol } = new URL(attempt.url);
  const row = Object.entries(byCode).find(([pattern]) => new RegExp(pattern).test(code));
  const words = row?.[1] ?? (hasResponded ? undefined : adviseEarlyLoss(code, protocol, network));
  if (words !== undefined) {
    const { name: proxy, variable } = network.proxy ?? {};
    const names: Readonly<Record<string, string | undefined>> = { host, setting: attempt.setting, proxy, variable };
    const filled = words.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? "");
    return `${sent ? "got no answer" : "was not sent"}: ${filled} (${code.replace(/^PROXY_/, "")})`;
  }
  const lost = sent ? `got no answer: the connection was lost (${code})` : `was not sent: could not connect (${code})`;
  return plainWords[code] ?? plainWords[broken] ?? lost;
}

/** By code, else by the way in which the response broke off. */
const plainWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: "was not sent: the connection was refused",
  ENOTFOUND: "was not sent: host not found",
  EAI_AGAIN: "was not sent: the host name could not be resolved",
  UND_ERR_CONNECT_TIMEOUT: "was not sent: the connection timed out",
  timeout: "timed out",
  large: "answered with a body that is too large",
  cut: "got a truncated answer",
};

/** Advice for a connection that ends before any response: a wrong scheme, or a missing client certificate. */
function adviseEarlyLoss(code: string, protocol: string, { identity }: Network): string | undefined {
  const isPlain = protocol === "http:";
  if (!/^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$/.test(code) && !(isPlain && code.startsWith("HPE_"))) return undefined;
  const lost = "the connection was lost";
  if (isPlain) return `${lost}; if {host} speaks TLS, {setting} must begin with https://`;
  return identity
    ? `${lost}; {host} may not accept the client certificate that EVENKEEL_CLIENT_CERT names`
    : `${lost}; if {host} asks for a client certificate, set EVENKEEL_CLIENT_CERT and EVENKEEL_CLIENT_KEY`;
}

const trustIt = "name its PEM file as server.ca in evenkeel.yaml, or in NODE_EXTRA_CA_CERTS";

/** By patterns of codes, first match wins. `{host}` is the server's, `{setting}` contains its URL. */
const byCode: Readonly<Record<string, string>> = {
  "^PROXY_ECONNREFUSED$": "the proxy {proxy} that {variable} names refused the connection",
  "^PROXY_(ENOTFOUND|EAI_AGAIN)$": "host not found: the proxy {proxy} that {variable} names",
  "^PROXY_.*TIMEOUT$": "timed out connecting through the proxy {proxy} that {variable} names",
  "^PROXY_407$": "the proxy {proxy} needs a user name and a password; set {variable} to http://USER:PASSWORD@HOST:PORT",
  "^PROXY_4\\d\\d$":
    "the proxy {proxy} that {variable} names refused to connect to {host}; if it can be reached directly, add it to NO_PROXY",
  "^PROXY_5\\d\\d$": "the proxy {proxy} that {variable} names could not reach {host}",
  "^PROXY_(EPROTO|ERR_SSL)":
    "the proxy {proxy} does not speak TLS on that port; {variable} may have to begin with http://",
  "^PROXY_": "could not connect through the proxy {proxy} that {variable} names",
  "^DEPTH_ZERO_SELF_SIGNED": `the certificate of {host} is self-signed; to trust it, ${trustIt}`,
  "^SELF_SIGNED|^UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)": `the certificate of {host} comes from an unknown authority; to trust it, ${trustIt}`,
  "^CERT_HAS_EXPIRED": "a certificate of {host} has expired and must be renewed",
  "^CERT_NOT_YET_VALID": "a certificate of {host} is not valid yet; check the clocks of this machine and of the server",
  "^ERR_TLS_CERT_ALTNAME": "the certificate of {host} is for other host names; use one of them in {setting}",
  "^CERT_|^UNABLE_TO_|^ERR_TLS_": "the certificate of {host} cannot be verified",
  "^EPROTO|^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)":
    "{host} does not speak TLS on that port; check the port, or whether {setting} must begin with http://",
  "^ERR_SSL_.*(CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE)":
    "{host} refused the TLS connection; if it asks for a client certificate, set EVENKEEL_CLIENT_CERT and EVENKEEL_CLIENT_KEY",
  "^ERR_SSL_.*(CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)":
    "{host} does not accept the client certificate that EVENKEEL_CLIENT_CERT names",
  "^ERR_SSL_.*PROTOCOL": "{host} and this program have no version of TLS in common",
  "^ERR_SSL_": "could not open a TLS connection to {host}",
};

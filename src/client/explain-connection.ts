import type { Network } from "./network.ts";
import type { Broken, Received } from "./response.ts";
import type { ServerUrl } from "./server-url.ts";

/** Adds a sentence to a broken connection whose code says what to do about it. */
export type FailureExplainer = (result: Received | Broken) => Received | Broken;

/**
 * An explainer for the connections to one server. A wrong scheme and a missing client certificate are suggested only as
 * long as the server has not answered at all.
 */
export function createFailureExplainer({ origin, name: setting }: ServerUrl, network: Network): FailureExplainer {
  const { host, protocol } = new URL(origin);
  let answered = false;
  return (received) => {
    if (!("broken" in received)) {
      answered = true;
      return received;
    }
    const result = network.proxy ? namingProxy(received) : received;
    const rows = answered ? certain : [...certain, ...silent(protocol, network)];
    const words = wordsFor(result, rows, {
      host,
      setting,
      proxy: network.proxy?.name,
      variable: network.proxy?.variable,
    });
    return words === undefined ? result : { ...result, words };
  };
}

/** Connecting fails at the proxy, except for the TLS connection inside of its tunnel. */
function namingProxy(result: Broken): Broken {
  if (
    result.sent ||
    result.broken === "aborted" ||
    /CERT|SELF_SIGNED|UNABLE_TO|^ERR_SSL|^ERR_TLS|^EPROTO/.test(result.code)
  )
    return result;
  return { ...result, code: `PROXY_${result.code.replace("timeout", "TIMEOUT")}` };
}

/** Codes, and what they mean; `{host}` is the server's, `{setting}` what its URL stands in, `{proxy}` the proxy's. */
type Row = readonly [code: RegExp, words: string];

type Names = Readonly<Record<"host" | "setting" | "proxy" | "variable", string | undefined>>;

function wordsFor(result: Broken, rows: readonly Row[], names: Names): string | undefined {
  const { broken, sent, code } = result;
  if (broken === "aborted") return undefined;
  const [, words] = rows.find(([pattern]) => pattern.test(code)) ?? [];
  if (words === undefined) return undefined;
  const filled = words.replace(/\{(host|setting|proxy|variable)\}/g, (_, name: keyof Names) => names[name] ?? "");
  return `${sent ? "got no answer" : "was not sent"}: ${filled} (${code.replace(/^PROXY_/, "")})`;
}

const ofProxies: readonly Row[] = [
  [/^PROXY_ECONNREFUSED$/, "the proxy {proxy} that {variable} names refused the connection"],
  [/^PROXY_(ENOTFOUND|EAI_AGAIN)$/, "host not found: the proxy {proxy} that {variable} names"],
  [/^PROXY_.*TIMEOUT$/, "timed out connecting through the proxy {proxy} that {variable} names"],
  [
    /^PROXY_407$/,
    "the proxy {proxy} needs a user name and a password; set {variable} to http://USER:PASSWORD@HOST:PORT",
  ],
  [
    /^PROXY_4\d\d$/,
    "the proxy {proxy} that {variable} names refused to connect to {host}; if it can be reached directly, add it to NO_PROXY",
  ],
  [/^PROXY_5\d\d$/, "the proxy {proxy} that {variable} names could not reach {host}"],
  [
    /^PROXY_(EPROTO|ERR_SSL)/,
    "the proxy {proxy} does not speak TLS on that port; {variable} may have to begin with http://",
  ],
  [/^PROXY_/, "could not connect through the proxy {proxy} that {variable} names"],
];

const trustIt = "name its PEM file as server.ca in evenkeel.yaml, or in NODE_EXTRA_CA_CERTS";

const ofCertificates: readonly Row[] = [
  [/^DEPTH_ZERO_SELF_SIGNED/, `the certificate of {host} is self-signed; to trust it, ${trustIt}`],
  [
    /^SELF_SIGNED|^UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)/,
    `the certificate of {host} comes from an unknown authority; to trust it, ${trustIt}`,
  ],
  [/^CERT_HAS_EXPIRED/, "a certificate of {host} has expired and must be renewed"],
  [
    /^CERT_NOT_YET_VALID/,
    "a certificate of {host} is not valid yet; check the clocks of this machine and of the server",
  ],
  [/^ERR_TLS_CERT_ALTNAME/, "the certificate of {host} is for other host names; use one of them in {setting}"],
  [/^CERT_|^UNABLE_TO_|^ERR_TLS_/, "the certificate of {host} cannot be verified"],
];

const ofTls: readonly Row[] = [
  [
    /^EPROTO|^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)/,
    "{host} does not speak TLS on that port; check the port, or whether {setting} must begin with http://",
  ],
  [
    /^ERR_SSL_.*(CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE)/,
    "{host} refused the TLS connection; if it asks for a client certificate, set EVENKEEL_CLIENT_CERT and EVENKEEL_CLIENT_KEY",
  ],
  [
    /^ERR_SSL_.*(CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)/,
    "{host} does not accept the client certificate that EVENKEEL_CLIENT_CERT names",
  ],
  [/^ERR_SSL_.*PROTOCOL/, "{host} and this program have no version of TLS in common"],
  [/^ERR_SSL_/, "could not open a TLS connection to {host}"],
];

const certain = [...ofProxies, ...ofCertificates, ...ofTls];

const closed = /^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/;

/** Advice for a connection that ends before the server has answered anything. */
function silent(protocol: string, { identity }: Network): readonly Row[] {
  const lost = "the connection was lost";
  if (protocol === "http:") {
    return [
      [
        /^(UND_ERR_SOCKET|ECONNRESET|EPIPE|HPE_.*)$/,
        `${lost}; if {host} speaks TLS, {setting} must begin with https://`,
      ],
    ];
  }
  const advice = identity
    ? "{host} may not accept the client certificate that EVENKEEL_CLIENT_CERT names"
    : "if {host} asks for a client certificate, set EVENKEEL_CLIENT_CERT and EVENKEEL_CLIENT_KEY";
  return [[closed, `${lost}; ${advice}`]];
}

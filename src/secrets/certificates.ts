import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { ifPossible, UserError } from "../base/exit.ts";
import { describeSystemError } from "../base/system-errors.ts";

export interface Identity {
  /** The certificate, followed by intermediate ones. */
  readonly cert: string;
  readonly key: string;
}

const names = { cert: "EVENKEEL_CLIENT_CERT", key: "EVENKEEL_CLIENT_KEY" } as const;

/** An empty variable counts as unset. @throws UserError if only one is set, or they are no certificate and its key. */
export function readIdentity(env: Readonly<Record<string, string | undefined>>): Identity | undefined {
  const { [names.cert]: certPath, [names.key]: keyPath } = env;
  if (!certPath && !keyPath) return undefined;
  if (!certPath || !keyPath) {
    const [set, unset] = certPath ? [names.cert, names.key] : [names.key, names.cert];
    throw new UserError(`${set} is set and ${unset} is not; a client certificate needs both, as paths of PEM files`);
  }
  const cert = pemText(names.cert, certPath, readCertificates(resolve(certPath)));
  const key = pemText(names.key, keyPath, readPem(resolve(keyPath)));
  const objection = objectionTo(cert, key);
  if (objection) throw new UserError(`${names.key} names ${keyPath}, ${objection}`);
  return { cert, key };
}

function pemText(variable: string, path: string, pem: Pem): string {
  if ("why" in pem) throw new UserError(`${variable} names ${path}, which ${pem.why}`);
  return pem.text;
}

/** The reason why the key cannot be used with the certificate, as the end of "names FILE, ". */
function objectionTo(cert: string, key: string): string | undefined {
  if (/-----BEGIN ENCRYPTED |^Proc-Type:.*ENCRYPTED/m.test(key)) {
    return "whose key is encrypted; expected one without a passphrase, as written by openssl pkey -in FILE -out FILE";
  }
  try {
    const isOwn = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
    return isOwn ? undefined : `whose key does not belong to the certificate that ${names.cert} names`;
  } catch {
    return "which contains no readable private key; expected PEM";
  }
}

/** A text, or the reason why it cannot be used, as the end of "FILE …". */
type Pem = { readonly text: string } | { readonly why: string };

/** Reads a PEM file. Other than regular files are not opened. */
function readPem(path: string): Pem {
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return { why: "is not a file" };
    if (stat.size > 4 * 1024 * 1024) return { why: "is larger than 4 MiB" };
    return { text: readFileSync(path, "latin1") };
  } catch (error) {
    return { why: `cannot be read (${describeSystemError(error)})` };
  }
}

export function readCertificates(path: string): Pem {
  const read = readPem(path);
  if ("why" in read) return read;
  const blocks = read.text.match(certificate) ?? [];
  if (blocks.length === 0) return { why: "contains no certificate; expected PEM, with -----BEGIN CERTIFICATE-----" };
  const damaged = blocks.findIndex((block) => !ifPossible(() => new X509Certificate(block)));
  if (damaged >= 0) return { why: `cannot be used: certificate ${damaged + 1} in it is damaged` };
  return { text: `${blocks.join("\n")}\n` };
}

const certificate = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

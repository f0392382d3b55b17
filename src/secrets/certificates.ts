import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { UserError } from "../base/exit.ts";
import { describeSystemError } from "../base/system-errors.ts";

/** What this process shows to a server that asks who it is; both PEM. */
export interface Identity {
  /** A certificate, with those between it and its authority behind it. */
  readonly cert: string;
  readonly key: string;
}

const names = { cert: "EVENKEEL_CLIENT_CERT", key: "EVENKEEL_CLIENT_KEY" } as const;

/**
 * The client certificate that EVENKEEL_CLIENT_CERT and EVENKEEL_CLIENT_KEY name by the paths of PEM files, relative to
 * the current folder; undefined where neither is set. An empty variable counts as unset.
 * @throws UserError where only one is set, or what they name is no certificate and its key.
 */
export function readIdentity(env: Readonly<Record<string, string | undefined>>): Identity | undefined {
  const { [names.cert]: certPath, [names.key]: keyPath } = env;
  if (!certPath && !keyPath) return undefined;
  if (!certPath || !keyPath) throw new UserError(halfText(certPath ? "cert" : "key", certPath ? "key" : "cert"));
  const cert = textOf(names.cert, certPath, readCertificates(resolve(certPath)));
  const key = textOf(names.key, keyPath, readPem(resolve(keyPath)));
  const objection = objectionTo(cert, key);
  if (objection) throw new UserError(`${names.key} names ${keyPath}, ${objection}`);
  return { cert, key };
}

function halfText(set: keyof typeof names, unset: keyof typeof names): string {
  return `${names[set]} is set and ${names[unset]} is not; a client certificate needs both, as paths of PEM files`;
}

function textOf(variable: string, path: string, pem: Pem): string {
  if ("why" in pem) throw new UserError(`${variable} names ${path}, which ${pem.why}`);
  return pem.text;
}

/** Why the key cannot stand beside the certificate; it completes "names FILE, ". */
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

/** A text, or why there is none: it completes "FILE …". */
type Pem = { readonly text: string } | { readonly why: string };

const mostBytes = 4 * 1024 * 1024;

/** Reads a PEM file; what is no regular file is not even opened. */
function readPem(path: string): Pem {
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return { why: "is not a file" };
    if (stat.size > mostBytes) return { why: "is larger than 4 MiB" };
    return { text: readFileSync(path, "latin1") };
  } catch (error) {
    return { why: `cannot be read (${describeSystemError(error)})` };
  }
}

/** Reads a PEM file of one certificate or more, and of nothing that is not one. */
export function readCertificates(path: string): Pem {
  const read = readPem(path);
  if ("why" in read) return read;
  const blocks = read.text.match(certificate) ?? [];
  if (blocks.length === 0) return { why: "contains no certificate; expected PEM, with -----BEGIN CERTIFICATE-----" };
  const damaged = blocks.findIndex((block) => !isCertificate(block));
  if (damaged >= 0) return { why: `cannot be used: certificate ${damaged + 1} in it is damaged` };
  return { text: `${blocks.join("\n")}\n` };
}

const certificate = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).raw.length > 0;
  } catch {
    return false;
  }
}

import { createPrivateKey, X509Certificate } from "node:crypto";
import { resolve } from "node:path";
import { UserError } from "../base/exit.ts";
import { type Pem, readCertificates, readPem } from "./pem.ts";

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

import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from "node:crypto";
import { canonical } from "../base/json.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { Change, SecretReference } from "../model/types.ts";
import { secretsSentBy } from "../plan/requests.ts";
import type { Secrets } from "../secrets/secrets.ts";
import { type SecretDigests, secretDigest } from "../state/ledger/secret-digest.ts";

/** A key pair of a run, which alone can decrypt what workers store in the shared state. */
export interface SealKey {
  /** The public key, for {@link seal}. */
  readonly key: string;
  /** Decrypts a text; undefined if it was encrypted to another key or is damaged. */
  readonly open: (sealed: string) => string | undefined;
}

/** Generates a key pair, which exists only in this process. */
export function sealKey(): SealKey {
  const { publicKey, privateKey } = generateKeyPairSync("x25519");
  return {
    key: written(publicKey),
    open: (sealed) => {
      try {
        return opened(sealed, privateKey);
      } catch {
        return undefined;
      }
    },
  };
}

/** Encrypts a text to a public key: X25519, HKDF with SHA-256, AES-256-GCM. */
export function seal(text: string, key: string): string {
  const { publicKey, privateKey } = generateKeyPairSync("x25519");
  const cipher = createCipheriv("aes-256-gcm", sharedKey(privateKey, publicKeyOf(key)), nonce);
  const parts = [cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
  return JSON.stringify([written(publicKey), Buffer.concat(parts).toString("base64")]);
}

/** Each key is used once. */
const nonce = Buffer.alloc(12);
const tagBytes = 16;

function opened(sealed: string, privateKey: KeyObject): string {
  const [sender, text] = JSON.parse(sealed) as [string, string];
  const bytes = Buffer.from(text, "base64");
  const decipher = createDecipheriv("aes-256-gcm", sharedKey(privateKey, publicKeyOf(sender)), nonce);
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  return decipher.update(bytes.subarray(0, -tagBytes), undefined, "utf8") + decipher.final("utf8");
}

function sharedKey(privateKey: KeyObject, publicKey: KeyObject): Buffer {
  return Buffer.from(hkdfSync("sha256", diffieHellman({ privateKey, publicKey }), "", "evenkeel sealed", 32));
}

function written(key: KeyObject): string {
  return key.export({ type: "spki", format: "der" }).toString("base64");
}

function publicKeyOf(text: string): KeyObject {
  return createPublicKey({ key: Buffer.from(text, "base64"), type: "spki", format: "der" });
}

/**
 * Encrypts the digests of the secrets that a change sends, by reference; empty if it sends none. The run records these in
 * the ledger, because its own values may differ from those that the worker sent.
 */
export function sealDigests(secrets: Secrets, key: string, catalogue: Catalogue): (change: Change) => string {
  const known = new Map<string, string>();
  return (change) => {
    const references = secretsSentBy(change, catalogue);
    const name = canonical(references.map(({ secret }) => secret));
    const sealed = known.get(name) ?? sealedDigests(references, secrets, key);
    known.set(name, sealed);
    return sealed;
  };
}

function sealedDigests(references: readonly SecretReference[], secrets: Secrets, key: string): string {
  const digests = references.flatMap((reference) => {
    const value = secrets.known(reference);
    return value === undefined ? [] : [[reference.secret, secretDigest(value)]];
  });
  return digests.length > 0 ? seal(JSON.stringify(Object.fromEntries(digests)), key) : "";
}

/** The digests on which all possible senders of a change agree. */
export function openDigests(sealed: readonly string[], key: SealKey): SecretDigests {
  const [first = {}, ...others] = sealed.map((text) => JSON.parse(key.open(text) ?? "{}") as SecretDigests);
  return Object.fromEntries(
    Object.entries(first).filter(([reference, digest]) => others.every((other) => other[reference] === digest)),
  );
}

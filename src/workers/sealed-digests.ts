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
import type { Change, SecretReference } from "../model/types.ts";
import { secretsSentBy } from "../plan/make-plan.ts";
import type { Secrets } from "../secrets/secrets.ts";
import { type SecretDigests, secretDigest } from "../state/ledger/secret-digest.ts";

/** What only one run can open, though all who see its state and queue see it. */
export interface SealKey {
  /** Public: what {@link seal} takes. */
  readonly key: string;
  /** The sealed text; undefined where it was sealed for another key, or is damaged. */
  readonly open: (sealed: string) => string | undefined;
}

/** A key of this process, which lasts as long as the process keeps it. */
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

/** Encrypts a text for whoever has the private half of a key: X25519, HKDF with SHA-256, AES-256-GCM. */
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
 * Seals what the secrets are that a change sends, for the run that gave it out and for nobody else: digests by reference.
 * The run may know other values, and has to remember those that were sent. Empty if the change sends none.
 */
export function sealDigests(secrets: Secrets, key: string): (change: Change) => string {
  const known = new Map<string, string>();
  return (change) => {
    const references = secretsSentBy(change);
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

/** The digests that all who may have sent a change agree on. */
export function openDigests(sealed: readonly string[], key: SealKey): SecretDigests {
  const [first = {}, ...others] = sealed.map((text) => JSON.parse(key.open(text) ?? "{}") as SecretDigests);
  return Object.fromEntries(
    Object.entries(first).filter(([reference, digest]) => others.every((other) => other[reference] === digest)),
  );
}

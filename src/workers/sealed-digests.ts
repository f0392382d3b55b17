import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from "node:crypto";
import { isObject } from "../base/json.ts";
import { referencesIn } from "../model/normalise.ts";
import type { Change } from "../model/types.ts";
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
 * What the secrets were that changes sent, for the run that gave the changes out and for nobody else: digests by address
 * and reference. The run may know other values, and has to remember those that were sent.
 */
export function sealedDigests(changes: readonly Change[], secrets: Secrets, key: string): string | undefined {
  const sent = changes.flatMap(({ address, declared }): [string, SecretDigests][] => {
    const digests = referencesIn(declared).flatMap((reference) => {
      const value = secrets.known(reference);
      return value === undefined ? [] : [[reference.secret, secretDigest(value)]];
    });
    return digests.length > 0 ? [[address, Object.fromEntries(digests)]] : [];
  });
  return sent.length > 0 ? seal(JSON.stringify(Object.fromEntries(sent)), key) : undefined;
}

/** The digests of each address; none of one that is not among them. */
export function openedDigests(sealed: string | undefined, key: SealKey): (address: string) => SecretDigests {
  const sent: unknown = JSON.parse((sealed && key.open(sealed)) || "{}");
  const known = isObject(sent) ? sent : {};
  return (address) => (Object.hasOwn(known, address) ? (known[address] as SecretDigests) : {});
}

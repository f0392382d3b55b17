import { isObject } from "../base/json.ts";
import { referencesIn } from "../model/normalise.ts";
import type { Change } from "../model/types.ts";
import type { Secrets } from "../secrets/secrets.ts";
import { type SecretDigests, secretDigest } from "../state/secret-digest.ts";
import { type SealKey, seal } from "./sealed.ts";

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

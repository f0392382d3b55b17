import { createHash, createPublicKey, type JsonWebKey, verify } from "node:crypto";
import { ifPossible } from "../../base/exit.ts";

/** A parsed signature of `ssh-keygen -Y sign` (OpenSSH's PROTOCOL.sshsig). */
export interface SshSignature {
  /** In the form of a public key file, without the comment: `ssh-ed25519 AAAA…`. */
  readonly key: string;
  readonly namespace: string;
  readonly verifies: (message: string) => boolean;
}

export function armoredBlocks(text: string): readonly string[] {
  return text.match(/-----BEGIN SSH SIGNATURE-----[\sA-Za-z0-9+/=]*-----END SSH SIGNATURE-----/g) ?? [];
}

/** Parses the signatures in a text; undefined for damaged blocks and unsupported key types. */
export function sshSignatures(text: string): readonly (SshSignature | undefined)[] {
  return armoredBlocks(text).map((block) =>
    ifPossible(() => parseSignature(Buffer.from(block.replace(/-----[^-]+-----/g, ""), "base64"))),
  );
}

const magic = "SSHSIG";

/** @throws RangeError for an invalid signature, an unsupported key type, or a signature of another type than the key. */
function parseSignature(bytes: Buffer): SshSignature | undefined {
  const head = Buffer.from(`${magic}\0\0\0\u0001`);
  if (!bytes.subarray(0, head.length).equals(head)) return undefined;
  const parts = splitStrings(bytes.subarray(head.length), 5);
  const [key = empty, namespace = empty, reserved = empty, hash = empty, signature = empty] = parts;
  const [keyType = empty, ...keyParts] = splitStrings(key);
  const [algorithmName = empty, value = empty] = splitStrings(signature, 2);
  const algorithm = algorithms[algorithmName.toString()];
  if (algorithm?.keyType !== keyType.toString() || !/^sha(?:256|512)$/.test(hash.toString())) return undefined;
  return {
    key: `${keyType} ${key.toString("base64")}`,
    namespace: namespace.toString(),
    verifies: (message) => {
      const digest = createHash(hash.toString()).update(message).digest();
      const signed = Buffer.concat([Buffer.from(magic), ...[namespace, reserved, hash, digest].map(wireString)]);
      try {
        const publicKey = createPublicKey({ key: algorithm.publicKey(keyParts), format: "jwk" });
        const { size } = algorithm;
        const raw = size === undefined ? value : Buffer.concat(splitStrings(value).map((each) => padLeft(each, size)));
        return verify(algorithm.hash, signed, { key: publicKey, dsaEncoding: "ieee-p1363" }, raw);
      } catch {
        return false;
      }
    },
  };
}

interface Algorithm {
  readonly keyType: string;
  /** Null if the algorithm includes one. */
  readonly hash: string | null;
  /** The parts of a key after its type, as a key of Node.js. */
  readonly publicKey: (parts: readonly Buffer[]) => JsonWebKey;
  /** Bytes of a coordinate: the signature is two numbers. */
  readonly size?: number;
}

/** Supported algorithms, without SHA-1 and hardware keys. */
const algorithms: Readonly<Record<string, Algorithm>> = {
  "ssh-ed25519": {
    keyType: "ssh-ed25519",
    hash: null,
    publicKey: ([x = empty]) => ({ kty: "OKP", crv: "Ed25519", x: x.toString("base64url") }),
  },
  "rsa-sha2-256": { keyType: "ssh-rsa", hash: "sha256", publicKey: rsaKey },
  "rsa-sha2-512": { keyType: "ssh-rsa", hash: "sha512", publicKey: rsaKey },
  "ecdsa-sha2-nistp256": ecdsa("ecdsa-sha2-nistp256", "P-256", 32, "sha256"),
  "ecdsa-sha2-nistp384": ecdsa("ecdsa-sha2-nistp384", "P-384", 48, "sha384"),
  "ecdsa-sha2-nistp521": ecdsa("ecdsa-sha2-nistp521", "P-521", 66, "sha512"),
};

function rsaKey([e = empty, n = empty]: readonly Buffer[]): JsonWebKey {
  const modulus = withoutZeros(n);
  if (modulus.length < minRsa || modulus.length > maxRsa) throw new RangeError("not a size that OpenSSH accepts");
  return { kty: "RSA", e: withoutZeros(e).toString("base64url"), n: modulus.toString("base64url") };
}

/** Bytes of a modulus: smaller ones are insecure, larger ones slow. */
const [minRsa, maxRsa] = [128, 2048];

function ecdsa(keyType: string, crv: string, size: number, hash: string): Algorithm {
  const publicKey = ([, point = empty]: readonly Buffer[]) => {
    if (point[0] !== 4 || point.length !== 1 + 2 * size) throw new RangeError("not an uncompressed point");
    const [x, y] = [point.subarray(1, 1 + size), point.subarray(1 + size)];
    return { kty: "EC", crv, x: x.toString("base64url"), y: y.toString("base64url") };
  };
  return { keyType, hash, size, publicKey };
}

const empty = Buffer.alloc(0);

/** A positive number without the leading zeros of the wire format. */
function withoutZeros(value: Buffer): Buffer {
  const first = value.findIndex((byte) => byte !== 0);
  return first < 0 ? empty : value.subarray(first);
}

function padLeft(value: Buffer, size: number): Buffer {
  const integer = withoutZeros(value);
  return Buffer.concat([Buffer.alloc(size - integer.length), integer]);
}

/** The strings of RFC 4251, section 5, of which keys and signatures consist. @throws RangeError for other bytes. */
function splitStrings(bytes: Buffer, count?: number): readonly Buffer[] {
  const strings: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) throw new RangeError("truncated");
    strings.push(bytes.subarray(at + 4, end));
    at = end;
  }
  if (count !== undefined && strings.length !== count) throw new RangeError("more or less than expected");
  return strings;
}

function wireString(value: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(value.length);
  return Buffer.concat([length, value]);
}

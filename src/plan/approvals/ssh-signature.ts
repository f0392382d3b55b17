import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";

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
  return armoredBlocks(text).map((block) => {
    try {
      return parseSignature(Buffer.from(block.replace(/-----[^-]+-----/g, ""), "base64"));
    } catch {
      return undefined;
    }
  });
}

const magic = "SSHSIG";

/** @throws RangeError for an invalid signature. */
function parseSignature(bytes: Buffer): SshSignature {
  const read = wireReader(bytes);
  if (read.bytes(magic.length).toString() !== magic || read.uint32() !== 1) throw new RangeError("not a signature");
  const [key, namespaceBytes, reserved, hashName, signature] = [0, 1, 2, 3, 4].map(() => read.string());
  read.end();
  const namespace = String(namespaceBytes);
  const hash = String(hashName);
  if (!key || !signature || !(hash === "sha256" || hash === "sha512")) throw new RangeError("not a signature");
  const check = createVerifier(key, signature);
  return {
    key: publicKeyText(key),
    namespace,
    verifies: (message) => {
      const digest = createHash(hash).update(message).digest();
      return check(Buffer.concat([Buffer.from(magic), wireStrings(namespace, reserved ?? "", hash, digest)]));
    },
  };
}

function publicKeyText(key: Buffer): string {
  return `${wireReader(key).string()} ${key.toString("base64")}`;
}

type Check = (signed: Buffer) => boolean;

/** @throws RangeError for an unsupported key type, or a signature of another type than the key. */
function createVerifier(key: Buffer, signature: Buffer): Check {
  const keyReader = wireReader(key);
  const signatureReader = wireReader(signature);
  const keyType = keyReader.string().toString();
  const algorithm = signatureReader.string().toString();
  const row = algorithms[algorithm];
  if (!row || row.keyType !== keyType) throw new RangeError("not supported");
  const value = signatureReader.string();
  signatureReader.end();
  return (signed) => {
    try {
      return verify(row.hash, signed, { key: row.publicKey(key), dsaEncoding: "ieee-p1363" }, row.rawSignature(value));
    } catch {
      return false;
    }
  };
}

interface Algorithm {
  readonly keyType: string;
  /** Null if the algorithm includes one. */
  readonly hash: string | null;
  readonly publicKey: (key: Buffer) => KeyObject;
  /** The signature in the format of Node.js. */
  readonly rawSignature: (value: Buffer) => Buffer;
}

const unchanged = (value: Buffer) => value;

/** Supported algorithms, without SHA-1 and hardware keys. */
const algorithms: Readonly<Record<string, Algorithm>> = {
  "ssh-ed25519": { keyType: "ssh-ed25519", hash: null, publicKey: ed25519Key, rawSignature: unchanged },
  "rsa-sha2-256": { keyType: "ssh-rsa", hash: "sha256", publicKey: rsaKey, rawSignature: unchanged },
  "rsa-sha2-512": { keyType: "ssh-rsa", hash: "sha512", publicKey: rsaKey, rawSignature: unchanged },
  "ecdsa-sha2-nistp256": ecdsa("ecdsa-sha2-nistp256", "P-256", 32, "sha256"),
  "ecdsa-sha2-nistp384": ecdsa("ecdsa-sha2-nistp384", "P-384", 48, "sha384"),
  "ecdsa-sha2-nistp521": ecdsa("ecdsa-sha2-nistp521", "P-521", 66, "sha512"),
};

function ed25519Key(key: Buffer): KeyObject {
  const read = wireReader(key);
  read.string();
  return fromJwk({ kty: "OKP", crv: "Ed25519", x: base64url(read.string()) });
}

function rsaKey(key: Buffer): KeyObject {
  const read = wireReader(key);
  read.string();
  const [e, n] = [read.integer(), read.integer()];
  if (n.length < minRsa || n.length > maxRsa) throw new RangeError("not a size that OpenSSH accepts");
  return fromJwk({ kty: "RSA", e: base64url(e), n: base64url(n) });
}

/** Bytes of a modulus: smaller ones are insecure, larger ones slow. */
const [minRsa, maxRsa] = [128, 2048];

/** `size`: bytes of a coordinate. */
function ecdsa(keyType: string, crv: string, size: number, hash: string): Algorithm {
  return {
    keyType,
    hash,
    publicKey: (key) => {
      const read = wireReader(key);
      read.string();
      read.string();
      const point = read.string();
      if (point[0] !== 4 || point.length !== 1 + 2 * size) throw new RangeError("not an uncompressed point");
      return fromJwk({
        kty: "EC",
        crv,
        x: base64url(point.subarray(1, 1 + size)),
        y: base64url(point.subarray(1 + size)),
      });
    },
    rawSignature: (value) => {
      const read = wireReader(value);
      return Buffer.concat([padLeft(read.integer(), size), padLeft(read.integer(), size)]);
    },
  };
}

function padLeft(integer: Buffer, size: number): Buffer {
  if (integer.length > size) throw new RangeError("a number too large for its curve");
  return Buffer.concat([Buffer.alloc(size - integer.length), integer]);
}

function fromJwk(key: Readonly<Record<string, string>>): KeyObject {
  return createPublicKey({ key, format: "jwk" });
}

function base64url(bytes: Buffer): string {
  return bytes.toString("base64url");
}

/** Decodes SSH data types (RFC 4251, section 5). Methods throw RangeError at the end of the data. */
interface WireReader {
  readonly bytes: (length: number) => Buffer;
  readonly uint32: () => number;
  readonly string: () => Buffer;
  /** Bytes of a positive number, without leading zeros. */
  readonly integer: () => Buffer;
  /** Throws if data is left. */
  readonly end: () => void;
}

function wireReader(whole: Buffer): WireReader {
  let at = 0;
  const bytes = (length: number) => {
    if (at + length > whole.length) throw new RangeError("truncated");
    at += length;
    return whole.subarray(at - length, at);
  };
  const uint32 = () => bytes(4).readUInt32BE();
  const string = () => bytes(uint32());
  return {
    bytes,
    uint32,
    string,
    integer: () => {
      const value = string();
      const first = value.findIndex((byte) => byte !== 0);
      return value.subarray(first < 0 ? value.length : first);
    },
    end: () => {
      if (at !== whole.length) throw new RangeError("more than expected");
    },
  };
}

function wireStrings(...parts: readonly (string | Buffer)[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const value = Buffer.from(part);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(value.length);
      return [length, value];
    }),
  );
}

/** Reads the encoding of SSH (RFC 4251, section 5), one part after another. Each call throws RangeError where no such part is left. */
export interface WireReader {
  readonly bytes: (length: number) => Buffer;
  readonly uint32: () => number;
  readonly string: () => Buffer;
  /** The bytes of a positive number, without leading zeros. */
  readonly integer: () => Buffer;
  /** Throws where anything is left. */
  readonly end: () => void;
}

export function wireReader(whole: Buffer): WireReader {
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

/** Texts and bytes as strings of that encoding, one after another. */
export function wireStrings(...parts: readonly (string | Buffer)[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const value = Buffer.from(part);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(value.length);
      return [length, value];
    }),
  );
}

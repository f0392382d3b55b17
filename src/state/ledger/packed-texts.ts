import { deflateRawSync, inflateRawSync } from "node:zlib";

/** Bytes. */
const pageSize = 1 << 20;
const headSize = 8;

/** Texts after which another becomes the pattern: the first of a fleet may be like no other. */
const likeOne = 256;

/** The pattern fits into the window; the buffers are small, because the texts are a few kilobytes. */
const compression = { level: 3, windowBits: 13, memLevel: 5, chunkSize: 4096 };
const decompression = { chunkSize: 8192 };

/**
 * Texts by name that are much alike, such as what is remembered of each project. A text is compressed with an earlier one as its
 * dictionary, and many share a page, because a buffer of its own takes as much memory as a small text.
 */
export class PackedTexts {
  readonly #patterns: Buffer[] = [];
  readonly #pages: Buffer[] = [];
  readonly #positions = new Map<string, number>();
  #end = pageSize;
  #packed = 0;

  get size(): number {
    return this.#positions.size;
  }

  keys(): Iterable<string> {
    return this.#positions.keys();
  }

  has(name: string): boolean {
    return this.#positions.has(name);
  }

  get(name: string): string | undefined {
    const position = this.#positions.get(name);
    if (position === undefined) return undefined;
    const page = this.#pages[Math.floor(position / pageSize)] as Buffer;
    const at = position % pageSize;
    const [pattern, size] = [page.readUInt32LE(at), page.readUInt32LE(at + 4)];
    const bytes = page.subarray(at + headSize, at + headSize + size);
    return inflateRawSync(bytes, { ...decompression, dictionary: this.#patterns[pattern] }).toString();
  }

  /** The room of a text that another replaces is lost. */
  set(name: string, text: string): void {
    const bytes = Buffer.from(text);
    if (this.#packed++ % likeOne === 0) this.#patterns.push(bytes);
    const pattern = this.#patterns.length - 1;
    const packed = deflateRawSync(bytes, { ...compression, dictionary: this.#patterns[pattern] });
    const [page, at] = this.#room(headSize + packed.length);
    page.writeUInt32LE(pattern, at);
    page.writeUInt32LE(packed.length, at + 4);
    packed.copy(page, at + headSize);
    this.#positions.set(name, (this.#pages.length - 1) * pageSize + at);
  }

  #room(size: number): readonly [page: Buffer, at: number] {
    if (this.#end + size > pageSize) {
      this.#pages.push(Buffer.allocUnsafeSlow(Math.max(size, pageSize)));
      this.#end = 0;
    }
    const at = this.#end;
    this.#end += size;
    return [this.#pages.at(-1) as Buffer, at];
  }
}

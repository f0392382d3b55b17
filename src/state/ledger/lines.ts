import { closeSync, fstatSync } from "node:fs";
import { UserError } from "../../base/exit.ts";
import { isWrittenLine, type LedgerHead, type LedgerLine, ledgerHead, ledgerLine } from "../../diff/ledger-line.ts";
import { linesOf, openRegular, readBytes } from "../../workspace/file-lines.ts";

/** Where the line of a project is in its file, in bytes. */
interface Position extends LedgerHead {
  readonly at: number;
  readonly size: number;
}

/** Told of a line by its number, and of the project that it lists again. */
type ReportLine = (line: number, repeated: LedgerHead | undefined) => void;

/** Bytes that are read at once: projects are asked for nearly in the order in which their lines are. */
const windowSize = 1 << 18;

/**
 * The lines of a ledger file by the lowercase name of the project. Only their positions are in memory, because a ledger may
 * be larger than that: a line is read when it is asked for. A project that is listed twice has an empty key.
 */
export class LedgerLines {
  readonly #path: string;
  #positions = new Map<string, Position>();
  #version = "";
  #file: number | undefined;
  #buffer: Buffer = Buffer.alloc(0);
  #window: { readonly at: number; readonly bytes: Buffer } = { at: 0, bytes: Buffer.alloc(0) };

  /** None yet. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Reads where the lines are. Reports each that is none of a ledger, or that lists a project again. @throws a system error. */
  read(report: ReportLine): void {
    const file = openRegular(this.#path);
    try {
      this.#index(file, report);
    } finally {
      closeSync(file);
    }
  }

  get size(): number {
    return this.#positions.size;
  }

  /** @throws UserError for a line whose end is damaged. */
  get(name: string): LedgerLine | undefined {
    const text = this.#textOf(name);
    if (text === undefined) return undefined;
    const line = ledgerLine(text);
    if (line) return { ...line, key: this.headOf(name)?.key ?? "" };
    throw new UserError(`the ledger's line of ${name} is damaged; delete it, or restore the file`);
  }

  /** The beginnings of all lines, which are in memory. */
  heads(): Iterable<LedgerHead> {
    return this.#positions.values();
  }

  /** The beginning of a line. */
  headOf(name: string): LedgerHead | undefined {
    return this.#positions.get(name);
  }

  /** The line as the file has it, if an apply wrote it. */
  writtenTextOf(name: string): string | undefined {
    const text = this.headOf(name)?.key === "" ? undefined : this.#textOf(name);
    return text !== undefined && isWrittenLine(text) ? text : undefined;
  }

  /** Closes the file, which is opened again when a line is asked for. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  keys(): Iterable<string> {
    return this.#positions.keys();
  }

  #index(file: number, report: ReportLine): void {
    this.#positions = new Map();
    this.#version = versionOf(file);
    let number = 0;
    for (const { text, at, size } of linesOf(file)) {
      number++;
      if (text.trim() === "") continue;
      const head = ledgerHead(text);
      const name = head?.project.toLowerCase() ?? "";
      const isRepeated = head !== undefined && this.#positions.has(name);
      if (!head || isRepeated) report(number, head);
      if (!head) continue;
      const { project, key, lists } = head;
      this.#positions.set(name, { project, key: isRepeated ? "" : key, lists, at, size });
    }
  }

  #textOf(name: string): string | undefined {
    const file = this.#positions.has(name) ? this.#opened() : undefined;
    const position = this.#positions.get(name);
    if (file === undefined || !position) return undefined;
    const { at, size } = position;
    const { at: start, bytes } = this.#window;
    if (at < start || at + size > start + bytes.length) {
      if (this.#buffer.length < size) this.#buffer = Buffer.allocUnsafe(Math.max(size, windowSize));
      this.#window = { at, bytes: readBytes(file, this.#buffer, at) };
    }
    return this.#window.bytes.toString("utf8", at - this.#window.at, at - this.#window.at + size);
  }

  /** A file that another run replaced after it was indexed is indexed again; once open, it stays what it is. */
  #opened(): number {
    if (this.#file !== undefined) return this.#file;
    this.#file = openRegular(this.#path);
    if (versionOf(this.#file) !== this.#version) this.#index(this.#file, () => {});
    return this.#file;
  }
}

function versionOf(file: number): string {
  const { ino, size, mtimeNs } = fstatSync(file, { bigint: true });
  return `${ino} ${size} ${mtimeNs}`;
}

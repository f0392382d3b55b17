import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Memory } from "../../diff/last-applied.ts";
import type { LedgerEdit } from "../state.ts";

/** What is remembered of a resource, with the spelling of its address in the store. */
interface Entry {
  readonly rest: string;
  readonly memory: Memory;
}

/** The entries of one project. */
interface ProjectEntries {
  project: string;
  /** By lowercase address, because servers ignore the case of license names. */
  readonly entries: Map<string, Entry>;
  /** Addresses that were edited and not taken yet, as they are or were spelled. */
  readonly edited: Set<string>;
}

/** Projects whose entries are held as they are, more than are read side by side. */
const mostRecent = 512;

/**
 * The entries of projects with the edits of a run. Edits of projects that were not used lately are compressed, because an
 * apply may edit every project of a fleet.
 */
export class LedgerEntries {
  readonly #stored: (name: string) => Readonly<Record<string, Memory>>;
  readonly #recent = new Map<string, ProjectEntries>();
  readonly #compressed = new Map<string, Uint8Array>();
  /** Projects with edits that were not taken yet. */
  readonly #edited = new Set<string>();

  /** `stored` are the entries of a project, by its lowercase name, before any edit. */
  constructor(stored: (name: string) => Readonly<Record<string, Memory>>) {
    this.#stored = stored;
  }

  recall(project: string, rest: string): Memory | undefined {
    return this.#of(project.toLowerCase()).entries.get(rest.toLowerCase())?.memory;
  }

  /** Sets the entry of an address, or deletes it. */
  edit({ project, rest, memory }: LedgerEdit): void {
    const own = this.#of(project.toLowerCase());
    const { entries } = own;
    own.project = project;
    this.#mark(own, [entries.get(rest.toLowerCase())?.rest ?? rest, rest]);
    if (memory) entries.set(rest.toLowerCase(), { rest, memory });
    else entries.delete(rest.toLowerCase());
  }

  /** The edits that were not taken yet, of at most so many projects at a time. */
  *take(most: number): Iterable<readonly LedgerEdit[]> {
    const names = [...this.#edited];
    for (let at = 0; at < names.length; at += most)
      yield names.slice(at, at + most).flatMap((name) => this.#takeOf(name));
  }

  /** Marks edits that were taken as not taken. */
  giveBack(edits: readonly LedgerEdit[]): void {
    for (const { project, rest } of edits) this.#mark(this.#of(project.toLowerCase()), [rest]);
  }

  #takeOf(name: string): readonly LedgerEdit[] {
    const { project, entries, edited } = this.#of(name);
    const edits = Array.from(edited, (rest): LedgerEdit => {
      const entry = entries.get(rest.toLowerCase());
      return { project, rest, memory: entry?.rest === rest ? entry.memory : undefined };
    });
    edited.clear();
    this.#edited.delete(name);
    return edits;
  }

  #mark({ project, edited }: ProjectEntries, addresses: readonly string[]): void {
    for (const rest of addresses) edited.add(rest);
    this.#edited.add(project.toLowerCase());
  }

  #of(name: string): ProjectEntries {
    const known = this.#recent.get(name);
    if (known) return known;
    const compressed = this.#compressed.get(name);
    const entries = compressed ? decompressed(compressed) : entriesOf(name, this.#stored(name));
    this.#recent.set(name, entries);
    const [oldest] = this.#recent.size > mostRecent ? this.#recent : [];
    if (oldest) this.#release(...oldest);
    return entries;
  }

  #release(name: string, entries: ProjectEntries): void {
    if (this.#edited.has(name) || this.#compressed.has(name)) this.#compressed.set(name, compress(entries));
    this.#recent.delete(name);
  }
}

function entriesOf(project: string, stored: Readonly<Record<string, Memory>>): ProjectEntries {
  const entries = Object.entries(stored).map(([rest, memory]) => [rest.toLowerCase(), { rest, memory }] as const);
  return { project, entries: new Map(entries), edited: new Set() };
}

/** Small buffers and a small window: the entries of a project are a few kilobytes. */
const compression = { level: 1, windowBits: 12, memLevel: 4, chunkSize: 4096 };

function compress({ project, entries, edited }: ProjectEntries): Uint8Array {
  const bytes = deflateRawSync(JSON.stringify({ project, entries: [...entries], edited: [...edited] }), compression);
  // A copy, because the bytes are part of a buffer that is much larger.
  return new Uint8Array(bytes);
}

function decompressed(bytes: Uint8Array): ProjectEntries {
  const { project, entries, edited } = JSON.parse(inflateRawSync(bytes, { chunkSize: 4096 }).toString());
  return { project, entries: new Map(entries), edited: new Set(edited) };
}

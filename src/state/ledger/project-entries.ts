import type { Memory } from "../../diff/last-applied.ts";
import type { LedgerEdit, LedgerEdits } from "../state.ts";
import { PackedTexts } from "./packed-texts.ts";

/** What is remembered of a resource, with the spelling of its address in the store. */
interface Entry {
  readonly rest: string;
  readonly memory: Memory;
}

/** The entries of one project. */
interface ProjectEntries {
  /** In lower case. */
  readonly name: string;
  project: string;
  /** As they are stored, until they are edited or another spelling of an address is asked for. */
  readonly stored: Readonly<Record<string, Memory>>;
  /** By lowercase address, because servers ignore the case of license names. */
  entries?: Map<string, Entry>;
  /** Addresses that were edited since the last save, or before it, as they are or were spelled. */
  readonly edited: Set<string>;
  /** Whether nothing else has the entries as they are. */
  isChanged: boolean;
}

/** Edits to be saved. */
export interface TakenEdits extends LedgerEdits {
  /** They are saved. Until then they are taken again. */
  readonly saved: () => void;
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
  readonly #packed = new PackedTexts();
  /** The number of the last edit of each project that was not saved yet. */
  readonly #unsaved = new Map<string, number>();
  /** Projects that are not spelled in lower case. */
  readonly #spellings = new Map<string, string>();
  #edits = 0;

  /** `stored` are the entries of a project, by its lowercase name, before any edit. */
  constructor(stored: (name: string) => Readonly<Record<string, Memory>>) {
    this.#stored = stored;
  }

  recall(project: string, rest: string): Memory | undefined {
    const own = this.#of(project.toLowerCase());
    if (!own.entries && Object.hasOwn(own.stored, rest)) return own.stored[rest];
    return entriesOf(own).get(rest.toLowerCase())?.memory;
  }

  /** Sets the entry of an address, or deletes it. */
  edit({ project, rest, memory }: LedgerEdit): void {
    const own = this.#of(project.toLowerCase());
    const { name, edited } = own;
    const entries = entriesOf(own);
    if (!this.#unsaved.has(name)) edited.clear();
    for (const each of [entries.get(rest.toLowerCase())?.rest ?? rest, rest]) edited.add(each);
    if (memory) entries.set(rest.toLowerCase(), { rest, memory });
    else entries.delete(rest.toLowerCase());
    own.project = project === name ? name : project;
    own.isChanged = true;
    if (own.project !== name || this.#spellings.has(name)) this.#spellings.set(name, project);
    this.#unsaved.set(name, ++this.#edits);
  }

  /** The edits that were not saved yet. Those of a project are worked out when they are asked for. */
  take(): TakenEdits {
    const last = this.#edits;
    return {
      projects: Array.from(this.#unsaved.keys(), (name) => this.#spellings.get(name) ?? name),
      of: (project) => this.#editsOf(project.toLowerCase()),
      saved: () => {
        // What was edited meanwhile may have been saved with the rest or not: it is saved again.
        for (const [name, at] of this.#unsaved) if (at <= last) this.#unsaved.delete(name);
      },
    };
  }

  #editsOf(name: string): readonly LedgerEdit[] {
    const own = this.#recent.get(name) ?? this.#unpacked(name);
    const { project, edited } = own;
    const entries = entriesOf(own);
    return Array.from(edited, (rest): LedgerEdit => {
      const entry = entries.get(rest.toLowerCase());
      return { project, rest, memory: entry?.rest === rest ? entry.memory : undefined };
    });
  }

  #of(name: string): ProjectEntries {
    const known = this.#recent.get(name);
    if (known) return known;
    const entries = this.#unpacked(name);
    this.#recent.set(entries.name, entries);
    const [oldest] = this.#recent.size > mostRecent ? this.#recent : [];
    if (oldest) this.#release(...oldest);
    return entries;
  }

  #unpacked(name: string): ProjectEntries {
    const packed = this.#packed.get(name);
    if (packed === undefined) return storedEntries(name, this.#stored(name));
    const { project, entries, edited } = JSON.parse(packed);
    return { name, project, stored: none, entries: new Map(entries), edited: new Set(edited), isChanged: false };
  }

  #release(name: string, own: ProjectEntries): void {
    this.#recent.delete(name);
    if (!own.isChanged) return;
    const { project, edited } = own;
    this.#packed.set(name, JSON.stringify({ project, entries: [...entriesOf(own)], edited: [...edited] }));
  }
}

const none: Readonly<Record<string, Memory>> = {};

function storedEntries(name: string, stored: Readonly<Record<string, Memory>>): ProjectEntries {
  // A part of an address would hold the whole of it.
  const own = JSON.parse(JSON.stringify(name));
  return { name: own, project: own, stored, edited: new Set(), isChanged: false };
}

/** Made when they are needed: a plan asks for a few of a project's entries, by their own spelling. */
function entriesOf(own: ProjectEntries): Map<string, Entry> {
  own.entries ??= new Map(
    Object.entries(own.stored).map(([rest, memory]) => [rest.toLowerCase(), { rest, memory }] as const),
  );
  return own.entries;
}

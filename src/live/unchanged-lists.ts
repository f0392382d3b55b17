import equal from "fast-deep-equal";
import type { KnownList } from "../client/client.ts";
import { type Difference, diff } from "../diff/diff.ts";
import type { DiffOptions } from "../diff/options.ts";
import type { Basis, Desired, DesiredProject, Fields, Kind, Live } from "../model/types.ts";
import { isReference } from "../model/values.ts";

/** What a ledger knows of the lists of one project (docs/comparing.md). */
export interface ListMemory {
  /** Hashes of the lists with which all of their kind was in sync, in one text; "" if there are none. */
  readonly known: string;
  /** Hashes what a server says of how many rows there are, the list as it came, and all else that a comparison with it is made from. */
  readonly hashOf: (kind: Kind, total: string, body: Uint8Array) => string;
  readonly remember: (hashes: string) => void;
  /** How many resources are live in projects of a basis that had nothing else to tell when all of their lists were unchanged. */
  readonly silent: Map<Basis, number>;
}

/** The lists of one project while it is read: which of them are as they were when all of their kind was in sync. */
export class ProjectLists {
  readonly #memory: ListMemory;
  readonly #hashes = new Map<Kind, string>();
  readonly #unchanged = new Set<Kind>();
  /** Kinds whose lists showed all that is declared, or when it was changed last. */
  readonly #telling = new Set<Kind>();

  constructor(memory: ListMemory) {
    this.#memory = memory;
  }

  /** The list of a kind, as it is known. */
  known(kind: Kind): KnownList {
    return {
      isUnchanged: (total, body) => {
        const hash = this.#memory.hashOf(kind, total, body);
        this.#hashes.set(kind, hash);
        const isUnchanged = this.#memory.known.includes(hash);
        if (isUnchanged) this.#unchanged.add(kind);
        return isUnchanged;
      },
      forget: () => this.#hashes.delete(kind),
    };
  }

  /** The list of a kind shows all that is declared, or when it was changed last: as long as it stays the same, that does. */
  tells(kind: Kind): void {
    this.#telling.add(kind);
  }

  /** A difference without what a ledger remembers already: it knows more of that than such lists show. */
  leftToRemember(difference: Difference): Difference {
    const { settled } = difference;
    if (this.#unchanged.size === 0 || settled.length === 0) return difference;
    return { ...difference, settled: settled.filter((each) => !this.#unchanged.has(each.desired.kind)) };
  }

  /** What unchanged lists show of the resources of their kinds: what is declared. */
  liveThen(desired: DesiredProject): Live[] {
    return [...this.#unchanged].flatMap((kind) => asDeclaredThen(desired, kind));
  }

  /** The difference of a project whose lists are all unchanged, if another of the same basis had nothing to tell then. */
  silentDifference({ project, kinds, basis }: DesiredProject): Difference | undefined {
    const live = basis && this.#unchanged.size === kinds.size ? this.#memory.silent.get(basis) : undefined;
    return live === undefined ? undefined : silence(project.name, live);
  }

  /** Learns from a comparison what {@link silentDifference} tells of other projects. */
  learn({ kinds, basis }: DesiredProject, difference: Difference): void {
    if (!basis || basis.hasOpenKeys || this.#unchanged.size < kinds.size) return;
    const { changes, unmanaged, unverified, inherited = none, problems, live } = difference;
    const isSilent = [changes, unmanaged, unverified, inherited, problems].every(({ length }) => length === 0);
    // Secrets are compared with the ledger, project by project.
    if (isSilent && !basis.text().includes('"secret":')) this.#memory.silent.set(basis, live);
  }

  /**
   * Remembers the lists that need no look as long as they do not change: the diff finds no change of their kind, and the same
   * from what is declared as from what was read.
   */
  remember(desired: DesiredProject, live: readonly Live[], options: DiffOptions): void {
    const settled = [...this.#telling].filter((kind) => isSettled(kind, desired, live, options));
    const hashes = [...this.#unchanged, ...settled].flatMap((kind) => this.#hashes.get(kind) ?? []);
    const now = hashes.sort().join(" ");
    if (now !== this.#memory.known) this.#memory.remember(now);
  }
}

function asDeclaredThen({ resources }: DesiredProject, kind: Kind): Live[] {
  return resources.flatMap((one) =>
    one.kind === kind && one.presence === "present"
      ? [{ kind, key: one.key, fields: visible(one.fields), active: true }]
      : [],
  );
}

const none: readonly never[] = [];

function silence(project: string, live: number): Difference {
  return {
    project,
    live,
    changes: none,
    unmanaged: none,
    unverified: none,
    settled: none,
    absent: none,
    problems: none,
  };
}

function visible(fields: Fields): Fields {
  // `for in`, because nearly no field of a fleet is a reference.
  for (const name in fields) if (isReference(fields[name])) return withoutReferences(fields);
  return fields;
}

function withoutReferences(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isReference(value)));
}

function isSettled(kind: Kind, desired: DesiredProject, live: readonly Live[], options: DiffOptions): boolean {
  const part = partOf(desired, kind);
  const found = diff(
    part,
    live.filter((one) => one.kind === kind),
    options,
  );
  return found.changes.length === 0 && equal(told(found), told(diff(part, asDeclaredThen(part, kind), options)));
}

function partOf(desired: DesiredProject, kind: Kind): DesiredProject {
  const isOfKind = (one: Pick<Desired, "kind">) => one.kind === kind;
  const exclusive = new Map([...desired.exclusive].filter(([each]) => each === kind));
  return { ...desired, resources: desired.resources.filter(isOfKind), kinds: new Set([kind]), exclusive };
}

/** What a difference says, apart from its changes and what only a ledger keeps. */
function told({ live, unmanaged, unverified, inherited, absent, problems, settled }: Difference) {
  return { live, unmanaged, unverified, inherited, absent, problems, settled: settled.map(({ address }) => address) };
}

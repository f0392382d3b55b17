import type { Comparison } from "../../model/field-meaning.ts";
import type { Live, Resource, Value } from "../../model/types.ts";
import { isReference } from "../../model/values.ts";

/** What the ledger remembers of one resource since the last apply (docs/comparing.md). */
export interface Memory {
  /** As the server answered our last write, or as it stood when we last found the resource in sync. */
  readonly updated_at?: string;
  /** A fingerprint of each declared value as it was sent; `""` where it was declared but never compared or sent. */
  readonly sent: Readonly<Record<string, string>>;
  /** The versions that the secrets had. */
  readonly versions?: Readonly<Record<string, number>>;
  /** Parameters that the server answered with another value than was sent. */
  readonly unkept?: readonly string[];
  /** It was made sure that there is no such resource. */
  readonly absent?: true;
}

/** What is remembered of a resource that is not there, because the manifests say so. */
export const absence: Memory = { sent: {}, absent: true };

/** A declared resource, and when the server changed it last. */
export interface Dated {
  readonly desired: Pick<Resource, "kind" | "key" | "fields">;
  readonly updatedAt: string;
}

/** The ledger as the diff sees it. */
export interface Recollection {
  readonly recall: (address: string) => Memory | undefined;
  /** Undefined where the value is a secret that is not set here. It is in the form of `like`, a fingerprint to compare it with. */
  readonly fingerprint: (
    resource: Pick<Resource, "kind" | "key">,
    address: string,
    name: string,
    value: Value,
    like?: string,
  ) => string | undefined;
}

/** What memory adds to a comparison: fields by what may be said of them now. */
export interface Recalled {
  /** Differs, but the server never keeps it: told once, not planned for ever. */
  readonly unkept: readonly string[];
  /** Different fields whose live value is not what was last applied: the server was changed. */
  readonly drifted: readonly string[];
  /** Different fields whose declared value is not what was last applied: the manifests were changed. */
  readonly wanted: readonly string[];
  /** Not reported by the server, and not what was last sent. */
  readonly edited: readonly string[];
  /** Its `updated_at` moved and nothing visible differs. */
  readonly moved: boolean;
  /** Whether it was ever applied, or found in sync by an apply. */
  readonly isKnown: boolean;
}

/** The fingerprint of a value that was declared but neither sent nor compared. */
const unknown = "";

const nothing: Recalled = { unkept: [], drifted: [], wanted: [], edited: [], moved: false, isKnown: false };

/** Holds a comparison against what was last applied. */
export function recollect(
  resource: Resource,
  address: string,
  compared: Readonly<Record<Comparison, readonly string[]>>,
  live: Live,
  ledger: Recollection | undefined,
): Recalled {
  const memory = ledger?.recall(address);
  if (!ledger || !memory) return nothing;
  const asSent = (name: string) => {
    const value = resource.fields[name] ?? null;
    const sent = memory.sent[name];
    return ledger.fingerprint(resource, address, name, value, sent) === sent && sameVersion(name, value, memory);
  };
  const unkept = compared.different.filter((name) => memory.unkept?.includes(name) && asSent(name));
  const different = compared.different.filter((name) => !unkept.includes(name));
  return {
    unkept,
    drifted: different.filter(
      (name) =>
        memory.absent || isMoved(live, name, address, memory, ledger) || (live.returned?.[name] && asSent(name)),
    ),
    wanted: different.filter((name) => !asSent(name)),
    edited: compared.unverified.filter((name) => isEdited(resource, name, address, memory, ledger)),
    moved: isTouched(live, memory),
    isKnown: true,
  };
}

/** Whether a live resource was changed since it was last applied, as far as it shows. */
export function hasMoved(live: Live, address: string, ledger: Recollection): boolean {
  const memory = ledger.recall(address);
  if (!memory) return false;
  return (
    isTouched(live, memory) || Object.keys(memory.sent).some((name) => isMoved(live, name, address, memory, ledger))
  );
}

function isTouched({ updatedAt }: Live, memory: Memory): boolean {
  return memory.updated_at !== undefined && updatedAt !== undefined && memory.updated_at !== updatedAt;
}

function isMoved(live: Live, name: string, address: string, memory: Memory, ledger: Recollection): boolean {
  const sent = memory.sent[name];
  const value = live.fields[name];
  if (sent === undefined || sent === unknown || value === undefined || isReference(value)) return false;
  return !memory.unkept?.includes(name) && ledger.fingerprint(live, address, name, value, sent) !== sent;
}

/** Whether the server answered the last apply that the resource is off, though nothing declared says so. */
export function isKeptOff(memory: Memory | undefined): boolean {
  return memory?.unkept?.includes(on) === true && !(on in memory.sent);
}

const on = "active";

/** Declared values that are not what was last sent. */
export function editedSince(resource: Resource, address: string, ledger: Recollection): readonly string[] {
  const memory = ledger.recall(address);
  const names = Object.keys(resource.fields).sort();
  return memory ? names.filter((name) => isEdited(resource, name, address, memory, ledger)) : names;
}

function isEdited(
  resource: Dated["desired"],
  name: string,
  address: string,
  memory: Memory,
  ledger: Recollection,
): boolean {
  const value = resource.fields[name] ?? null;
  const sent = memory.sent[name];
  if (sent === undefined || !sameVersion(name, value, memory)) return true;
  const now = ledger.fingerprint(resource, address, name, value, sent);
  return sent !== unknown && now !== undefined && now !== sent;
}

function sameVersion(name: string, value: Value, { versions }: Memory): boolean {
  return (isReference(value) ? value.version : undefined) === versions?.[name];
}

/**
 * Whether an integration whose list row has this `updated_at` may be taken to be as it was last seen, without reading
 * it on its own (`reads: trust-updated-at`): nothing moved on the server, and nothing was edited here.
 */
export function standsStill({ desired, updatedAt }: Dated, address: string, ledger: Recollection): boolean {
  const memory = ledger.recall(address);
  if (!memory || memory.updated_at !== updatedAt) return false;
  return Object.keys(desired.fields).every((name) => !isEdited(desired, name, address, memory, ledger));
}

/** What to remember of a resource that was found in sync: what could be compared, and when it last moved. */
export function memoryOf(
  resource: Resource,
  address: string,
  seen: {
    readonly updatedAt?: string | undefined;
    /** Fields that were neither sent nor compared. */
    readonly unseen?: readonly string[];
    readonly unkept?: readonly string[];
  },
  fingerprint: Recollection["fingerprint"],
): Memory {
  const { updatedAt, unseen = [], unkept = [] } = seen;
  const fields = Object.entries(resource.fields);
  const versions = fields.flatMap(([name, value]) =>
    isReference(value) && value.version ? [[name, value.version]] : [],
  );
  const sent = fields.map(([name, value]) => {
    return [name, unseen.includes(name) ? unknown : (fingerprint(resource, address, name, value) ?? unknown)];
  });
  return {
    ...(updatedAt !== undefined && { updated_at: updatedAt }),
    sent: Object.fromEntries(sent),
    ...(versions.length > 0 && { versions: Object.fromEntries(versions) }),
    ...(unkept.length > 0 && { unkept }),
  };
}

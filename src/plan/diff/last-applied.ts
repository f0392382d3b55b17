import type { Comparison } from "../../model/field-meaning.ts";
import type { Live, Resource, Value } from "../../model/types.ts";
import { isReference } from "../../model/values.ts";

/** The ledger's entry for a resource since the last apply (docs/comparing.md). */
export interface Memory {
  /** As in the response to our last write, or when the resource was last found in sync. */
  readonly updated_at?: string;
  /** Fingerprints of declared values as sent; `""` for values that were declared but never compared or sent. */
  readonly sent: Readonly<Record<string, string>>;
  readonly versions?: Readonly<Record<string, number>>;
  /** Parameters for which the server returned another value than was sent. */
  readonly unkept?: readonly string[];
  /** The resource was confirmed to be absent. */
  readonly absent?: true;
}

export const absence: Memory = { sent: {}, absent: true };

export interface Dated {
  readonly desired: Pick<Resource, "kind" | "key" | "fields">;
  readonly updatedAt: string;
}

export interface Recollection {
  readonly recall: (address: string) => Memory | undefined;
  /** Undefined for a secret not set here. The result has the form of `like`, a fingerprint to compare it with. */
  readonly fingerprint: (
    resource: Pick<Resource, "kind" | "key">,
    address: string,
    name: string,
    value: Value,
    like?: string,
  ) => string | undefined;
  /** The fingerprint of a returned secret; undefined if it cannot be compared with `like`. */
  readonly fingerprintOfMark?: (address: string, name: string, mark: string, like: string) => string | undefined;
}

export interface Recalled {
  /** Different fields that the server never keeps: reported once, not planned again. */
  readonly unkept: readonly string[];
  /** Different fields whose live value is not the last applied one: the server was changed. */
  readonly drifted: readonly string[];
  /** Different fields whose declared value is not the last applied one: the manifests were changed. */
  readonly wanted: readonly string[];
  /** Fields that the server does not report, and whose declared value is not the last one sent. */
  readonly edited: readonly string[];
  /** True if `updated_at` changed since the last apply. */
  readonly moved: boolean;
  /** True if the resource was ever applied, or found in sync by an apply. */
  readonly isKnown: boolean;
}

/** The fingerprint of a value that was declared but neither sent nor compared. */
const unknown = "";

const nothing: Recalled = { unkept: [], drifted: [], wanted: [], edited: [], moved: false, isKnown: false };

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
        memory.absent ||
        isMoved(live, name, address, memory, ledger) ||
        (isReturnedMoved(live, name, address, memory, ledger) ?? (live.returned?.[name] && asSent(name))),
    ),
    wanted: different.filter((name) => !asSent(name)),
    edited: compared.unverified.filter((name) => isEdited(resource, name, address, memory, ledger)),
    moved: isTouched(live, memory),
    isKnown: true,
  };
}

/** True if a live resource visibly changed since the last apply. */
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

/** Undefined if the ledger cannot compare the returned secret with the last one sent. */
function isReturnedMoved(
  { returned }: Live,
  name: string,
  address: string,
  { sent }: Memory,
  ledger: Recollection,
): boolean | undefined {
  const [mark, last] = [returned?.[name], sent[name]];
  if (typeof mark !== "string" || last === undefined) return undefined;
  const now = ledger.fingerprintOfMark?.(address, name, mark, last);
  return now === undefined ? undefined : now !== last;
}

/** True if the server disabled the resource in the last apply, although `active` was not declared. */
export function isKeptOff(memory: Memory | undefined): boolean {
  return memory?.unkept?.includes(activeField) === true && !(activeField in memory.sent);
}

const activeField = "active";

/** Declared fields whose values are not the last ones sent. */
export function editedSince(resource: Resource, address: string, ledger: Recollection): readonly string[] {
  const memory = ledger.recall(address);
  const names = Object.keys(resource.fields).sort();
  return memory ? names.filter((name) => isEdited(resource, name, address, memory, ledger)) : names;
}

function isEdited(resource: Dated["desired"], name: string, address: string, memory: Memory, ledger: Recollection) {
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
 * True if an integration with this `updated_at` in a list is unchanged since it was last seen, so that its own GET can
 * be skipped (`reads: trust-updated-at`): neither the server nor the manifests changed it.
 */
export function isUnchanged({ desired, updatedAt }: Dated, address: string, ledger: Recollection): boolean {
  const memory = ledger.recall(address);
  if (!memory || memory.updated_at !== updatedAt) return false;
  return Object.keys(desired.fields).every((name) => !isEdited(desired, name, address, memory, ledger));
}

/** The ledger's entry for a resource in sync: compared values, and the time of its last change. */
export function toMemory(
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

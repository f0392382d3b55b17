import { canonical } from "../base/json.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { lookUpFields } from "../model/look-ups.ts";
import type { Change, Desired } from "../model/types.ts";

/** A desired resource in the form in which it is compared with what is live. */
export type AsCompared = (desired: Desired) => Desired;

/**
 * Puts what look-ups gave for a change in place of what was written `before`, as far as it is still written so: the
 * server has IDs where manifests have names.
 */
export function asComparedBy(
  catalogue: Catalogue,
  before: Desired | undefined,
  { kind, declared }: Change,
): AsCompared {
  const file = catalogue.kinds.get(kind)?.file;
  if (!file || !before) return (desired) => desired;
  const names = lookUpFields(file).filter((name) => name in before.fields && name in declared);
  const written = new Map(names.map((name) => [name, canonical(before.fields[name])]));
  return (desired) => {
    const same = names.filter(
      (name) => name in desired.fields && canonical(desired.fields[name]) === written.get(name),
    );
    if (same.length === 0) return desired;
    const found = Object.fromEntries(same.map((name) => [name, declared[name] ?? null]));
    return { ...desired, fields: { ...desired.fields, ...found } };
  };
}

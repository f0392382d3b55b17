import schema from "../../schemas/manifest.schema.json" with { type: "json" };
import { grouped } from "../base/grouped.ts";
import { kinds } from "../model/kinds.ts";
import type { Live } from "../model/types.ts";
import type { ImportedEntry } from "./found.ts";

/** Licenses as a policy lists them, and sentences on those that it cannot. */
export interface ImportedLicenses {
  readonly entries: readonly ImportedEntry[];
  readonly remarks: readonly string[];
}

/** Names equal but for case are one license in a policy: it is listed where they agree, and left out where they do not. */
export function importLicenses(live: readonly Live[]): ImportedLicenses {
  const entries: ImportedEntry[] = [];
  const remarks: string[] = [];
  for (const namesakes of grouped(live, ({ key }) => kinds.license.identity(key)).values()) {
    const [first] = namesakes;
    if (!first) continue;
    const why = reasonToLeave(first, namesakes);
    if (why) remarks.push(`license ${namesOf(namesakes)} is left out: ${why}`);
    else entries.push(entryOf(first, namesakes));
  }
  return { entries: entries.toSorted(byName), remarks };
}

/** As `fmt` sorts them. */
function byName({ key: a }: ImportedEntry, { key: b }: ImportedEntry): number {
  return kinds.license.identity(a) < kinds.license.identity(b) ? -1 : 1;
}

const statuses = Object.keys(kinds.license.strictness?.by ?? {});

/** What the schema of policies lets stand as the name of a license. */
const names = Object.keys(schema.definitions.Policy.properties.licenses.patternProperties).map(
  (pattern) => new RegExp(pattern, "u"),
);

function reasonToLeave({ key }: Live, namesakes: readonly Live[]): string | undefined {
  if (key.trim() !== key || !names.some((name) => name.test(key))) return "a policy cannot spell its name";
  const [status, other] = new Set(namesakes.map(({ fields }) => fields.approval_status));
  if (other !== undefined) return "they differ in case alone and disagree; keep one of them";
  return statuses.includes(String(status)) ? undefined : `expected ${statuses.join(" or ")} for its status`;
}

function entryOf({ kind, key, fields }: Live, namesakes: readonly Live[]): ImportedEntry {
  const stated = new Map(Object.entries(fields).map(([name, value]) => [name, { form: "value", value }] as const));
  const remarks = namesakes.length > 1 ? [`the server has ${namesOf(namesakes)}, which differ in case alone`] : [];
  return { kind, key, fields: stated as ImportedEntry["fields"], remarks };
}

function namesOf(namesakes: readonly Live[]): string {
  return namesakes.map(({ key }) => JSON.stringify(key)).join(" and ");
}

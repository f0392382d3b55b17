import schema from "../../schemas/manifest.schema.json" with { type: "json" };
import { grouped } from "../base/grouped.ts";
import { identityOf, type PolicyColumn } from "../model/kinds.ts";
import type { Live, Scalar } from "../model/types.ts";
import type { ImportedEntry, ImportedProject } from "./imported.ts";

/** What the schema of policies lets stand in a section of keys with one value each, by the pattern of the keys. */
interface SectionSchema {
  readonly patternProperties: Readonly<
    Record<string, { readonly enum: readonly Scalar[]; readonly "x-expected": string }>
  >;
}

const sections = schema.definitions.Policy.properties as unknown as Readonly<Record<string, SectionSchema>>;

/**
 * Resources as a policy lists them by one value each, and sentences on those that it cannot. Keys of one identity are one
 * resource in a policy: it is listed where they agree, and left out where they do not.
 */
export function importValues(
  live: readonly Live[],
  { section, only }: Required<Pick<PolicyColumn, "section" | "only">>,
): Pick<ImportedProject, "entries" | "remarks"> {
  const entries: ImportedEntry[] = [];
  const remarks: string[] = [];
  for (const namesakes of grouped(live, identityOf).values()) {
    const [first] = namesakes;
    if (!first) continue;
    const value = first.fields[only] as Scalar;
    const disagree = namesakes.some(({ fields }) => fields[only] !== value);
    const why = disagree
      ? "they differ only in case and disagree; keep one of them"
      : misfit(section, first.key, value);
    if (why) remarks.push(`${first.kind} ${namesOf(namesakes)} is left out: ${why}`);
    else entries.push(entryOf(first, namesakes, new Map([[only, { form: "value", value }]])));
  }
  return { entries, remarks };
}

function misfit(section: string, key: string, value: Scalar): string | undefined {
  const patterns = Object.entries(sections[section]?.patternProperties ?? {});
  const [, allowed] = patterns.find(([pattern]) => new RegExp(pattern, "u").test(key)) ?? [];
  if (key.trim() !== key || !allowed) return "a policy cannot contain its name";
  return allowed.enum.includes(value) ? undefined : `expected ${allowed["x-expected"]}, the server has another value`;
}

function entryOf({ kind, key }: Live, namesakes: readonly Live[], fields: ImportedEntry["fields"]): ImportedEntry {
  const remarks = namesakes.length > 1 ? [`the server has ${namesOf(namesakes)}, which differ only in case`] : [];
  return { kind, key, fields, remarks };
}

function namesOf(namesakes: readonly Live[]): string {
  return namesakes.map(({ key }) => JSON.stringify(key)).join(" and ");
}

import { grouped } from "../base/grouped.ts";
import { compareTexts, counted, thousands } from "../base/text-format.ts";
import { type Override, wideOverrides } from "../manifest/overrides.ts";
import type { Policy } from "../manifest/policies.ts";
import { isWide } from "../manifest/projects.ts";
import { type Catalogue, catalogueOf } from "../model/catalogue.ts";
import { fieldOf, identityOf } from "../model/kinds.ts";
import { compareField } from "../model/normalise.ts";
import type { Desired, Live, Project } from "../model/types.ts";

/** An entry of a policy with a wildcard that is overridden by a different value, as plans count it. */
export interface OverrideCount {
  readonly policy: string;
  /** `protected_branch/main`; a field of a singleton is `settings.visibility`. */
  readonly entry: string;
  /** Number of projects in which another policy declares something else. */
  readonly projects: number;
  /** Number of those whose live value differs from the entry; null if no live state was read. */
  readonly differ: number | null;
  /** Set for a policy of groups. */
  readonly of?: "group";
}

export function overrideCount(
  { layer: { policy }, entry }: Pick<Override, "layer" | "entry">,
  differs: boolean | null,
): OverrideCount {
  const { name, of } = policy;
  const differ = differs === null ? null : Number(differs);
  return { policy: name, entry, projects: 1, differ, ...(of === "group" && { of }) };
}

/** Adds up the counts of equal entries, sorted by policy and entry. */
export function addOverrides(counts: readonly OverrideCount[]): readonly OverrideCount[] {
  const sums = [...grouped(counts, ({ policy, entry }) => JSON.stringify([policy, entry])).values()];
  return sums
    .map(([first, ...others]) => others.reduce(addOverride, first))
    .sort((a, b) => compareTexts(a.policy, b.policy) || compareTexts(a.entry, b.entry));
}

function addOverride(a: OverrideCount, b: OverrideCount): OverrideCount {
  const differ = a.differ === null ? b.differ : a.differ + (b.differ ?? 0);
  return { ...a, projects: a.projects + b.projects, differ };
}

export function overridesAmong(policies: readonly Policy[], projects: readonly Project[]): readonly OverrideCount[] {
  if (policies.length < 2 || !policies.some(isWide)) return [];
  const found = projects.flatMap((project) => wideOverrides(policies, project));
  return addOverrides(found.map((override) => overrideCount(override, null)));
}

export function overrideText({ policy, entry, projects, differ, of }: OverrideCount): string {
  const live = differ ? `; ${describeDiffering(differ, projects)}` : "";
  return `${policy}: ${entry} is overridden in ${counted(projects, of ?? "project")}${live}`;
}

function describeDiffering(differ: number, projects: number): string {
  if (projects === 1) return "there the live value differs from it";
  if (differ === projects) return "the live value differs from it in all of them";
  return `in ${thousands(differ)} of them the live value differs from it`;
}

/** True if live state certainly differs from the declared one. Values that servers do not return are not compared. */
export function differsFrom(declared: Desired, live: readonly Live[], catalogue: Catalogue = catalogueOf()): boolean {
  const { identity, presence, fields } = declared;
  const found = live.find((each) => identityOf(catalogue, each) === identity);
  const isOn = found !== undefined && (found.active || fieldOf(catalogue, declared, "active") !== undefined);
  if (presence === "absent") return found?.active === true;
  if (!isOn) return true;
  return Object.entries(fields).some(
    ([name, value]) => compareField(catalogue, declared, name, value, found.fields[name]) === "different",
  );
}

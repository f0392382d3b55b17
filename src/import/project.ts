import { memoized } from "../base/memoize.ts";
import { compareTexts } from "../base/text.ts";
import { unavailable } from "../model/availability.ts";
import { type Catalogue, catalogueOf } from "../model/catalogue.ts";
import { identityOf, integrationOf, kindNames, kinds, policyKinds } from "../model/kinds.ts";
import type { Live, Platform, Resource } from "../model/types.ts";
import type { FoundProject, ImportedProject } from "./imported.ts";
import { importIntegration } from "./integration.ts";
import { importValues } from "./values.ts";

type Named = Pick<Resource, "kind" | "key">;

/** Why no policy could declare it on this platform, so that it need not be read; undefined where one could. */
export function whyUndeclarable({ kind, key }: Named, platform: Platform): string | undefined {
  if (!kinds[kind].known) return undefined;
  const known = integrationOf(catalogueOf(platform.dialect), { kind, key });
  return known ? unavailable(known, platform)?.message : "it is not in the catalogue";
}

/** All that policies can say of a project, in the order that `fmt` gives it, and sentences on what they cannot. */
export function importProject(found: FoundProject, platform: Platform): ImportedProject {
  const catalogue = catalogueOf(platform.dialect);
  const live = found.live.toSorted(byOrder(catalogue));
  const imported = policyKinds.map(({ kind, section, only }) => {
    const own = live.filter((each) => each.kind === kind);
    return only === undefined ? importParameters(own, platform) : importValues(own, { section, only });
  });
  return {
    project: found.project,
    entries: imported.flatMap(({ entries }) => entries),
    remarks: [
      ...found.unread,
      ...found.others.map((other) => othersWords(other, platform)),
      ...imported.flatMap(({ remarks }) => remarks),
    ],
  };
}

function importParameters(
  live: readonly Live[],
  { dialect, release }: Platform,
): Pick<ImportedProject, "entries" | "remarks"> {
  const results = live.flatMap((each) => {
    const integration = integrationOf(catalogueOf(dialect), each);
    return integration ? importIntegration(integration, each, release) : [];
  });
  return {
    entries: results.flatMap((result) => ("entry" in result ? result.entry : [])),
    remarks: results.flatMap((result) => ("left" in result ? result.left : [])),
  };
}

/** As `fmt` sorts resources: as the catalogue does, by identity where there is none. */
export function byOrder(catalogue: Catalogue): (a: Named, b: Named) => number {
  const ranks = ranksIn(catalogue);
  const rank = (named: Named) => ranks.get(identityOf(named)) ?? ranks.size;
  return (a, b) => rank(a) - rank(b) || compareTexts(identityOf(a), identityOf(b));
}

const ranksIn = memoized((catalogue: Catalogue): ReadonlyMap<string, number> => {
  const known = kindNames.flatMap((kind) =>
    [...(kinds[kind].known?.(catalogue).keys() ?? [])].map((key) => identityOf({ kind, key })),
  );
  return new Map(known.map((identity, index) => [identity, index]));
}, new WeakMap());

function othersWords(other: FoundProject["others"][number], platform: Platform): string {
  const own = other.inherited ? "it is inherited from the group" : "the server lists it but does not show it";
  return `${other.key} is left out: ${whyUndeclarable(other, platform) ?? own}`;
}

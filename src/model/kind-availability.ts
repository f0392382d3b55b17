import { serverWords, tierIncludes, unavailableBefore } from "./availability.ts";
import { type Catalogue, factHolds } from "./catalogue.ts";
import { dialects } from "./dialects.ts";
import { kindOf, type PolicyKind, removedSection } from "./kinds.ts";
import { ownerOfKind, pluralOwner } from "./owner.ts";
import type { Platform } from "./types.ts";

type Section = Pick<PolicyKind, "kind" | "section">;

/** A sentence on why the release of this platform does not have a kind; undefined if it does. */
export function outOfRelease(catalogue: Catalogue, row: Section, platform: Platform): string | undefined {
  const { kind, section } = row;
  const found = kindOf(catalogue, kind);
  const exists = `${section} ${section.endsWith("s") ? "exist" : "exists"}`;
  return (
    removedSection(found, section, platform) ??
    missingSection(catalogue, row, platform) ??
    unavailableBefore(exists, found.file.needs?.release, platform)
  );
}

/** A sentence on why the tier of this platform does not have a kind; undefined if it does. */
export function outOfTier(catalogue: Catalogue, { kind, section }: Section, platform: Platform): string | undefined {
  const { tier = "free" } = kindOf(catalogue, kind).file.needs ?? {};
  if (tierIncludes(platform.tier, tier)) return undefined;
  return `${section} ${section.endsWith("s") ? "need" : "needs"} tier ${tier}; the server is ${platform.tier}`;
}

/** A kind may be introduced by a fact of a dialect. */
function missingSection(catalogue: Catalogue, { kind, section }: Section, platform: Platform): string | undefined {
  const fact = kindOf(catalogue, kind).file.facts?.[ownerOfKind(kind)];
  if (fact === undefined || factHolds(catalogue, fact, platform.release)) return undefined;
  const stating = [...dialects.values()].find(({ facts }) => facts.some(({ id }) => id === fact));
  const { from } = stating?.facts.find(({ id }) => id === fact) ?? {};
  const what = `${section} of ${pluralOwner(ownerOfKind(kind))} exist from release ${from} on, in dialect ${stating?.name}`;
  const other = stating?.name === catalogue.dialect ? "" : `, and server.dialect is ${catalogue.dialect}`;
  return `${what}; ${serverWords(platform)}${other}`;
}

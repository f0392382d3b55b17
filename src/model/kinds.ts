import { memoized } from "../base/memoize.ts";
import { serverWords, tierIncludes, unavailableBefore } from "./availability.ts";
import { bundledKinds } from "./bundled-kinds.ts";
import { type Catalogue, factHolds } from "./catalogue.ts";
import { dialects } from "./dialects.ts";
import type { Endpoint } from "./endpoints.ts";
import type { Integration } from "./integration.ts";
import type { KindRow, PolicyColumn } from "./kind-row.ts";
import { kindOfWord, kindWord, type Owner, ownerOfKind, ownerRecord, pluralOwner } from "./owner.ts";
import { compareReleases } from "./releases.ts";
import type { FieldSchema } from "./resource-kind.ts";
import type { Change, Kind, Platform, Resource } from "./types.ts";

/** The row of a kind. @throws RangeError for a kind that the catalogue does not have, which is an internal error. */
export function kindOf({ kinds }: Catalogue, kind: Kind): KindRow {
  const row = kinds.get(kind);
  if (!row) throw new RangeError(`there is no kind ${kind}`);
  return row;
}

export function integrationReads(owner: Owner): { readonly list: Endpoint; readonly show: Endpoint } {
  const { list, single } = bundledKinds[kindOfWord(owner, "integration")]?.read ?? {};
  if (!list || !single) throw new RangeError("there is no kind of integrations");
  return { list, show: single };
}

export interface PolicyKind extends PolicyColumn {
  readonly kind: Kind;
}

export function policyKinds(catalogue: Catalogue, owner: Owner = "project"): readonly PolicyKind[] {
  return policyKindsByOwner(catalogue)[owner];
}

const policyKindsByOwner = memoized(({ kinds }: Catalogue): Readonly<Record<Owner, readonly PolicyKind[]>> => {
  const all = [...kinds].flatMap(([kind, { policy }]) => (policy ? [{ kind, ...policy }] : []));
  return ownerRecord((owner) => all.filter(({ kind }) => ownerOfKind(kind) === owner));
}, new WeakMap());

/** The kinds whose resources are all read and counted; of others, only those that policies list. */
export function inventoriedKinds(catalogue: Catalogue, owner: Owner): readonly PolicyKind[] {
  return policyKinds(catalogue, owner).filter(({ kind }) => kindOf(catalogue, kind).file.under === undefined);
}

export function importedKinds(catalogue: Catalogue, owner: Owner): readonly PolicyKind[] {
  return policyKinds(catalogue, owner).filter(({ kind }) => kindOf(catalogue, kind).file.imported);
}

export function policyKind(catalogue: Catalogue, kind: Kind): PolicyKind | undefined {
  return policyKinds(catalogue, ownerOfKind(kind)).find((row) => row.kind === kind);
}

/** The plural of a kind in policies and messages; a guess for an unknown kind. */
export function sectionNameOf({ kinds }: Catalogue, kind: Kind): string {
  return kinds.get(kind)?.policy?.section ?? `${kindWord(kind)}s`;
}

/** A sentence on why this platform no longer has the kind; undefined if it does. */
export function removedSection({ file }: KindRow, section: string, platform: Platform): string | undefined {
  const { release, instead = "they are gone" } = file.removed ?? {};
  if (release === undefined || compareReleases(platform.release, release) < 0) return undefined;
  return `${section} were removed in release ${release}; ${serverWords(platform)}: ${instead}`;
}

/** True if the keys of a kind are those of the catalogue, so that they need no kind to be understood. */
export function isListedByCatalogue(kind: Kind): boolean {
  return bundledKinds[kind]?.file.keys !== undefined;
}

/** Resources of one project with the same identity are the same resource. */
export function identityOf(catalogue: Catalogue, { kind, key }: Named): string {
  return `${kind}/${kindOf(catalogue, kind).identity(key)}`;
}

type Named = Pick<Resource, "kind" | "key">;

/** The integration with the resource's key; undefined if the key is unknown, or is free text. */
export function catalogueEntry(catalogue: Catalogue, { kind, key }: Named): Integration | undefined {
  return kindOf(catalogue, kind).keys?.get(key);
}

export function fieldOf(catalogue: Catalogue, { kind, key }: Named, name: string): FieldSchema | undefined {
  const { keys, file } = kindOf(catalogue, kind);
  if (keys) return keys.get(key)?.parameters.get(name);
  const { properties } = file.fields;
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

export function irreversibleOf(
  { kinds }: Catalogue,
  { kind, action }: Pick<Change, "kind" | "action">,
): string | undefined {
  if (action === "disable") return undefined;
  return kinds.get(kind)?.file.irreversible?.[action];
}

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

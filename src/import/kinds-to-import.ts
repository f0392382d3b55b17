import { exit, UserError } from "../base/exit.ts";
import { didYouMean } from "../base/nearest.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { outOfRelease, outOfTier } from "../model/kind-availability.ts";
import { importedKinds, type PolicyKind, policyKinds } from "../model/kinds.ts";
import type { Owner } from "../model/owner.ts";
import type { Kind, Platform } from "../model/types.ts";

/**
 * The kinds in these sections, or without any those that need not be asked for, of projects, of groups or of both.
 * @throws UserError for a section that policies of none of them have, and for one that the platform does not have.
 */
export function kindsToImport(
  sections: readonly string[] | undefined,
  owners: readonly Owner[],
  catalogue: Catalogue,
  platform: Platform,
): ReadonlySet<Kind> {
  const found = sections
    ? namesIn(sections).flatMap((name) => kindsNamed(name, owners, catalogue, platform))
    : owners.flatMap((owner) => defaultKinds(owner, catalogue, platform));
  return new Set(found.map(({ kind }) => kind));
}

function namesIn(sections: readonly string[]): readonly string[] {
  return sections.flatMap((each) => each.split(",")).filter((name) => name !== "");
}

function kindsNamed(name: string, owners: readonly Owner[], catalogue: Catalogue, platform: Platform) {
  const known = owners.flatMap((owner) => policyKinds(catalogue, owner));
  if (name === "all") return known;
  const meant = known.filter(({ section }) => section === name);
  if (meant.length > 0) return available(meant, catalogue, platform);
  const words = [...new Set(known.map(({ section }) => section))];
  const [only] = owners.length === 1 ? owners : [];
  const whose = only === "group" ? "policies of groups" : "policies";
  throw new UserError(
    `--kinds: ${whose} have no ${name}${didYouMean(name, words) || `; there are ${words.join(", ")}`}`,
    exit.usage,
  );
}

/** Those that the platform has. @throws UserError where it has none of them. */
function available(rows: readonly PolicyKind[], catalogue: Catalogue, platform: Platform): readonly PolicyKind[] {
  const whyNot = (row: PolicyKind) => outOfRelease(catalogue, row, platform) ?? outOfTier(catalogue, row, platform);
  const found = rows.filter((row) => whyNot(row) === undefined);
  const [first] = rows;
  if (found.length > 0 || !first) return found;
  throw new UserError(`--kinds: ${whyNot(first)}`, exit.usage);
}

const elsewhere: Readonly<Record<Owner, string>> = {
  project: "",
  group: "; for the projects of a group: --group GROUP, without the slash",
};

function defaultKinds(owner: Owner, catalogue: Catalogue, platform: Platform): readonly PolicyKind[] {
  const rows = importedKinds(catalogue, owner);
  const [first, ...others] = rows;
  const why = first && others.length === 0 ? outOfRelease(catalogue, first, platform) : undefined;
  if (why)
    throw new UserError(`${why}. Name other kinds of ${owner}s with --kinds, or all${elsewhere[owner]}`, exit.usage);
  return rows;
}

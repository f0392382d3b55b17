import { grouped } from "../base/grouped.ts";
import { lazy, memoized } from "../base/memoize.ts";
import { addressParts } from "./address.ts";
import { type Catalogue, catalogueOf } from "./catalogue.ts";
import { dialects } from "./dialects.ts";
import { isListedByCatalogue } from "./kinds.ts";

/** A dialect, and some of the slugs that show it: names of that dialect and of no other. */
export interface DialectEvidence {
  readonly dialect: string;
  readonly slugs: readonly string[];
}

/** The slugs that only one dialect has, in the order of the catalogue, by dialect. */
export const tellingSlugs: (dialect: string) => readonly string[] = memoized((dialect: string) => {
  const others = [...dialects.keys()].filter((each) => each !== dialect).map((each) => catalogueOf(each).integrations);
  const own = [...catalogueOf(dialect).integrations.keys()];
  return own.filter((slug) => others.every((other) => !other.has(slug)));
});

const dialectsBySlug = lazy(() => {
  return new Map([...dialects.keys()].flatMap((name) => tellingSlugs(name).map((slug) => [slug, name])));
});

/** The dialect of slugs that exist in it only; undefined if there are none, or of several dialects. */
export function dialectOfSlugs(slugs: Iterable<string>): DialectEvidence | undefined {
  const found = grouped(new Set(slugs), (slug) => dialectsBySlug().get(slug));
  const [first] = found;
  return first && found.size === 1 ? { dialect: first[0], slugs: first[1] } : undefined;
}

export function otherDialectOf(catalogue: Catalogue, slugs: Iterable<string>): DialectEvidence | undefined {
  const all = [...slugs];
  if (all.every((slug) => catalogue.integrations.has(slug))) return undefined;
  const found = dialectOfSlugs(all);
  return found?.dialect === catalogue.dialect ? undefined : found;
}

/** An error message for a slug of another dialect; undefined for any other. */
export function foreignSlug(slug: string, { foreignNames, dialect }: Catalogue): string | undefined {
  const other = foreignNames.get(slug);
  return other && `${slug} is a name of dialect ${other.dialect}; here, in dialect ${dialect}, it is ${other.name}`;
}

/** An error message for an integration that only another dialect has; undefined for any other. */
export function addedElsewhere(slug: string, { dialect: here }: Catalogue): string | undefined {
  const adds = [...dialects.values()].find(({ additions }) => additions && Object.hasOwn(additions.integrations, slug));
  if (!adds || adds.name === here) return undefined;
  return `only dialect ${adds.name} has the integration ${slug}; here, the dialect is ${here}`;
}

/** An error message for a glob over addresses that names such an integration, and would match nothing. */
export function foreignGlob(glob: string, catalogue: Catalogue): string | undefined {
  const [, rest] = addressParts(glob);
  const [, kind = "", key = ""] = /^([^/]*)\/(.*)$/.exec(rest) ?? [];
  return catalogue.kinds.has(kind) && !isListedByCatalogue(kind) ? undefined : foreignSlug(key, catalogue);
}

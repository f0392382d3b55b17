import { memoized } from "../base/memoize.ts";
import { type Catalogue, catalogueOf } from "./catalogue.ts";
import { dialects } from "./dialects.ts";

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

const dialectsBySlug = memoized(
  (_: typeof dialects) =>
    new Map([...dialects.keys()].flatMap((name) => tellingSlugs(name).map((slug) => [slug, name]))),
);

/** The dialect of slugs that exist in it only; undefined if there are none, or of several dialects. */
export function dialectOfSlugs(slugs: Iterable<string>): DialectEvidence | undefined {
  const found = new Map<string, Set<string>>();
  for (const slug of slugs) {
    const dialect = dialectsBySlug(dialects).get(slug);
    if (dialect !== undefined) found.set(dialect, (found.get(dialect) ?? new Set()).add(slug));
  }
  const [first] = found;
  return first && found.size === 1 ? { dialect: first[0], slugs: [...first[1]] } : undefined;
}

/** The dialect of these slugs, if it is not the one of the catalogue. */
export function otherDialectOf(catalogue: Catalogue, slugs: Iterable<string>): DialectEvidence | undefined {
  const all = [...slugs];
  if (all.every((slug) => catalogue.integrations.has(slug))) return undefined;
  const found = dialectOfSlugs(all);
  return found?.dialect === catalogue.dialect ? undefined : found;
}

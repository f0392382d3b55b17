import { type Catalogue, catalogueOf } from "../model/catalogue.ts";

type Words = ReadonlyMap<string, string>;

/** What to say in one dialect instead of the names of others. */
export interface Translation {
  readonly slugs: Words;
  /** Each slug of the workspace's dialect so far, and what it is from now on. */
  readonly pairs: readonly (readonly [was: string, is: string])[];
  /** By slug, of whichever dialect. */
  readonly parameters: ReadonlyMap<string, Words>;
}

/**
 * Takes the names of any dialect, those of `from` first: manifests may have been half translated, by hand or by a run
 * that was cut short.
 */
export function translationBetween(from: string, to: string): Translation {
  const [before, after] = [catalogueOf(from), catalogueOf(to)];
  const [was, is] = [before, after].map(({ integrations }) => [...integrations.keys()]);
  const pairs = (was ?? []).map((slug, index) => [slug, is?.[index] ?? slug] as const);
  const changed = pairs.filter(([one, other]) => one !== other && !after.integrations.has(one));
  const slugs = new Map([...wordsOf(after), ...changed]);
  const parameters = [...slugs, ...after.integrations.keys()].map((each): [string, Words] => {
    const [slug, own] = typeof each === "string" ? [each, each] : each;
    return [slug, wordsOf(after.integrations.get(own))];
  });
  return { slugs, pairs, parameters: new Map(parameters) };
}

function wordsOf(named: Pick<Catalogue, "elsewhere"> | undefined): Words {
  return new Map([...(named?.elsewhere ?? [])].map(([word, { name }]) => [word, name]));
}

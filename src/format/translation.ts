import { memoized } from "../base/memoize.ts";
import { type Catalogue, catalogueOf } from "../model/catalogue.ts";
import type { Resource, Scalar } from "../model/types.ts";

type Words = ReadonlyMap<string, string>;

/** What to say in one dialect instead of the names of others. */
export interface Translation {
  readonly kinds: Catalogue["kinds"];
  readonly slugs: Words;
  /** Each slug of the workspace's dialect so far, and what it is from now on. */
  readonly pairs: readonly (readonly [was: string, is: string])[];
  /** By slug, of whichever dialect. */
  readonly parameters: ReadonlyMap<string, Words>;
  /** By slug as it was, parameters that only one of the dialects has, with what they are in the other all the same. */
  readonly unsaid: ReadonlyMap<string, Unsaid>;
}

type Values = ReadonlyMap<string, Scalar>;

/** What goes without saying from now on, and what has to be said. */
interface Unsaid {
  readonly now: Values;
  readonly before: Values;
}

/**
 * Takes the names of any dialect, those of `from` first: manifests may have been half translated, by hand or by a run
 * that was cut short.
 */
export function translationBetween(from: string, to: string): Translation {
  return translationInto(to)(from);
}

const translationInto = memoized((to: string) =>
  memoized((from: string) => translated(catalogueOf(from), catalogueOf(to))),
);

function translated(before: Catalogue, after: Catalogue): Translation {
  const [was, is] = [before, after].map(({ integrations }) => [...integrations.keys()]);
  const pairs = (was ?? []).map((slug, index) => [slug, is?.[index] ?? slug] as const);
  const changed = pairs.filter(([one, other]) => one !== other && !after.integrations.has(one));
  const slugs = new Map([...wordsOf(after), ...changed]);
  const parameters = [...slugs, ...after.integrations.keys()].map((each): [string, Words] => {
    const [slug, own] = typeof each === "string" ? [each, each] : each;
    return [slug, wordsOf(after.integrations.get(own))];
  });
  const unsaid = pairs.flatMap(([one, other]): [string, Unsaid][] => {
    const [left, right] = [before.integrations.get(one), after.integrations.get(other)];
    const [now, earlier] = [right?.always ?? none, left?.always ?? none];
    return left === right || now.size + earlier.size === 0 ? [] : [[one, { now, before: earlier }]];
  });
  return {
    kinds: before.kinds,
    slugs,
    pairs,
    parameters: new Map(parameters),
    unsaid: new Map(unsaid),
  };
}

const none = new Map<never, never>();

/** A resource in the names of the other dialect: the very same where nothing is called otherwise. */
export function translatedResource<Each extends Resource>(resource: Each, names: Translation): Each {
  const { slugs, parameters, unsaid } = names;
  const { kind, key, fields } = resource;
  const words = parameters.get(key);
  const row = names.kinds.get(kind);
  if (!row?.known || (!slugs.has(key) && !words?.size)) return resource;
  const { now, before }: Pick<Unsaid, "now" | "before"> = unsaid.get(key) ?? { now: none, before: none };
  const said = Object.entries(fields).filter(([name, value]) => !now.has(name) || now.get(name) !== value);
  const renamed = said.map(([name, value]) => [words?.get(name) ?? name, value] as const);
  const renamedKey = slugs.get(key) ?? key;
  const identity = "identity" in resource && { identity: `${kind}/${row.identity(renamedKey)}` };
  return { ...resource, key: renamedKey, ...identity, fields: Object.fromEntries([...before, ...renamed]) };
}

function wordsOf(named: Pick<Catalogue, "foreignNames"> | undefined): Words {
  return new Map([...(named?.foreignNames ?? [])].map(([word, { name }]) => [word, name]));
}

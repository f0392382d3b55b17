import { memoized } from "../base/memoize.ts";
import { type Catalogue, catalogueOf } from "./catalogue.ts";
import type { Resource, Scalar } from "./types.ts";

type Words = ReadonlyMap<string, string>;

/** Names to replace when translating to a dialect. */
export interface Translation {
  readonly kinds: Catalogue["kinds"];
  readonly slugs: Words;
  /** Each slug in the previous and in the new dialect. */
  readonly pairs: readonly (readonly [was: string, is: string])[];
  /** By slug of any dialect. */
  readonly parameters: ReadonlyMap<string, Words>;
  /** By previous slug, parameters that only one of the dialects has, with their fixed values in the other. */
  readonly implicit: ReadonlyMap<string, ImplicitValues>;
}

type Values = ReadonlyMap<string, Scalar>;

/** What goes without saying from now on, and what has to be written. */
interface ImplicitValues {
  readonly now: Values;
  readonly before: Values;
}

/**
 * Accepts names of any dialect, those of `from` first, because manifests may be partly translated, by hand or by an
 * interrupted run.
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
  const slugs = new Map([...renamesIn(after), ...changed]);
  const parameters = [...slugs, ...after.integrations.keys()].map((each): [string, Words] => {
    const [slug, own] = typeof each === "string" ? [each, each] : each;
    return [slug, renamesIn(after.integrations.get(own))];
  });
  const implicit = pairs.flatMap(([one, other]): [string, ImplicitValues][] => {
    const [left, right] = [before.integrations.get(one), after.integrations.get(other)];
    const [now, earlier] = [right?.always ?? none, left?.always ?? none];
    return left === right || now.size + earlier.size === 0 ? [] : [[one, { now, before: earlier }]];
  });
  return {
    kinds: before.kinds,
    slugs,
    pairs,
    parameters: new Map(parameters),
    implicit: new Map(implicit),
  };
}

const none = new Map<never, never>();

/** A resource in the names of the other dialect; the same object if no name differs. */
export function translatedResource<Each extends Resource>(resource: Each, names: Translation): Each {
  const { slugs, parameters, implicit } = names;
  const { kind, key, fields } = resource;
  const words = parameters.get(key);
  const row = names.kinds.get(kind);
  if (!row?.keys || (!slugs.has(key) && !words?.size)) return resource;
  const { now, before }: Pick<ImplicitValues, "now" | "before"> = implicit.get(key) ?? { now: none, before: none };
  const written = Object.entries(fields).filter(([name, value]) => !now.has(name) || now.get(name) !== value);
  const renamed = written.map(([name, value]) => [words?.get(name) ?? name, value] as const);
  const renamedKey = slugs.get(key) ?? key;
  const identity = "identity" in resource && { identity: `${kind}/${row.identity(renamedKey)}` };
  return { ...resource, key: renamedKey, ...identity, fields: Object.fromEntries([...before, ...renamed]) };
}

function renamesIn(named: Pick<Catalogue, "foreignNames"> | undefined): Words {
  return new Map([...(named?.foreignNames ?? [])].map(([word, { name }]) => [word, name]));
}

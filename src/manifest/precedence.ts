import equal from "fast-deep-equal";
import { grouped } from "../base/grouped.ts";
import { kindWord } from "../model/owner.ts";
import { alternativesIn } from "../model/resource-kind.ts";
import type { Problem } from "../model/types.ts";
import { lineOfField, mergedEntry, type PolicyEntry, type Stated } from "./entries.ts";
import type { Variable } from "./policies.ts";
import { problemAt } from "./problem.ts";
import { combinedFaults, missingFields } from "./resource-fields.ts";
import { isLevel, type Layer } from "./selection.ts";

/** The entries or variables in effect, by identity or name, and a problem for each tie. */
export interface Winners<Item> {
  readonly winners: ReadonlyMap<string, Item>;
  readonly problems: readonly Problem[];
}

interface DecidingEntries extends Winners<PolicyEntry> {
  /** Fields that entries with `inherit: true` need and no layer has. */
  readonly missing: readonly Problem[];
}

/** One layer's declaration of something. Lists of them are in order of precedence. */
interface Candidate<Item> {
  readonly layer: Layer;
  readonly item: Item;
}

/** The definition in effect of each variable: that of the most specific layer. */
export function decidingVariables(layers: readonly Layer[]): Winners<Variable> {
  const all = layers.flatMap((layer) => layer.policy.vars.map((item): Candidate<Variable> => ({ layer, item })));
  const byName = grouped(all, ({ item }) => item.name);
  return {
    winners: firstItems(byName),
    problems: [...byName.values()].flatMap((candidates) =>
      tieProblems(
        candidates,
        (a, b) => a.value === b.value,
        ({ name }) => `variable ${name}`,
      ),
    ),
  };
}

function firstItems<Item>(groups: ReadonlyMap<string, readonly Candidate<Item>[]>): ReadonlyMap<string, Item> {
  return new Map([...groups].flatMap(([name, [first]]) => (first ? [[name, first.item] as const] : [])));
}

/**
 * The entry in effect for each resource, from the most specific layer; for a singleton, the entry in effect for each
 * field.
 */
export function decidingEntries(layers: readonly Layer[]): DecidingEntries {
  const all = layers.flatMap((layer) => layer.policy.entries.map((item): Candidate<PolicyEntry> => ({ layer, item })));
  const decided = [...grouped(all, ({ item }) => item.desired.identity).values()].flatMap((candidates) => {
    const [first] = candidates;
    if (!first) return [];
    return [first.item.desired.key === "" ? decideSingleton(first, candidates) : decideEntry(first, candidates)];
  });
  return {
    winners: new Map(decided.map(({ entry }) => [entry.desired.identity, entry])),
    problems: decided.flatMap(({ problems }) => problems),
    missing: decided.flatMap(({ entry: { written, desired } }) =>
      written?.inherits ? missingFields(written, desired.fields) : [],
    ),
  };
}

interface Decided {
  readonly entry: PolicyEntry;
  readonly problems: readonly Problem[];
}

/** With `inherit: true`, adds the fields of the next entries, down to one that inherits nothing or is absent. */
function decideEntry({ item: first }: Candidate<PolicyEntry>, candidates: readonly Candidate<PolicyEntry>[]): Decided {
  const setBy = new Map<string, PolicyEntry>();
  const problems: Problem[] = [];
  for (const [index, { item }] of candidates.entries()) {
    problems.push(...tieProblems(candidates.slice(index), isSameEntry, nameOf));
    if (item.desired.presence === "absent") break;
    for (const name of inheritableFields(item, [...setBy.keys()])) setBy.set(name, item);
    if (!item.written?.inherits) break;
  }
  if (!first.written?.inherits) return { entry: first, problems };
  const entry = mergedEntry(first, setBy);
  return { entry, problems: [...problems, ...checkCombination(entry)] };
}

/** The fields that an entry adds to those of nearer ones, unless these have the field or an alternative to it. */
function inheritableFields({ desired, written }: PolicyEntry, nearer: readonly string[]): readonly string[] {
  const groups = written && !written.entry ? alternativesIn(written.file.fields) : [];
  const taken = groups.filter((group) => group.some((name) => nearer.includes(name))).flat();
  return Object.keys(desired.fields).filter((name) => !nearer.includes(name) && !taken.includes(name));
}

/** Presence is decided for the whole singleton, and fields one by one, down to a layer where it is absent. */
function decideSingleton(first: Candidate<PolicyEntry>, candidates: readonly Candidate<PolicyEntry>[]): Decided {
  const { presence } = first.item.desired;
  const other = candidates.find(({ item }) => item.desired.presence !== presence);
  const isTied = other && other.layer !== first.layer && isLevel(first.layer, other.layer);
  const problems = isTied ? [tie(first.item, other.item, nameOf(other.item))] : [];
  const present = other ? candidates.slice(0, candidates.indexOf(other)) : candidates;
  if (presence === "absent" || present.length === 1) return { entry: first.item, problems };
  const fields = present.flatMap(({ layer, item }) =>
    Object.keys(item.desired.fields).map((name) => ({ layer, item, name })),
  );
  const byName = grouped(fields, ({ name }) => name);
  const ties = [...byName].flatMap(([name, each]) => {
    const isSame = (a: PolicyEntry, b: PolicyEntry) => equal(a.desired.fields[name], b.desired.fields[name]);
    const describe = () => `${name} of ${kindWord(first.item.desired.kind)}`;
    return tieProblems(each, isSame, describe, (item) => lineOfField(item, name));
  });
  const entry = mergedEntry(first.item, firstItems(byName));
  return { entry, problems: [...problems, ...ties, ...checkCombination(entry)] };
}

/** Problems of fields that several layers set together; interpolated fields are checked once they have their values. */
function checkCombination({ written, desired, templates, setBy }: PolicyEntry): readonly Problem[] {
  if (!written || templates.length > 0) return [];
  const policies = new Set([...(setBy?.values() ?? [])].flatMap(({ policy }) => policy ?? []));
  return policies.size > 1 ? combinedFaults(written, desired.fields, [...policies]) : [];
}

function nameOf({ desired }: PolicyEntry): string {
  return `${kindWord(desired.kind)} ${desired.key}`.trim();
}

/** Compares as written if the catalogue knows the resource, else as normalised. */
function isSameEntry(a: PolicyEntry, b: PolicyEntry): boolean {
  const [one, other] = [a, b].map(({ written, desired }) => (written?.entry ? written.parameters : desired.fields));
  return a.desired.presence === b.desired.presence && a.written?.inherits === b.written?.inherits && equal(one, other);
}

/** A tie if an equally specific layer differs from the first one. */
function tieProblems<Item extends Stated>(
  candidates: readonly Candidate<Item>[],
  isSame: (a: Item, b: Item) => boolean,
  describe: (item: Item) => string,
  lineOf: (item: Item) => Stated = (item) => item,
): readonly Problem[] {
  const [first] = candidates;
  if (!first || candidates.length === 1) return [];
  const rival = candidates.findLast(({ layer, item }) => {
    return layer !== first.layer && isLevel(first.layer, layer) && !isSame(first.item, item);
  });
  return rival ? [tie(lineOf(first.item), lineOf(rival.item), describe(rival.item))] : [];
}

function tie(first: Stated, second: Stated, name: string): Problem {
  const { file, line, column } = first.place();
  const policies = first.policy && second.policy ? `policies ${first.policy} and ${second.policy}` : "two policies";
  const message =
    `${policies} are equally specific and differ on ${name}, ` +
    `which is also defined at ${file}:${line}:${column}; give one of them a priority`;
  return problemAt("tie", message, { document: second.document, path: second.path, of: "key" });
}

import equal from "fast-deep-equal";
import { type Group, grouped } from "../base/grouped.ts";
import { kindWord } from "../model/owner.ts";
import { alternativesIn } from "../model/resource-kind.ts";
import type { Problem } from "../model/types.ts";
import { lineOfField, type PolicyEntry, type Stated } from "./entries.ts";
import type { Variable } from "./policies.ts";
import { problemAt } from "./problem.ts";
import { combinedFaults, missingFields } from "./resource-fields.ts";
import { isLevel, type Layer } from "./selection.ts";

/** One layer's declaration of something. Lists of them are in order of precedence. */
interface Candidate<Item> {
  readonly layer: Layer;
  readonly item: Item;
}

type Candidates<Item> = Group<Candidate<Item>>;

/** The declarations of one variable or one resource, the item in effect, and its problems. */
export interface Contest<Item> {
  readonly candidates: Candidates<Item>;
  readonly winner: Item;
  readonly problems: readonly Problem[];
}

/** Resolves each variable to its most specific definition. */
export function variableContests(layers: readonly Layer[]): readonly Contest<Variable>[] {
  const all = layers.flatMap((layer) => layer.policy.vars.map((item) => ({ layer, item })));
  const isSame = (a: Variable, b: Variable) => a.value === b.value;
  return [...grouped(all, ({ item }) => item.name).values()].map((candidates) => {
    const problems = tieProblems(candidates, isSame, ({ name }) => `variable ${name}`);
    return { candidates, winner: candidates[0].item, problems };
  });
}

/**
 * Resolves each resource to its most specific entry, with the fields of the next ones if it inherits; a singleton field
 * by field.
 */
export function entryContests(layers: readonly Layer[]): readonly Contest<PolicyEntry>[] {
  const all = layers.flatMap((layer) => layer.policy.entries.map((item) => ({ layer, item })));
  return [...grouped(all, ({ item }) => item.desired.identity).values()].map(decideEntry);
}

export function decideEntry(candidates: Candidates<PolicyEntry>): Contest<PolicyEntry> {
  return candidates[0].item.desired.key === "" ? decideSingleton(candidates) : decideInheriting(candidates);
}

/** Fields that an entry with `inherit: true` needs and no layer has. */
export function missingIn({ winner: { written, desired } }: Contest<PolicyEntry>): readonly Problem[] {
  return written?.inherits ? missingFields(written, desired.fields) : [];
}

/** With `inherit: true`, adds the fields of the next entries, down to one that inherits nothing or is absent. */
function decideInheriting(candidates: Candidates<PolicyEntry>): Contest<PolicyEntry> {
  const [{ item: first }] = candidates;
  const setBy = new Map<string, PolicyEntry>();
  const problems: Problem[] = [];
  for (const [index, { item }] of candidates.entries()) {
    problems.push(...tieProblems(candidates.slice(index), isSameEntry, nameOf));
    if (item.desired.presence === "absent") break;
    for (const name of inheritableFields(item, [...setBy.keys()])) setBy.set(name, item);
    if (!item.written?.inherits) break;
  }
  if (!first.written?.inherits) return { candidates, winner: first, problems };
  const winner = first.merged(setBy);
  return { candidates, winner, problems: [...problems, ...checkCombination(winner)] };
}

/** The fields that an entry adds to those of nearer ones, unless these have the field or an alternative to it. */
function inheritableFields({ desired, written }: PolicyEntry, nearer: readonly string[]): readonly string[] {
  const groups = written && !written.entry ? alternativesIn(written.file.fields) : [];
  const taken = groups.filter((group) => group.some((name) => nearer.includes(name))).flat();
  return Object.keys(desired.fields).filter((name) => !nearer.includes(name) && !taken.includes(name));
}

/** Presence is decided for the whole singleton, and fields one by one, down to a layer where it is absent. */
function decideSingleton(candidates: Candidates<PolicyEntry>): Contest<PolicyEntry> {
  const [first] = candidates;
  const { presence } = first.item.desired;
  const other = candidates.find(({ item }) => item.desired.presence !== presence);
  const isTied = other && other.layer !== first.layer && isLevel(first.layer, other.layer);
  const problems = isTied ? [tie(first.item, other.item, nameOf(other.item))] : [];
  const present = other ? candidates.slice(0, candidates.indexOf(other)) : candidates;
  if (presence === "absent" || present.length === 1) return { candidates, winner: first.item, problems };
  const fields = present.flatMap(({ layer, item }) =>
    Object.keys(item.desired.fields).map((name) => ({ layer, item, name })),
  );
  const byName = grouped(fields, ({ name }) => name);
  const ties = [...byName].flatMap(([name, each]) => {
    const isSame = (a: PolicyEntry, b: PolicyEntry) => equal(a.desired.fields[name], b.desired.fields[name]);
    const describe = () => `${name} of ${kindWord(first.item.desired.kind)}`;
    return tieProblems(each, isSame, describe, (item) => lineOfField(item, name));
  });
  const winner = first.item.merged(new Map(Array.from(byName, ([name, [own]]) => [name, own.item])));
  return { candidates, winner, problems: [...problems, ...ties, ...checkCombination(winner)] };
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

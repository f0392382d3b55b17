import equal from "fast-deep-equal";
import { grouped } from "../base/grouped.ts";
import { memoized } from "../base/memoize.ts";
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

/**
 * The entry in effect for each resource, from the most specific layer; for a singleton, the entry in effect for each
 * field.
 */
export function decidingEntries(layers: readonly Layer[]): DecidingEntries {
  const keyed = addInherited(layers, mostSpecific(layers, entries));
  const single = layers.some((layer) => singletonsOf(layer.policy.entries).length > 0)
    ? decidingSingletons(layers)
    : none;
  if (single.length === 0) return keyed;
  return {
    winners: new Map([...keyed.winners, ...single.map(({ entry }) => [entry.desired.identity, entry] as const)]),
    problems: [...keyed.problems, ...single.flatMap(({ problems }) => problems)],
    missing: keyed.missing,
  };
}

/** Adds to each entry with `inherit: true` the fields that it lacks, those of the next entries in order of precedence. */
function addInherited(layers: readonly Layer[], { winners, problems }: Winners<PolicyEntry>): DecidingEntries {
  const inheriting = [...winners].filter(([, { written }]) => written?.inherits);
  if (inheriting.length === 0) return { winners, problems, missing: none };
  const all = inheriting.map(([identity, entry]) => [identity, inheritedEntry(layers, entry)] as const);
  return {
    winners: new Map([...winners, ...all.map(([identity, { entry }]) => [identity, entry] as const)]),
    problems: [...problems, ...all.flatMap((each) => each[1].problems)],
    missing: all.flatMap(
      ([
        ,
        {
          entry: { written, desired },
        },
      ]) => (written ? missingFields(written, desired.fields) : none),
    ),
  };
}

/** An entry with its inherited fields, down to an entry that inherits nothing or is absent. */
function inheritedEntry(layers: readonly Layer[], first: PolicyEntry): DecidingEntry {
  const { identity } = first.desired;
  const setBy = new Map<string, PolicyEntry>();
  const problems: Problem[] = [];
  const same = {
    ...entries,
    of: (layer: Layer) => entries.of(layer).filter(({ desired }) => desired.identity === identity),
  };
  let rest = layers;
  let next: PolicyEntry | undefined = first;
  while (next && next.desired.presence === "present") {
    for (const name of inheritableFields(next, [...setBy.keys()])) setBy.set(name, next);
    if (!next.written?.inherits) break;
    const { document } = next;
    rest = rest.slice(rest.findIndex(({ policy }) => policy.document === document) + 1);
    const below: Winners<PolicyEntry> = mostSpecific(rest, same);
    problems.push(...below.problems);
    next = below.winners.get(identity);
  }
  const entry = mergedEntry(first, setBy);
  return { entry, problems: [...problems, ...checkCombination(entry)] };
}

const none: readonly never[] = [];

const singletonsOf = memoized(
  (entries: readonly PolicyEntry[]) => entries.filter(({ desired }) => desired.key === ""),
  new WeakMap(),
);

const keyedOf = memoized((entries: readonly PolicyEntry[]): readonly PolicyEntry[] => {
  return singletonsOf(entries).length > 0 ? entries.filter(({ desired }) => desired.key !== "") : entries;
}, new WeakMap());

interface DecidingEntry {
  readonly entry: PolicyEntry;
  readonly problems: readonly Problem[];
}

/** The fields that an entry adds to those of nearer ones, unless these have the field or an alternative to it. */
function inheritableFields({ desired, written }: PolicyEntry, nearer: readonly string[]): readonly string[] {
  const groups = written && !written.entry ? alternativesIn(written.file.fields) : none;
  const taken = groups.filter((group) => group.some((name) => nearer.includes(name))).flat();
  return Object.keys(desired.fields).filter((name) => !nearer.includes(name) && !taken.includes(name));
}

function decidingSingletons(layers: readonly Layer[]): readonly DecidingEntry[] {
  const all = layers.flatMap((layer) =>
    singletonsOf(layer.policy.entries).map((entry): LayeredEntry => ({ layer, entry })),
  );
  return [...grouped(all, ({ entry }) => entry.desired.identity).values()].flatMap((layered) => {
    const [first] = layered;
    return first ? [decidingSingleton(first, layered)] : [];
  });
}

interface LayeredEntry {
  readonly layer: Layer;
  readonly entry: PolicyEntry;
}

/** Presence is decided for the whole singleton, and fields one by one, down to a layer where it is absent. */
function decidingSingleton(first: LayeredEntry, layered: readonly LayeredEntry[]): DecidingEntry {
  const other = layered.find((each) => each.entry.desired.presence !== first.entry.desired.presence);
  const isTied = other && other.layer !== first.layer && isLevel(first.layer, other.layer);
  const problems = isTied ? [tie(first.entry, other.entry, entries)] : [];
  if (first.entry.desired.presence === "absent") return { entry: first.entry, problems };
  const present = other ? layered.slice(0, layered.indexOf(other)) : layered;
  if (present.length === 1) return { entry: first.entry, problems };
  const decided = mostSpecific(present.map(fieldsAsLayer), fields);
  const setBy = new Map([...decided.winners].map(([name, { entry }]) => [name, entry]));
  const entry = mergedEntry(first.entry, setBy);
  return { entry, problems: [...problems, ...decided.problems, ...checkCombination(entry)] };
}

/** Problems of fields that several layers set together; interpolated fields are checked once they have their values. */
function checkCombination({ written, desired, templates, setBy }: PolicyEntry): readonly Problem[] {
  if (!written || templates.length > 0) return [];
  const policies = new Set([...(setBy?.values() ?? [])].flatMap(({ policy }) => policy ?? []));
  return policies.size > 1 ? combinedFaults(written, desired.fields, [...policies]) : [];
}

export function decidingVariables(layers: readonly Layer[]): Winners<Variable> {
  return mostSpecific(layers, variables);
}

/** One type of declaration in a policy, and how it is compared. */
interface ItemType<Item, Of extends Layer = Layer> {
  readonly of: (layer: Of) => readonly Item[];
  readonly identity: (item: Item) => string;
  readonly name: (item: Item) => string;
  readonly isSame: (a: Item, b: Item) => boolean;
}

const variables: ItemType<Variable> = {
  of: ({ policy: { vars } }) => vars,
  identity: ({ name }) => name,
  name: ({ name }) => `variable ${name}`,
  isSame: (a, b) => a.value === b.value,
};

const entries: ItemType<PolicyEntry> = {
  of: (layer) => keyedOf(layer.policy.entries),
  identity: ({ desired }) => desired.identity,
  name: ({ desired }) => `${kindWord(desired.kind)} ${desired.key}`.trim(),
  isSame: (a, b) =>
    a.desired.presence === b.desired.presence &&
    a.written?.inherits === b.written?.inherits &&
    equal(comparedForm(a), comparedForm(b)),
};

/** As written if the catalogue knows the resource, else as normalised. */
function comparedForm({ written, desired }: PolicyEntry): object {
  return written?.entry ? written.parameters : desired.fields;
}

interface SingletonField extends Stated {
  readonly name: string;
  readonly entry: PolicyEntry;
}

interface FieldLayer extends Layer {
  readonly entry: PolicyEntry;
}

function fieldsAsLayer({ layer, entry }: LayeredEntry): FieldLayer {
  return { ...layer, entry };
}

const fields: ItemType<SingletonField, FieldLayer> = {
  of: ({ entry }) =>
    Object.keys(entry.desired.fields).map((name): SingletonField => {
      const line = lineOfField(entry, name);
      return { ...line, name, entry, place: () => line.document.place(line.path, "key") };
    }),
  identity: ({ name }) => name,
  name: ({ name, entry }) => `${name} of ${kindWord(entry.desired.kind)}`,
  isSame: (a, b) => equal(a.entry.desired.fields[a.name], b.entry.desired.fields[b.name]),
};

/** For each identity, the item of the most specific layer; different ones of equally specific layers are a tie. */
function mostSpecific<Item extends Stated, Of extends Layer>(
  layers: readonly Of[],
  type: ItemType<Item, Of>,
): Winners<Item> {
  const winners = new Map<string, Item>();
  const holders = new Map<string, Of>();
  const ties = new Map<string, Item>();
  for (const layer of layers) {
    for (const item of type.of(layer)) {
      const id = type.identity(item);
      const [winner, holder] = [winners.get(id), holders.get(id)];
      if (!winner || !holder) {
        winners.set(id, item);
        holders.set(id, layer);
      } else if (holder !== layer && isLevel(holder, layer) && !type.isSame(winner, item)) ties.set(id, item);
    }
  }
  const problems = [...ties].flatMap(([id, item]) => {
    const winner = winners.get(id);
    return winner ? [tie(winner, item, type)] : [];
  });
  return { winners, problems };
}

function tie<Item extends Stated>(first: Item, second: Item, { name }: Pick<ItemType<Item>, "name">): Problem {
  const { file, line, column } = first.place();
  const policies = first.policy && second.policy ? `policies ${first.policy} and ${second.policy}` : "two policies";
  const message =
    `${policies} are equally specific and differ on ${name(second)}, ` +
    `which is also defined at ${file}:${line}:${column}; give one of them a priority`;
  return problemAt("tie", message, { document: second.document, path: second.path, of: "key" });
}

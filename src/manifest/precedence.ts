import equal from "fast-deep-equal";
import { kindWord } from "../model/owner.ts";
import type { Problem } from "../model/types.ts";
import type { PolicyEntry, Stated } from "./entries.ts";
import type { Policy, Variable } from "./policies.ts";
import { problemAt } from "./problem.ts";
import { isLevel, type Layer } from "./selection.ts";

/** The entries or variables in effect, by identity or name, and a problem for each tie. */
export interface Winners<Item> {
  readonly winners: ReadonlyMap<string, Item>;
  readonly problems: readonly Problem[];
}

/** The entry in effect for each resource, from the most specific layer. */
export function decidingEntries(layers: readonly Layer[]): Winners<PolicyEntry> {
  return mostSpecific(layers, entries);
}

/** The definition in effect of each variable, from the most specific layer. */
export function decidingVariables(layers: readonly Layer[]): Winners<Variable> {
  return mostSpecific(layers, variables);
}

/** What a policy declares of one type, and how it is compared. */
interface ItemType<Item> {
  readonly of: (policy: Policy) => readonly Item[];
  readonly identity: (item: Item) => string;
  /** For messages. */
  readonly name: (item: Item) => string;
  readonly isSame: (a: Item, b: Item) => boolean;
}

const variables: ItemType<Variable> = {
  of: ({ vars }) => vars,
  identity: ({ name }) => name,
  name: ({ name }) => `variable ${name}`,
  isSame: (a, b) => a.value === b.value,
};

const entries: ItemType<PolicyEntry> = {
  of: (policy) => policy.entries,
  identity: ({ desired }) => desired.identity,
  name: ({ desired }) => `${kindWord(desired.kind)} ${desired.key}`,
  isSame: (a, b) =>
    a.desired.presence === b.desired.presence &&
    equal(a.written?.parameters ?? a.desired.fields, b.written?.parameters ?? b.desired.fields),
};

/** For each identity the item of the most specific layer; equally specific ones that differ are a tie. */
function mostSpecific<Item extends Stated>(layers: readonly Layer[], type: ItemType<Item>): Winners<Item> {
  const best = new Map<string, { readonly layer: Layer; readonly item: Item }>();
  const ties = new Map<string, Item>();
  for (const layer of layers) {
    for (const item of type.of(layer.policy)) {
      const holder = best.get(type.identity(item));
      if (!holder) best.set(type.identity(item), { layer, item });
      else if (holder.layer !== layer && isLevel(holder.layer, layer) && !type.isSame(holder.item, item))
        ties.set(type.identity(item), item);
    }
  }
  return {
    winners: new Map([...best].map(([id, { item }]) => [id, item])),
    problems: [...ties].flatMap(([id, item]) => {
      const holder = best.get(id);
      return holder ? [tie(holder.item, item, type)] : [];
    }),
  };
}

function tie<Item extends Stated>(first: Item, second: Item, { name }: ItemType<Item>): Problem {
  const { file, line, column } = first.place();
  const policies = first.policy && second.policy ? `policies ${first.policy} and ${second.policy}` : "two policies";
  const message =
    `${policies} are equally specific and differ on ${name(second)}, ` +
    `which is also defined at ${file}:${line}:${column}; give one of them a priority`;
  return problemAt("tie", message, { document: second.document, path: second.path, of: "key" });
}

import {
  isMap,
  isScalar,
  isSeq,
  type Pair,
  Pair as PairNode,
  parseAllDocuments,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import type { Path } from "../manifest/positions.ts";

/** Where a path leads in a document. */
interface Found {
  /** What the last step of the path is taken in. */
  readonly map: YAMLMap | YAMLSeq;
  readonly key: string;
  /** Undefined where it leads nowhere. */
  readonly pair: Pair | undefined;
  readonly inFlow: boolean;
}

/** Undefined where the way there does not exist, or leads through an alias. */
export function findIn(root: unknown, path: Path): Found | undefined {
  let [at, inFlow] = [root, false];
  let found: Found | undefined;
  for (const part of path) {
    if (!isMap(at) && !isSeq(at)) return undefined;
    inFlow ||= at.flow === true;
    const pair = isMap(at) ? pairOf(at, String(part)) : itemOf(at, Number(part));
    found = { map: at, key: String(part), pair, inFlow };
    at = pair?.value;
  }
  return found;
}

function pairOf(map: YAMLMap, name: string): Pair | undefined {
  return map.items.find(({ key }) => isScalar(key) && String(key.value) === name);
}

function itemOf(list: YAMLSeq, index: number): Pair | undefined {
  const item = list.items[index];
  return item === undefined ? undefined : new PairNode(item, item);
}

/** The contents of the documents of a text, without the empty ones. */
export function rootsOf(text: string): readonly unknown[] {
  const documents = parseAllDocuments(text, { schema: "core", uniqueKeys: false, prettyErrors: false });
  const roots = [...documents].map(({ contents }) => contents as unknown);
  return roots.filter((root) => root !== null && !(isScalar(root) && root.value === null));
}

/** Whether a path leads to a mapping or list that lacks its last step. */
export function isMissing(root: unknown, path: Path): boolean {
  const found = findIn(root, path);
  return found !== undefined && !found.pair;
}

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

/** The location of a path in a document. */
interface Found {
  /** The collection of the last key. */
  readonly map: YAMLMap | YAMLSeq;
  readonly key: string;
  /** Undefined if it does not exist. */
  readonly pair: Pair | undefined;
  readonly inFlow: boolean;
}

/** Finds a path; undefined if its parent does not exist, or is behind an alias. */
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

/** The contents of the non-empty documents of a text. */
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

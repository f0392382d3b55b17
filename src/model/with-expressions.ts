import { lazy, memoized } from "../base/memoize.ts";
import type { Catalogue } from "./catalogue.ts";
import { useExpressions } from "./lazy-expressions.ts";
import type { ResourceKind } from "./resource-kind.ts";
import { expressionsOf } from "./resource-kind-faults.ts";
import type { Kind } from "./types.ts";

/** The catalogue, with the expressions of these kinds ready to be evaluated: CEL is loaded if any of them has one. */
export async function withExpressions(catalogue: Catalogue, kinds: Iterable<Kind>): Promise<Catalogue> {
  const files = Array.from(kinds, (kind) => catalogue.kinds.get(kind)?.file);
  if (files.some((file) => file && hasExpressions(file))) await loaded();
  return catalogue;
}

const loaded = lazy(async () => useExpressions((await import("./kind-expressions.ts")).compileKindExpression));

const hasExpressions = memoized((file: ResourceKind) => expressionsOf(file).length > 0, new WeakMap());

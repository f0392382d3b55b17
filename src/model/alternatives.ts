import type { FieldSchema } from "./resource-kind.ts";

/** Groups of fields that exclude each other, the simplest first. */
export function alternativesIn(fields: FieldSchema): readonly (readonly [string, ...string[]])[] {
  const { allOf = [] } = fields as { readonly allOf?: readonly { readonly not?: FieldSchema }[] };
  return allOf.flatMap(({ not }) => {
    const [first, ...others] = not?.required ?? [];
    return first === undefined ? [] : [[first, ...others] as const];
  });
}

/** The names that the simplest field of their group, of those that are possible, excludes. */
export function excludedNames(fields: FieldSchema, isPossible: (name: string) => boolean): ReadonlySet<string> {
  const excluded = alternativesIn(fields).flatMap((group) => {
    const chosen = group.find(isPossible);
    return chosen === undefined ? [] : group.filter((name) => name !== chosen);
  });
  return new Set(excluded);
}

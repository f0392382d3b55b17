import type { FieldSchema } from "./resource-kind.ts";

/** Groups of fields that exclude each other, the simplest first. */
export function alternativesIn(fields: FieldSchema): readonly (readonly [string, ...string[]])[] {
  const { allOf = [] } = fields as { readonly allOf?: readonly { readonly not?: FieldSchema }[] };
  return allOf.flatMap(({ not }) => {
    const [first, ...others] = not?.required ?? [];
    return first === undefined ? [] : [[first, ...others] as const];
  });
}

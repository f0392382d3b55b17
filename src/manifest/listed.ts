/** The items of a list with their indices; holes are left where an item was wrong. */
export function listed<T>(list: readonly T[] | undefined): readonly (readonly [item: T, index: number])[] {
  return (list ?? []).flatMap((item, index) => (item === undefined ? [] : [[item, index] as const]));
}

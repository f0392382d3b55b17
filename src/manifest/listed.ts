/** The valid items of a list with their original indices. */
export function listed<T>(list: readonly T[] | undefined): readonly (readonly [item: T, index: number])[] {
  return (list ?? []).flatMap((item, index) => (item === undefined ? [] : [[item, index] as const]));
}

import { grouped } from "./grouped.ts";
import { withoutTrailing } from "./text-format.ts";

/**
 * A message without what differs only because of its project: the project's name, also as paths of requests encode it,
 * and IDs in paths. Messages about several projects that have one form say the same.
 */
export function commonForm(message: string, project: string | undefined): string {
  const form = message.replace(/\/\d+(?=[/?\s]|$)/g, "/…");
  const name = withoutTrailing(project ?? "", "/");
  return name === "" ? form : form.replaceAll(encodeURIComponent(name.toWellFormed()), "…").replaceAll(name, "…");
}

/** Up to so many items of one form are shown each; more are shown once. */
const mostAlike = 3;

/** Items in their order; those of one form, if there are many, together where the first of them was. */
export function foldedAlike<Item>(
  items: readonly Item[],
  formOf: (item: Item) => string,
): readonly (readonly [first: Item, ...others: Item[]])[] {
  const forms = grouped(items, formOf);
  return items.flatMap((item) => {
    const [first = item, ...others] = forms.get(formOf(item)) ?? [];
    if (others.length < mostAlike) return [[item]];
    return first === item ? [[first, ...others]] : [];
  });
}

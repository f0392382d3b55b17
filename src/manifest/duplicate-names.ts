import type { Problem } from "../model/types.ts";
import type { Document } from "./document.ts";
import { problemAt, type Rule } from "./problem.ts";

/** Documents with a name that an earlier one of their kind has; `noun` says what they are. */
export function duplicateNames(
  rule: Rule,
  noun: string,
  named: readonly { readonly name: string; readonly document: Document }[],
): readonly Problem[] {
  const first = new Map<string, Document>();
  return named.flatMap(({ name, document }) => {
    const other = first.get(name);
    first.set(name, other ?? document);
    if (!other || name === "") return [];
    const { file, line } = other.place(["name"]);
    return [problemAt(rule, `${noun} named ${name} is also defined at ${file}:${line}`, { document, path: ["name"] })];
  });
}

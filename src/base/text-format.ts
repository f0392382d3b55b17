import { grouped } from "./grouped.ts";
import { invisible } from "./printable.ts";

/** `3 projects`, `1 project`, `10,000 changes`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${thousands(count)} ${count === 1 ? one : many}`;
}

/** `a, b and c`. */
export function joinedByAnd(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}

/** `a, b, c and 4 more`. */
export function firstFew(names: readonly string[], most = 3): string {
  const few = names.slice(0, most).join(", ");
  return names.length > most ? `${few} and ${thousands(names.length - most)} more` : few;
}

/** Removes trailing occurrences of a character, in linear time. */
export function withoutTrailing(text: string, sign: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === sign) end--;
  return text.slice(0, end);
}

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

export function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return compareTexts(a.name, b.name);
}

/** A whole number as in `10,000`. Loading the languages of the world for it would take as long as a short run. */
export function thousands(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

export function asSentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** Parts with an empty line between them, those that are empty left out. */
export function paragraphs(parts: readonly (string | undefined)[]): string {
  return parts.filter(Boolean).join("\n\n");
}

/** Wraps a text at spaces; lines after the first are indented. Longer words are not split. */
export function wrapped(text: string, width: number, indent: string): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && longer.length > width) lines.push(line);
    line = longer.length > width && line !== "" ? `${indent}${word}` : longer;
  }
  return [...lines, line].join("\n");
}

export const terminalWidth = 80;

/** Equal for the same message about several projects: without the project's name, and without IDs in paths. */
export function commonForm(message: string, project: string | undefined): string {
  const form = message.replace(/\/\d+(?=[/?\s]|$)/g, "/…");
  const name = withoutTrailing(project ?? "", "/");
  return name === "" ? form : form.replaceAll(encodeURIComponent(name.toWellFormed()), "…").replaceAll(name, "…");
}

/** Groups items of one form, if there are more than `most`, at the position of the first; other items stay single. */
export function foldedAlike<Item>(
  items: readonly Item[],
  formOf: (item: Item) => string | undefined,
  most = 3,
): readonly (readonly [first: Item, ...others: Item[]])[] {
  const forms = grouped(items, formOf);
  return items.flatMap((item) => {
    const [first = item, ...others] = forms.get(formOf(item) ?? "") ?? [];
    if (others.length < most) return [[item]];
    return first === item ? [[first, ...others]] : [];
  });
}

/** The wanted name, with a number appended if it is taken: `name-2`. */
export function freeName(wanted: string, isTaken: (name: string) => boolean, separator = "-"): string {
  let name = wanted;
  for (let count = 2; isTaken(name); count++) name = `${wanted}${separator}${count}`;
  return name;
}

/** A free name, compared without case, which is taken from then on. */
export function takeName(wanted: string, taken: Set<string>, separator = "-"): string {
  const name = freeName(wanted, (each) => taken.has(each.toLowerCase()), separator);
  taken.add(name.toLowerCase());
  return name;
}

/**
 * Quotes a word for a POSIX shell where necessary. Invisible characters
 * are written in `$'…'`, which is never a command in any shell. No two
 * `#` are adjacent, because CI runners could interpret them as a command.
 */
export function shellWord(word: string): string {
  if (/^(?:-|[\w./][\w./:@%+,=-]*)$/.test(word)) return word;
  if (!hidden.test(word)) return `'${word.replaceAll("'", "'\\''").replace(/#(?=#)/g, "#''")}'`;
  const escaped = word.replace(/[\\'#]|[^ -~]/gu, (character) => {
    return Array.from(Buffer.from(character), (byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
  });
  return `$'${escaped}'`;
}

const hidden = new RegExp(`[${invisible}]`, "u");

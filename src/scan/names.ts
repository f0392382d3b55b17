import { surroundings } from "../model/removals.ts";
import { isMember, type Structure } from "./structure.ts";

/** What a setter is called on: a name, or the call at the head of its chain. */
export function receiverOf(
  { tokens, other }: Structure,
  open: number,
): { readonly name?: string; readonly open?: number } {
  let at = open - 2;
  for (let steps = 0; steps < 20; steps++) {
    if (tokens[at]?.text === ">") at--;
    const before = tokens[at - 1];
    if (before?.text === ")" || before?.text === "]") {
      const opened = other[at - 1] ?? -1;
      if (opened < 0) return {};
      if (!isMember(tokens, opened - 1)) return { open: opened };
      at = opened - 2;
      if (surroundings.code.http.includes(tokens[opened - 1]?.text ?? "")) return { open: opened };
    } else if (before?.kind !== "word") return {};
    else if (!isMember(tokens, at - 1) || isOwner(tokens[at - 3]?.text)) return { name: nameAt(tokens, at - 1) };
    else at -= 2;
  }
  return {};
}

function isOwner(word: string | undefined): boolean {
  return word === "self" || word === "this" || word === "$this";
}

/** The name that a word is known by: of `self.url` and `this.url`, with the owner. */
export function nameAt(tokens: Structure["tokens"], index: number): string {
  const dot = tokens[index - 1]?.text === ">" ? index - 2 : index - 1;
  const isOwned = /^[.-]$/.test(tokens[dot]?.text ?? "") && isOwner(tokens[dot - 1]?.text);
  return `${isOwned ? "this." : ""}${tokens[index]?.text ?? ""}`;
}

/** The name that a chain of members begins with, by the last of them. */
export function headNameAt({ tokens }: Structure, last: number): string {
  let at = last;
  while (isMember(tokens, at) && at > last - 20) at -= tokens[at - 1]?.text === ">" ? 3 : 2;
  return nameAt(tokens, isOwner(tokens[at]?.text) ? at + 2 : at);
}

/** Whether a name only says what a value is given to: `name: value`, `name = value`. */
export function isGivenValue(structure: Structure, index: number): boolean {
  const { tokens, parent } = structure;
  const next = tokens[index + 1]?.text ?? "";
  const isKey = next === ":" && !structure.isBlock(parent[index] ?? -1);
  return isKey || (next === "=" && tokens[index + 2]?.text !== "=");
}

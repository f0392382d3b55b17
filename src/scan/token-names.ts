import { surroundings } from "../model/deprecations.ts";
import { isMember, type Structure } from "./structure.ts";

/** What a setter is called on: a name, or the call at the head of its chain. */
export function receiverOf({ tokens, other }: Structure, open: number): Receiver {
  let at = open - 2;
  let isBuilt = false;
  let request: Receiver | undefined;
  for (let steps = 0; steps < 20; steps++) {
    if (tokens[at]?.text === ">") at--;
    const before = tokens[at - 1];
    if (before?.text === ")" || before?.text === "]") {
      const opened = other[at - 1] ?? -1;
      const name = tokens[opened - 1]?.text ?? "";
      isBuilt ||= /^(?:new)?builder$/i.test(name);
      if (opened < 0) return none;
      if (!isMember(tokens, opened - 1)) {
        isBuilt ||= /^[A-Z]/.test(name);
        return request && !isBuilt ? request : { open: opened, at: opened - 1, isBuilt };
      }
      at = opened - 2;
      if (surroundings.code.http.includes(name)) request ??= { open: opened, at: opened - 1, isBuilt: false };
    } else if (before?.kind !== "word") return request ?? none;
    else if (!isMember(tokens, at - 1) || isOwner(tokens[at - 3]?.text))
      return request && !isBuilt ? request : { name: nameAt(tokens, at - 1), at: at - 1, isBuilt };
    else at -= 2;
  }
  return request ?? none;
}

interface Receiver {
  readonly name?: string;
  readonly open?: number;
  /** Where its chain begins. */
  readonly at: number;
  /** Whether it is a new thing that the chain builds. */
  readonly isBuilt: boolean;
}

const none: Receiver = { at: -1, isBuilt: false };

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

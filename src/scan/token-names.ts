import { vocabulary } from "../model/deprecations.ts";
import type { Program } from "./program.ts";

/** The receiver of a method: a name, or the call at the head of its chain. */
export function receiverOf(program: Program, open: number): Receiver {
  let at = open - 2;
  let isBuilt = false;
  let request: Receiver | undefined;
  for (let steps = 0; steps < 20; steps++) {
    if (program.textAt(at) === ">") at--;
    const before = program.tokens[at - 1];
    if (before?.text === ")" || before?.text === "]") {
      const opened = program.matching(at - 1);
      const name = program.textAt(opened - 1);
      isBuilt ||= /^(?:new)?builder$/i.test(name);
      if (opened < 0) return none;
      if (!program.isMember(opened - 1)) {
        isBuilt ||= /^[A-Z]/.test(name);
        return request && !isBuilt ? request : { open: opened, at: opened - 1, isBuilt };
      }
      at = opened - 2;
      if (vocabulary.code.http.has(name)) request ??= { open: opened, at: opened - 1, isBuilt: false };
    } else if (before?.kind !== "word") return request ?? none;
    else if (!program.isMember(at - 1) || isOwner(program.textAt(at - 3)))
      return request && !isBuilt ? request : { name: nameAt(program, at - 1), at: at - 1, isBuilt };
    else at -= 2;
  }
  return request ?? none;
}

interface Receiver {
  readonly name?: string;
  readonly open?: number;
  /** The start of its chain. */
  readonly at: number;
  /** Whether it is a builder. */
  readonly isBuilt: boolean;
}

const none: Receiver = { at: -1, isBuilt: false };

function isOwner(word: string | undefined): boolean {
  return word === "self" || word === "this" || word === "$this";
}

/** The name of a variable; `this.url` for `self.url` and `this.url`. */
export function nameAt(program: Program, index: number): string {
  const dot = program.textAt(index - 1) === ">" ? index - 2 : index - 1;
  const isOwned = /^[.-]$/.test(program.textAt(dot)) && isOwner(program.textAt(dot - 1));
  return `${isOwned ? "this." : ""}${program.textAt(index)}`;
}

/** The first name of a chain of members, given its last token. */
export function headNameAt(program: Program, last: number): string {
  let at = last;
  while (program.isMember(at) && at > last - 20) at -= program.textAt(at - 1) === ">" ? 3 : 2;
  return nameAt(program, isOwner(program.textAt(at)) ? at + 2 : at);
}

/** Whether a name is a key or an assignment target: `name: value`, `name = value`. */
export function isGivenValue(program: Program, index: number): boolean {
  const next = program.textAt(index + 1);
  const isKey = next === ":" && !program.isBlock(program.enclosing(index));
  return isKey || (next === "=" && program.textAt(index + 2) !== "=");
}

import { vocabulary } from "../model/deprecations.ts";
import { comparedWith } from "./comparisons.ts";
import { most } from "./flow-values.ts";
import type { Program } from "./program.ts";
import { apiName, followed } from "./response-flow.ts";
import { type FlowValue, unknown } from "./scopes.ts";
import type { Token } from "./tokens.ts";
import { type Address, type Mention, wantedNames } from "./traffic.ts";

/** Collects what is found out about answers. */
interface Found {
  readonly mentions: Mention[];
  /** The values of callback parameters, by the index of their token. */
  readonly given: Map<number, FlowValue>;
  /** What an expression gives. */
  readonly keep: (index: number, depth: number, value: FlowValue) => void;
}

/** Follows answers to what is read from them, and to texts that they are compared with. */
export interface ResponseFollower {
  readonly follow: (start: number, from: number, value: FlowValue) => void;
  readonly say: (about: "read" | "compared", addresses: readonly Address[], field: Token, compared?: Token) => void;
}

/** A follower for one program. */
export function followerOf(program: Program, { mentions, given, keep }: Found): ResponseFollower {
  return { follow, say };

  function follow(start: number, from: number, { answers, field }: FlowValue): void {
    const found = followed(program, from, { addresses: answers, field });
    for (const token of found.read) say("read", answers, token);
    for (const parameter of found.parameters) give(parameter, answers);
    const texts = found.field ? comparedWith(program, start, found.end) : [];
    for (const text of texts) if (found.field) say("compared", answers, found.field, text);
    if (!found.isLost) keep(start, program.enclosing(found.end - 1), { ...unknown, answers, field: found.field });
  }

  function give(parameter: number, answers: readonly Address[]): void {
    const token = program.tokens[parameter];
    const isTaken = program.textAt(parameter - 1) === "{" && token && wantedNames.has(apiName(token));
    if (isTaken) say("read", answers, token);
    given.set(parameter, { ...unknown, answers, field: isTaken ? token : undefined });
  }

  function say(about: "read" | "compared", addresses: readonly Address[], field: Token, compared?: Token): void {
    const name = apiName(field);
    if (!wantedNames.has(name)) return;
    const place = { nameOffset: field.start, offset: (compared ?? field).start, own: true };
    for (const address of addresses.slice(0, most))
      mentions.push({ about, address, name, value: compared?.text, ...place });
  }
}

/** Whether a function writes an answer to the name, as Go decodes one into `&name`. */
export function isFilled(program: Program, index: number): boolean {
  const open = program.enclosing(index);
  const isReference = program.textAt(index - 1) === "&";
  return isReference && open >= 0 && vocabulary.code.filling.has(program.callee(open));
}

/** The answers that stand a little before a token. */
export function answersNear(
  last: { readonly start: number; readonly value: FlowValue } | undefined,
  index: number,
): FlowValue {
  const isNear = last !== undefined && last.start > index - 30;
  return isNear ? { ...unknown, answers: last.value.answers } : unknown;
}

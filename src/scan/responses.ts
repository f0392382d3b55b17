import { vocabulary } from "../model/deprecations.ts";
import { comparedWith } from "./comparisons.ts";
import { maxValues } from "./flow-values.ts";
import type { Program } from "./program.ts";
import { apiName, followed } from "./response-flow.ts";
import { type FlowValue, unknown } from "./scopes.ts";
import type { Token } from "./tokens.ts";
import { type Address, type Mention, wantedNames } from "./traffic.ts";

/** Where findings about responses are collected. */
interface Found {
  readonly mentions: Mention[];
  /** Values of callback parameters, by token index. */
  readonly given: Map<number, FlowValue>;
  /** Keeps the value of an expression. */
  readonly keep: (index: number, depth: number, value: FlowValue) => void;
}

/** Reports fields that are read from responses, and string literals that they are compared with. */
export interface ResponseFollower {
  readonly follow: (start: number, from: number, value: FlowValue) => void;
  readonly report: (about: "read" | "compared", addresses: readonly Address[], field: Token, compared?: Token) => void;
}

export function followerOf(program: Program, { mentions, given, keep }: Found): ResponseFollower {
  return { follow, report };

  function follow(start: number, from: number, { responses, field }: FlowValue): void {
    const found = followed(program, from, { addresses: responses, field });
    for (const token of found.read) report("read", responses, token);
    for (const parameter of found.parameters) give(parameter, responses);
    const texts = found.field ? comparedWith(program, start, found.end) : [];
    for (const text of texts) if (found.field) report("compared", responses, found.field, text);
    if (!found.isUnknown) keep(start, program.enclosing(found.end - 1), { ...unknown, responses, field: found.field });
  }

  function give(parameter: number, responses: readonly Address[]): void {
    const token = program.tokens[parameter];
    const isTaken = program.textAt(parameter - 1) === "{" && token && wantedNames.has(apiName(token));
    if (isTaken) report("read", responses, token);
    given.set(parameter, { ...unknown, responses, field: isTaken ? token : undefined });
  }

  function report(about: "read" | "compared", addresses: readonly Address[], field: Token, compared?: Token): void {
    const name = apiName(field);
    if (!wantedNames.has(name)) return;
    const place = { nameOffset: field.start, offset: (compared ?? field).start, own: true };
    for (const address of addresses.slice(0, maxValues))
      mentions.push({ about, address, name, value: compared?.text, ...place });
  }
}

/** Whether a call decodes a response into the name, as Go does with `&name`. */
export function isFilled(program: Program, index: number): boolean {
  const open = program.enclosing(index);
  const isReference = program.textAt(index - 1) === "&";
  return isReference && open >= 0 && vocabulary.code.filling.has(program.callee(open));
}

/** The responses shortly before a token. */
export function responsesBefore(
  last: { readonly start: number; readonly value: FlowValue } | undefined,
  index: number,
): FlowValue {
  const isNear = last !== undefined && last.start > index - 30;
  return isNear ? { ...unknown, responses: last.value.responses } : unknown;
}

import type { Program } from "./program.ts";
import type { FlowValue } from "./scopes.ts";
import { nameAt } from "./token-names.ts";
import type { Address } from "./traffic.ts";

/** Further values of one call or name are dropped. */
export const maxValues = 30;

/** The value of an expression with two parts. */
export function merged(value: FlowValue, other: FlowValue): FlowValue {
  const isFirst = value.responses.length === 0;
  return {
    addresses: [...value.addresses, ...other.addresses].slice(0, maxValues),
    sent: [...value.sent, ...other.sent].slice(0, maxValues),
    responses: isFirst ? other.responses : value.responses,
    field: isFirst ? other.field : value.field,
    literal: value.literal ?? other.literal,
  };
}

/** The same address, uncertain. */
export function unsure(address: Address): Address {
  return { ...address, sure: false };
}

/** How often each name is passed on: neither assigned nor indexed. */
export function usesOf(program: Program): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  for (const [index, { kind }] of program.tokens.entries()) {
    const next = program.textAt(index + 1);
    const isGiven = next === ":" || next === "[" || (next === "=" && program.textAt(index + 2) !== "=");
    if (kind !== "word" || isGiven) continue;
    const name = nameAt(program, index);
    uses.set(name, (uses.get(name) ?? 0) + 1);
  }
  return uses;
}

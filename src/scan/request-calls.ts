import { vocabulary } from "../model/deprecations.ts";
import { requestAfter, requestAround } from "./chains.ts";
import { destinationOf } from "./enclosing-statement.ts";
import { maxValues, merged, unsure } from "./flow-values.ts";
import type { Program } from "./program.ts";
import { type FlowValue, type Scopes, unknown } from "./scopes.ts";
import { headNameAt, nameAt, receiverOf } from "./token-names.ts";
import type { Address, Mention, SentParameter } from "./traffic.ts";

const handling = vocabulary.code.handling;
const http = vocabulary.code.http;
const implicit = vocabulary.code.implicit;

/** Addresses and parameters that are passed to a call. */
interface Call {
  readonly addresses: Address[];
  readonly sent: SentParameter[];
}

/** The value of a part of a statement. */
interface Result {
  readonly start: number;
  readonly depth: number;
  readonly value: FlowValue;
  /** Reported once the value is used. */
  readonly mentions: readonly Mention[];
}

/** Joins addresses and parameters: in one call, in the call at the end of a builder, or by a name. */
export class RequestCalls {
  /** Values that are not assigned yet. */
  readonly results: Result[] = [];
  readonly #program: Program;
  readonly #scopes: Scopes;
  readonly #mentions: Mention[];
  readonly #calls = new Map<number, Call>();

  constructor(program: Program, scopes: Scopes, mentions: Mention[]) {
    this.#program = program;
    this.#scopes = scopes;
    this.#mentions = mentions;
  }

  /** The addresses that were passed to a call. */
  addressesAt(open: number): readonly Address[] {
    return this.#calls.get(open)?.addresses ?? [];
  }

  #callAt(open: number): Call {
    const call = this.#calls.get(open) ?? { addresses: [], sent: [] };
    this.#calls.set(open, call);
    return call;
  }

  into(open: number, addresses: readonly Address[], sent: readonly SentParameter[]): void {
    if (this.#program.isMember(open - 1)) this.#build(open, addresses, sent);
    if (handling.has(this.#program.callee(open))) this.sendToName(nameAt(this.#program, open + 1), sent, addresses);
    const call = this.#callAt(open);
    const [before, already] = [[...call.addresses], [...call.sent]];
    call.addresses.push(...addresses.slice(0, maxValues - before.length));
    call.sent.push(...sent.slice(0, maxValues - already.length));
    this.meet(call.addresses, sent);
    this.meet(addresses, already);
    // A call without parentheses has no closing token.
    if (addresses.length > 0 && this.#program.textAt(open) !== "(")
      this.keep(open, this.#program.enclosing(open), { ...unknown, responses: addresses });
  }

  /** What is passed to a builder is the value of the enclosing expression. */
  #build(open: number, addresses: readonly Address[], sent: readonly SentParameter[]): boolean {
    const { at, isBuilt } = receiverOf(this.#program, open);
    if (!isBuilt || at < 0) return false;
    this.deliver(at, { ...unknown, addresses, sent });
    return true;
  }

  /** Passes a value to the call or the statement that uses it. */
  deliver(index: number, value: FlowValue, mentions: readonly Mention[] = []): void {
    const destination = destinationOf(this.#program, index);
    if (destination.to === "statement") this.keep(index, destination.depth, value, mentions);
    if (destination.to === "setter") this.sendTo(destination.open, value.sent, value.addresses);
    if (destination.to === "call")
      this.into(destination.open, destination.sure ? value.addresses : value.addresses.map(unsure), value.sent);
  }

  meet(addresses: readonly Address[], sent: readonly SentParameter[]): void {
    for (const address of addresses.slice(0, maxValues)) {
      for (const each of sent.slice(0, maxValues)) this.#mentions.push({ about: "sent", address, ...each });
    }
  }

  keep(index: number, depth: number, value: FlowValue, mentions: readonly Mention[] = []): void {
    this.results.push({ start: index, depth, value, mentions: mentions });
    if (this.results.length > 5000) this.results.splice(0, 2500);
  }

  #isSubscript(index: number): boolean {
    return (
      this.#program.textAt(index + 1) === "]" &&
      /^[[:]$/.test(this.#program.textAt(index - 1)) &&
      this.#program.textAt(index + 2) === "="
    );
  }

  send(index: number, sent: readonly SentParameter[]): void {
    if (this.#isSubscript(index))
      this.sendToName(headNameAt(this.#program, this.#program.enclosing(index) - 1), sent, []);
    const isMemberGiven = this.#program.isMember(index) && this.#program.textAt(index + 1) === "=";
    if (isMemberGiven) this.sendToName(headNameAt(this.#program, index - 2), sent, []);
    else this.deliver(index, { ...unknown, sent });
  }

  sendTo(open: number, sent: readonly SentParameter[], addresses: readonly Address[]): void {
    if (this.#build(open, addresses, sent)) return;
    const receiver = receiverOf(this.#program, open);
    const isAsked = receiver.open !== undefined && http.has(this.#program.callee(receiver.open));
    const request = isAsked ? undefined : this.#requestOf(open, receiver.name);
    if (request !== undefined) this.into(request, addresses, sent);
    if (request !== undefined) return;
    if (receiver.open !== undefined) this.into(receiver.open, addresses, sent);
    if (receiver.name !== undefined) this.sendToName(receiver.name, sent, addresses);
  }

  /** The request at the end of the chain, or around the block whose receiver is implicit. */
  #requestOf(open: number, name: string | undefined): number | undefined {
    const isImplicit = name !== undefined && implicit.has(name) && this.#scopes.get(name) === undefined;
    return requestAfter(this.#program, open) ?? (isImplicit ? requestAround(this.#program, open) : undefined);
  }

  sendToName(name: string, sent: readonly SentParameter[], addresses: readonly Address[]): void {
    const before = this.#scopes.get(name) ?? unknown;
    this.meet([...before.addresses, ...addresses], sent);
    if (before.sent.length > maxValues) return;
    this.#scopes.set(name, merged(before, { ...unknown, addresses, sent }));
  }
}

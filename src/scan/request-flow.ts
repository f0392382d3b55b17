import type { Evidence } from "./address.ts";
import { type Assignment, assignmentAt } from "./assignments.ts";
import { bind } from "./bind-names.ts";
import { isOpening, requestParameter } from "./chains.ts";
import { destinationOf, isListed } from "./enclosing-statement.ts";
import { maxValues, merged, usesOf } from "./flow-values.ts";
import { Program } from "./program.ts";
import { RequestCalls } from "./request-calls.ts";
import { type Known, sentAt } from "./request-parameters.ts";
import { followerOf, isFilled, type ResponseFollower, responsesBefore } from "./responses.ts";
import { type FlowValue, Scopes, unknown } from "./scopes.ts";
import { addressInText, namesIn, sentInText, type TextAddress } from "./texts.ts";
import { isGivenValue, nameAt } from "./token-names.ts";
import type { Token } from "./tokens.ts";
import type { Mention } from "./traffic.ts";

/**
 * Follows requests through a program in one pass: parameters that are passed with an address, and
 * fields of responses that are read or compared. Never throws.
 */
export function mentionsInProgram(tokens: readonly Token[], text: string, evidence: Evidence): readonly Mention[] {
  return new RequestFlow(new Program(tokens, text), evidence).mentions();
}

class RequestFlow {
  readonly #program: Program;
  readonly #evidence: Evidence;
  readonly #scopes: Scopes;
  readonly #known: Known;
  readonly #calls: RequestCalls;
  readonly #follower: ResponseFollower;
  readonly #mentions: Mention[] = [];
  readonly #ending = new Map<number, Assignment[]>();
  readonly #given = new Map<number, FlowValue>();
  readonly #again = new Set<number>();

  constructor(program: Program, evidence: Evidence) {
    const uses = usesOf(program);
    const scopes = new Scopes(program);
    const calls = new RequestCalls(program, scopes, this.#mentions);
    const keep = calls.keep.bind(calls);
    this.#program = program;
    this.#evidence = evidence;
    this.#scopes = scopes;
    this.#known = { get: (name) => scopes.get(name), uses: (name) => uses.get(name) ?? 0 };
    this.#calls = calls;
    this.#follower = followerOf(program, { mentions: this.#mentions, given: this.#given, keep });
  }

  mentions(): readonly Mention[] {
    for (let index = 0; index <= this.#program.tokens.length; index++) this.#visit(index);
    return this.#mentions;
  }

  #visit(index: number): void {
    for (const assignment of this.#ending.get(index) ?? []) this.#assign(assignment);
    this.#scopes.reach(index);
    const token = this.#program.tokens[index];
    if (!token) return;
    this.#begin(index);
    if (token.kind === "sign") this.#closeCall(index);
    if (token.kind === "text") this.#readText(index, token);
    if (token.kind === "word") this.#take(index);
    for (const sent of sentAt(this.#program, index, this.#known)) this.#calls.send(index, [sent]);
  }

  #begin(index: number): void {
    const assignment = assignmentAt(this.#program, index);
    if (!assignment || assignment.end < index) return;
    this.#ending.set(assignment.end, [...(this.#ending.get(assignment.end) ?? []).slice(-maxValues), assignment]);
  }

  #readText(index: number, token: Token): void {
    for (const name of namesIn(token)) {
      const value = this.#scopes.get(name);
      if (value && value.sent.length > 0) this.#pass(index, name, { ...unknown, sent: value.sent });
    }
    const found = addressInText(this.#program, index, this.#known, this.#evidence);
    const sent = found ? [] : sentInText(token, this.#known);
    if (found) this.#useAddress(index, found);
    else if (sent.length > 0) this.#calls.send(index, sent);
  }

  #useAddress(index: number, { address, mentions, isWhole }: TextAddress): void {
    const destination = destinationOf(this.#program, index);
    // A path in a list or mapping is data until it is used.
    const isData = destination.to === "statement" && !isWhole && isListed(this.#program, index, destination.depth);
    const kept = isData ? mentions.filter(({ about }) => about !== "path") : mentions;
    if (destination.to === "setter" && isOpening(this.#program, destination.open)) this.#mentions.push(...mentions);
    if (destination.to === "call") {
      const sure = address.sure && (destination.sure || isWhole);
      this.#mentions.push(...mentions.map((each) => ({ ...each, address: { ...each.address, sure } })));
    }
    this.#calls.deliver(index, { ...unknown, addresses: [address] }, kept);
  }

  #take(index: number): void {
    // PowerShell passes a hash table as `@name`.
    const name = nameAt(this.#program, index).replace(/^@(?=\w)/, "$");
    const isPart = this.#program.isMember(index) && !name.startsWith("this.");
    const callbackValue = this.#given.get(index) ?? (this.#scopes.isParameter(index) ? unknown : undefined);
    const isSent = (this.#scopes.get(name)?.sent.length ?? 0) > 0;
    const filled =
      callbackValue ??
      (!isSent && isFilled(this.#program, index) ? responsesBefore(this.#calls.results.at(-1), index) : undefined);
    if (filled) this.#scopes.set(name, filled);
    const value =
      (filled && name !== "$_") || isPart || isGivenValue(this.#program, index) ? undefined : this.#scopes.get(name);
    if (value && value.responses.length > 0) this.#follower.follow(index, index + 1, value);
    else if (value) this.#pass(index, name, value);
  }

  #pass(index: number, name: string, value: FlowValue): void {
    const isOwn = this.#known.uses(name) <= 1;
    const sent = value.sent.map((each) => ({ ...each, own: each.own && isOwn }));
    this.#calls.deliver(index, { ...value, sent });
  }

  #closeCall(index: number): void {
    const open = this.#program.textAt(index) === ")" ? this.#program.matching(index) : -1;
    const addresses = this.#calls.addressesAt(open);
    if (addresses.length > 0) this.#follower.follow(open, index + 1, { ...unknown, responses: addresses });
    const parameter = addresses.length > 0 ? requestParameter(this.#program, open) : undefined;
    if (parameter !== undefined) this.#given.set(parameter, { ...unknown, responses: addresses, addresses });
  }

  /** The expression of a comprehension precedes its names. */
  #lookBack({ from }: Assignment): void {
    const open = this.#program.enclosing(from - 1);
    if (this.#program.textAt(from - 1) !== "for" || this.#program.isBlock(open)) return;
    for (let at = Math.max(open + 1, from - 300); at < from - 1; at++) {
      if (!this.#program.isWord(at) || this.#again.has(at)) continue;
      this.#again.add(at);
      this.#take(at);
    }
  }

  #assign(assignment: Assignment): void {
    const value = this.#expressed(assignment);
    this.#calls.meet(value.addresses, value.sent);
    if (assignment.is === "returned") return;
    const set = this.#scopes.set.bind(this.#scopes);
    const sendToName = this.#calls.sendToName.bind(this.#calls);
    bind(this.#program, assignment, value, { set, sendToName, report: this.#follower.report });
    if (assignment.is === "looped") this.#lookBack(assignment);
  }

  #expressed({ start, end }: Assignment): FlowValue {
    const depth = this.#program.enclosing(start);
    let value: FlowValue = { ...unknown, literal: this.#literalOf(start, end) };
    for (let last = this.#calls.results.at(-1); last && last.start >= start; last = this.#calls.results.at(-1)) {
      this.#calls.results.pop();
      if (last.depth !== depth) continue;
      this.#mentions.push(...last.mentions.filter(({ address }) => address.sure));
      value = merged(value, last.value);
    }
    return value;
  }

  #literalOf(start: number, end: number): FlowValue["literal"] {
    const only = end - start <= 2 ? this.#program.tokens[end - 1] : undefined;
    const isPrefixed =
      end - start === 1 || (this.#program.isWord(start) && this.#program.areAdjacent(start, start + 1));
    return only?.kind === "text" && isPrefixed ? only : undefined;
  }
}

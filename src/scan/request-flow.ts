import { surroundings } from "../model/deprecations.ts";
import type { Evidence } from "./address.ts";
import { type Assignment, assignmentAt } from "./assignments.ts";
import { bind } from "./bind-names.ts";
import { isOpening, requestAround, requestBehind, requestParameter } from "./chains.ts";
import { climb, isListed } from "./enclosing-statement.ts";
import { likely, merged, most, unsure, usesOf } from "./flow-values.ts";
import { sentAt } from "./request-parameters.ts";
import { answersNear, followerOf, isFilled } from "./responses.ts";
import { type FlowValue, type Sent, scopesOf, unknown } from "./scopes.ts";
import { isMember, structureOf } from "./structure.ts";
import { addressInText, namesIn, sentInText, type TextAddress } from "./texts.ts";
import { headNameAt, isGivenValue, nameAt, receiverOf } from "./token-names.ts";
import type { Token } from "./tokens.ts";
import type { Address, Mention } from "./traffic.ts";

const handling = new Set(surroundings.code.handling);
const http = new Set(surroundings.code.http);
const implicit = new Set(surroundings.code.implicit);

/** What goes into a call. */
interface Call {
  readonly addresses: Address[];
  readonly sent: Sent[];
}

/** What an expression in a statement gives. */
interface Result {
  readonly start: number;
  readonly depth: number;
  readonly value: FlowValue;
  /** What is said of it if something takes it. */
  readonly mentions: readonly Mention[];
}

/**
 * Follows requests through a program in one pass: what goes into a call with an address, by itself or by a name, and what
 * is read from the answer or compared with a text. Never throws, whatever the tokens are.
 */
export function mentionsInProgram(tokens: readonly Token[], text: string, evidence: Evidence): readonly Mention[] {
  const structure = structureOf(tokens, text);
  const scopes = scopesOf(structure);
  const uses = usesOf(structure);
  const known = { get: scopes.get, uses: (name: string) => uses.get(name) ?? 0 };
  const mentions: Mention[] = [];
  const calls = new Map<number, Call>();
  const ending = new Map<number, Assignment[]>();
  const given = new Map<number, FlowValue>();
  const results: Result[] = [];
  const again = new Set<number>();
  const headName = (last: number) => headNameAt(structure, last);
  const { follow, say } = followerOf(structure, { mentions, given, keep });
  for (let index = 0; index <= tokens.length; index++) visit(index);
  return mentions;

  function visit(index: number): void {
    for (const assignment of ending.get(index) ?? []) assign(assignment);
    scopes.reach(index);
    const token = tokens[index];
    if (!token) return;
    begin(index);
    if (token.kind === "sign") closeCall(index);
    if (token.kind === "text") readText(index, token);
    if (token.kind === "word") take(index);
    for (const sent of sentAt(structure, index, known)) send(index, [sent]);
  }

  function begin(index: number): void {
    const assignment = assignmentAt(structure, index);
    if (!assignment || assignment.end < index) return;
    ending.set(assignment.end, [...(ending.get(assignment.end) ?? []).slice(-most), assignment]);
  }

  function callAt(open: number): Call {
    const call = calls.get(open) ?? { addresses: [], sent: [] };
    calls.set(open, call);
    return call;
  }

  /** A text may be an address, or parameters, or nothing of interest. */
  function readText(index: number, token: Token): void {
    for (const name of namesIn(token)) {
      const value = scopes.get(name);
      if (value && value.sent.length > 0) pass(index, name, { ...unknown, sent: value.sent });
    }
    const found = addressInText(structure, index, known, evidence);
    const sent = found ? [] : sentInText(token, known);
    if (found) useAddress(index, found);
    else if (sent.length > 0) send(index, sent);
  }

  function useAddress(index: number, { address, mentions: said, isWhole }: TextAddress): void {
    const place = climb(structure, index);
    if (place.to === "statement") {
      // A path in a list or a table is data; what it is an address of shows where it is used.
      const isValue = isWhole || !isListed(structure, index, place.depth);
      const kept = isValue ? said : said.filter(({ about }) => about !== "path");
      keep(index, place.depth, { ...unknown, addresses: [address] }, kept);
    }
    if (place.to === "setter") sendTo(place.open, [], [address]);
    if (place.to === "setter" && isOpening(structure, place.open)) mentions.push(...said);
    if (place.to !== "call") return;
    const isSure = address.sure && (place.sure || isWhole);
    mentions.push(...said.map((mention) => (isSure ? mention : likely(mention))));
    into(place.open, [place.sure ? address : unsure(address)], []);
  }

  function into(open: number, addresses: readonly Address[], sent: readonly Sent[]): void {
    if (isMember(tokens, open - 1)) build(open, addresses, sent);
    if (handling.has(structure.callee(open))) sendToName(nameAt(tokens, open + 1), sent, addresses);
    const call = callAt(open);
    const [before, already] = [[...call.addresses], [...call.sent]];
    call.addresses.push(...addresses.slice(0, most - before.length));
    call.sent.push(...sent.slice(0, most - already.length));
    meet(call.addresses, sent);
    meet(addresses, already);
    // A call without parentheses has no end that is seen.
    if (addresses.length > 0 && tokens[open]?.text !== "(")
      keep(open, structure.parent[open] ?? -1, { ...unknown, answers: addresses });
  }

  /** What a builder is given, the expression gives that it stands in. */
  function build(open: number, addresses: readonly Address[], sent: readonly Sent[]): boolean {
    const { at, isBuilt } = receiverOf(structure, open);
    if (!isBuilt || at < 0) return false;
    const place = climb(structure, at);
    if (place.to === "statement") keep(at, place.depth, { ...unknown, addresses, sent });
    if (place.to === "setter") sendTo(place.open, sent, addresses);
    if (place.to === "call") into(place.open, place.sure ? addresses : addresses.map(unsure), sent);
    return true;
  }

  function meet(addresses: readonly Address[], sent: readonly Sent[]): void {
    for (const address of addresses.slice(0, most)) {
      for (const each of sent.slice(0, most)) mentions.push({ about: "sent", address, ...each });
    }
  }

  function keep(index: number, depth: number, value: FlowValue, said: readonly Mention[] = []): void {
    results.push({ start: index, depth, value, mentions: said });
    if (results.length > 5000) results.splice(0, 2500);
  }

  function send(index: number, sent: readonly Sent[]): void {
    if (isSubscript(index)) sendToName(headName((structure.parent[index] ?? -1) - 1), sent, []);
    const isMemberGiven = isMember(tokens, index) && tokens[index + 1]?.text === "=";
    if (isMemberGiven) sendToName(headName(index - 2), sent, []);
    const place = climb(structure, index);
    if (isMemberGiven) return;
    if (place.to === "statement") keep(index, place.depth, { ...unknown, sent });
    if (place.to === "call") into(place.open, [], sent);
    if (place.to === "setter") sendTo(place.open, sent, []);
  }

  function isSubscript(index: number): boolean {
    return (
      tokens[index + 1]?.text === "]" && /^[[:]$/.test(tokens[index - 1]?.text ?? "") && tokens[index + 2]?.text === "="
    );
  }

  function sendTo(open: number, sent: readonly Sent[], addresses: readonly Address[]): void {
    if (build(open, addresses, sent)) return;
    const receiver = receiverOf(structure, open);
    const isAsked = receiver.open !== undefined && http.has(structure.callee(receiver.open));
    const request = isAsked ? undefined : requestOf(open, receiver.name);
    if (request !== undefined) into(request, addresses, sent);
    if (request !== undefined) return;
    if (receiver.open !== undefined) into(receiver.open, addresses, sent);
    if (receiver.name !== undefined) sendToName(receiver.name, sent, addresses);
  }

  /** Behind the chain, or around the block that has names of its own for what it asks. */
  function requestOf(open: number, name: string | undefined): number | undefined {
    const isImplicit = name !== undefined && implicit.has(name) && scopes.get(name) === undefined;
    return requestBehind(structure, open) ?? (isImplicit ? requestAround(structure, open) : undefined);
  }

  function sendToName(name: string, sent: readonly Sent[], addresses: readonly Address[]): void {
    const before = scopes.get(name) ?? unknown;
    meet([...before.addresses, ...addresses], sent);
    if (before.sent.length > most) return;
    scopes.set(name, merged(before, { ...unknown, addresses, sent }));
  }

  /** A name may stand for an address, for parameters or for an answer. */
  function take(index: number): void {
    // PowerShell hands a table over as `@name`.
    const name = nameAt(tokens, index).replace(/^@(?=\w)/, "$");
    const isPart = isMember(tokens, index) && !name.startsWith("this.");
    const callbackValue = given.get(index) ?? (scopes.isParameter(index) ? unknown : undefined);
    const isSent = (scopes.get(name)?.sent.length ?? 0) > 0;
    const filled =
      callbackValue ?? (!isSent && isFilled(structure, index) ? answersNear(results.at(-1), index) : undefined);
    if (filled) scopes.set(name, filled);
    const value = (filled && name !== "$_") || isPart || isGivenValue(structure, index) ? undefined : scopes.get(name);
    if (value && value.answers.length > 0) follow(index, index + 1, value);
    else if (value) pass(index, name, value);
  }

  function pass(index: number, name: string, value: FlowValue): void {
    const place = climb(structure, index);
    const isOwn = known.uses(name) <= 1;
    const sent = value.sent.map((each) => ({ ...each, own: each.own && isOwn }));
    if (place.to === "statement") keep(index, place.depth, { ...value, sent });
    if (place.to === "setter") sendTo(place.open, sent, []);
    if (place.to !== "call") return;
    into(place.open, place.sure ? value.addresses : value.addresses.map(unsure), sent);
  }

  function closeCall(index: number): void {
    const open = tokens[index]?.text === ")" ? (structure.other[index] ?? -1) : -1;
    const addresses = calls.get(open)?.addresses ?? [];
    if (addresses.length > 0) follow(open, index + 1, { ...unknown, answers: addresses });
    const parameter = addresses.length > 0 ? requestParameter(structure, open) : undefined;
    if (parameter !== undefined) given.set(parameter, { ...unknown, answers: addresses, addresses });
  }

  /** What stands before the `for` of a comprehension is about the names behind it. */
  function lookBack({ from }: Assignment): void {
    const open = structure.parent[from - 1] ?? -1;
    if (tokens[from - 1]?.text !== "for" || structure.isBlock(open)) return;
    for (let at = Math.max(open + 1, from - 300); at < from - 1; at++) {
      if (tokens[at]?.kind !== "word" || again.has(at)) continue;
      again.add(at);
      take(at);
    }
  }

  function assign(assignment: Assignment): void {
    const value = expressed(assignment);
    meet(value.addresses, value.sent);
    if (assignment.is === "returned") return;
    bind(structure, assignment, value, { set: scopes.set, sendToName, headName, say });
    if (assignment.is === "looped") lookBack(assignment);
  }

  function expressed({ start, end }: Assignment): FlowValue {
    const depth = structure.parent[start] ?? -1;
    let value: FlowValue = { ...unknown, literal: literalOf(start, end) };
    for (let last = results.at(-1); last && last.start >= start; last = results.at(-1)) {
      results.pop();
      if (last.depth !== depth) continue;
      mentions.push(...last.mentions.filter(({ address }) => address.sure));
      value = merged(value, last.value);
    }
    return value;
  }

  function literalOf(start: number, end: number): FlowValue["literal"] {
    const only = end - start <= 2 ? tokens[end - 1] : undefined;
    const isPrefixed = end - start === 1 || (tokens[start]?.kind === "word" && structure.touches(start, start + 1));
    return only?.kind === "text" && isPrefixed ? only : undefined;
  }
}

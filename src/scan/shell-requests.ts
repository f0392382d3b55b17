import { grouped } from "../base/grouped.ts";
import { vocabulary } from "../model/deprecations.ts";
import {
  type Address,
  addressMentions,
  type Evidence,
  type Mention,
  matchAddress,
  parametersIn,
  readIn,
  resolveAddress,
} from "./addresses.ts";
import type { VariableSetting } from "./settings.ts";
import { assignedWord, type Command, commandNameOf, type Word } from "./shell.ts";
import { hole, type TextFragment, withHoles } from "./text.ts";

type Variables = ReadonlyMap<string, readonly VariableSetting[]>;

/** A word of a command, or a value of the variable that it consists of. */
interface Argument extends TextFragment {
  readonly raw: string;
  readonly isVariable: boolean;
}

const { http, readers } = vocabulary.shell;

/** Further values of a variable are dropped. */
const maxValues = 20;

/**
 * Requests of a script: certain in one pipeline, likely where a parameter is the value of a variable.
 * @param settings All values that the file gives to variables.
 */
export function mentionsInCommands(
  commands: readonly Command[],
  settings: readonly VariableSetting[],
  evidence: Evidence,
): readonly Mention[] {
  const values = grouped(settings, ({ name }) => name);
  const variables: Variables = new Map([...values].map(([name, all]) => [name, all.slice(0, maxValues)]));
  const mentions: Mention[] = [];
  let called: readonly Address[] = [];
  let piped: readonly Argument[] = [];
  for (const command of commands) {
    const name = commandNameOf(command);
    const words = command.words.slice(1).flatMap((word) => argumentsOf(word, variables));
    mentions.push(...command.assignments.flatMap((word) => wholeAddress(assignedWord(word), evidence)));
    if (http.has(name)) {
      const requests = words.flatMap((word) => requestIn(word, variables, evidence, name === "glab"));
      called = distinct(requests.filter(({ about }) => about === "path").map(({ address }) => address));
      mentions.push(...requests, ...sentTo(called, [...piped, ...words], variables));
    } else if (readers.has(name)) {
      for (const address of called) mentions.push(...words.flatMap((word) => readIn(word, address)));
    }
    piped = command.feeds ? words.filter(({ raw }) => /\n|^["']?[[{]/.test(raw)) : [];
    if (!command.feeds) called = [];
  }
  return mentions;
}

/** Single quotes prevent expansion; only a word quoted as a whole has lost its quotes. */
function argumentsOf({ raw, text, start, end }: Word, variables: Variables): readonly Argument[] {
  const name = /^"?\$\{?(\w+)(?:\[[@*]\])?\}?"?$/.exec(raw)?.[1];
  const settings = (name === undefined ? undefined : variables.get(name)) ?? [];
  if (settings.length > 0)
    return settings.map(({ value, start: at }) => ({
      text: withHoles(value),
      raw: value,
      start: at,
      isVariable: true,
    }));
  const inner = raw.length === end - start + 2 ? raw.slice(1, -1) : raw;
  return [{ text: raw.startsWith("'") ? text : withHoles(inner), raw: inner, start, isVariable: false }];
}

/** A literal that is an address by itself, wherever it is used. */
function wholeAddress({ text, start }: Word, evidence: Evidence): readonly Mention[] {
  const match = matchAddress(text, text);
  const address = match?.base === "api" ? resolveAddress(match, evidence) : undefined;
  return match && address ? addressMentions({ text, start }, match, address) : [];
}

function requestIn(word: Argument, variables: Variables, evidence: Evidence, isOwn: boolean): readonly Mention[] {
  const match = matchAddress(word.text, word.raw);
  const base = /^\$\{?(\w+)/.exec(word.raw)?.[1] ?? "";
  // `glab api` sends requests to this API alone.
  const address = match && resolveAddress(match, evidence, isOwn ? "/api/v4" : variables.get(base)?.[0]?.value);
  if (!match || !address) return [];
  const sure = (isOwn || address.sure) && !word.isVariable;
  const [path, ...sent] = addressMentions(word, match, { ...address, sure });
  return path ? [path, ...sent.flatMap((each) => filled(each, word, variables))] : [];
}

/** Parameters among the arguments and the input of a request. */
function sentTo(called: readonly Address[], words: readonly Argument[], variables: Variables): readonly Mention[] {
  if (called.length === 0) return [];
  const bodies = words.filter(({ text }) => !/^[A-Za-z-]+:\s/.test(text) && !matchAddress(text, text));
  return bodies.flatMap((word) => {
    const sent = parametersIn(word);
    return called.flatMap((address) =>
      sent.flatMap((each) => filled({ about: "sent", address, ...each, isVariable: word.isVariable }, word, variables)),
    );
  });
}

/** `name=$variable`, with each value that the variable has in the file. */
function filled(mention: Mention, { raw, start }: Argument, variables: Variables): readonly Mention[] {
  if (!mention.value?.startsWith(hole)) return [mention];
  const name = /^\$\{?(\w+)/.exec(raw.slice(mention.offset - start))?.[1] ?? "";
  const settings = variables.get(name) ?? [];
  return settings.map(({ value, start: offset }) => ({ ...mention, value, offset, isVariable: true }));
}

/** Each is combined with all parameters of its command. */
const maxAddresses = 50;

function distinct(addresses: readonly Address[]): readonly Address[] {
  const byName = new Map(addresses.map((address) => [`${address.sure} ${address.path}`, address]));
  return [...byName.values()].slice(0, maxAddresses);
}

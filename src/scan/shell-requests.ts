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
import { type Command, commandNameOf } from "./command.ts";
import type { VariableSetting } from "./settings.ts";
import { assigned, type Word } from "./shell-words.ts";
import { expanded, type Piece, pieceAt, withHoles } from "./text.ts";

type LookUp = (name: string) => Piece | undefined;

const { http, readers } = vocabulary.shell;

/** Variables that have several values are expanded to so many of them. */
const maxValues = 20;

/**
 * Requests of a script and fields of their responses: certain in one pipeline, likely where the value of a variable or
 * a file is between them.
 * @param settings All values that the file gives to variables.
 */
export function mentionsInCommands(
  commands: readonly Command[],
  settings: readonly VariableSetting[],
  text: string,
  evidence: Evidence,
): readonly Mention[] {
  const variables = grouped(settings, ({ name }) => name);
  const rounds = Math.min(maxValues, Math.max(1, ...[...variables.values()].map(({ length }) => length)));
  const valuesOf =
    (round: number) =>
    (name: string): Piece | undefined => {
      const values = variables.get(name) ?? [];
      const setting = values[Math.min(round, values.length - 1)];
      return setting && { ...pieceAt(withHoles(setting.value), setting.start), isVariable: () => true };
    };
  const pipelines = pipelinesOf(commands);
  const all = Array.from({ length: rounds }, (_, round) => round).flatMap((round) =>
    pipelines.map((pipeline) => mentionsInPipeline(pipeline, valuesOf(round), text, evidence)),
  );
  return [...all.flat(), ...readsOfFiles(pipelines, all.slice(0, pipelines.length), text)];
}

type Pipeline = readonly Command[];

/** Commands whose output is piped to the next one. */
function pipelinesOf(commands: readonly Command[]): readonly Pipeline[] {
  const pipelines: Command[][] = [];
  let isOpen = false;
  for (const command of commands) {
    if (isOpen) pipelines.at(-1)?.push(command);
    else pipelines.push([command]);
    isOpen = command.feeds;
  }
  return pipelines;
}

function mentionsInPipeline(pipeline: Pipeline, lookUp: LookUp, text: string, evidence: Evidence): readonly Mention[] {
  const mentions: Mention[] = [];
  let called: readonly Address[] = [];
  let piped: readonly Piece[] = [];
  for (const command of pipeline) {
    const name = commandNameOf(command);
    const words = command.words.slice(1);
    const pieces = words.map((word) => pieceOf(word, lookUp, text));
    for (const word of command.assignments.map(assigned)) {
      const [path, ...sent] = requestIn(word, pieceAt(word.text, word.start), evidence);
      if (path && isWhole(word)) mentions.push(path, ...sent);
    }
    if (http.has(name)) {
      const requests = words.flatMap((word, index) =>
        requestIn(word, pieces[index], evidence, name === "glab" ? glabBase : baseOf(word, lookUp)),
      );
      called = distinct(requests.filter(({ about }) => about === "path").map(({ address }) => address));
      const bodies = [...piped, ...pieces.filter((_, index) => !isHeader(words[index]))];
      const sent = bodies.flatMap((body) => (matchAddress(body.text, body.text) ? [] : parametersIn(body)));
      mentions.push(...requests);
      for (const address of called) for (const each of sent) mentions.push({ about: "sent", address, ...each });
    } else if (readers.has(name)) {
      for (const address of called) mentions.push(...pieces.flatMap((piece) => readIn(piece, address)));
    }
    piped = pieces.filter((_, index) => /\n|^["']?[[{]/.test(words[index]?.raw ?? ""));
  }
  return mentions;
}

/** A word with the values of variables. Single quotes prevent expansion; only a word quoted as a whole has lost them. */
function pieceOf({ raw, text: own, start, end }: Word, lookUp: LookUp, text: string): Piece {
  const isPlain = raw.startsWith("'") && raw.length === end - start + 2;
  return isPlain ? pieceAt(own, start) : expanded(text.slice(start, end), start, lookUp);
}

/** `glab api` sends requests to this API alone. */
const glabBase = "/api/v4";

/** The value of the variable that a word begins with. */
function baseOf({ raw }: Word, lookUp: LookUp): string | undefined {
  const name = /^["']?\$\{?(\w+)/.exec(raw)?.[1];
  return name === undefined ? undefined : lookUp(name)?.text;
}

function requestIn(
  { raw, start }: Word,
  piece: Piece | undefined,
  evidence: Evidence,
  base?: string,
): readonly Mention[] {
  const match = piece && matchAddress(piece.text, raw.replace(/^["']/, ""));
  const address = match && resolveAddress(match, evidence, base);
  if (!match || !address) return [];
  const sure = base === glabBase || (address.sure && piece.isVariable?.(match.from) !== true);
  return addressMentions(piece, match, { ...address, sure }, start);
}

/** Whether a text is an address by itself, wherever it is used. */
function isWhole({ text }: Word): boolean {
  return /^[^\s?#]*?\/api\/v4\//.test(text);
}

/** `curl url > file; jq program file`, `rows=$(curl url); echo "$rows" | jq program`. */
function readsOfFiles(
  pipelines: readonly Pipeline[],
  mentions: readonly (readonly Mention[])[],
  text: string,
): readonly Mention[] {
  const files = new Map<string, readonly Address[]>();
  const requests = pipelines.flatMap((pipeline, index) => {
    const addresses = distinct((mentions[index] ?? []).map(({ address }) => ({ ...address, sure: false })));
    return addresses.length === 0 ? [] : [{ addresses, start: pipeline[0]?.words[0]?.start ?? -1 }];
  });
  return pipelines.flatMap((pipeline, index) => {
    const own = requests.find(({ start }) => start === pipeline[0]?.words[0]?.start);
    for (const { outputs, assignments, words } of pipeline) {
      const output = words.filter((_, at) => /^(?:-o|-O|--output|--output-document)$/.test(words[at - 1]?.raw ?? ""));
      if (own) for (const file of [...outputs, ...output]) files.set(file.text, own.addresses);
      for (const { raw, start, end } of assignments) {
        const inner = requests.find((request) => request.start > start && request.start < end);
        files.set(`$${raw.split("=")[0]}`, inner?.addresses ?? []);
      }
    }
    if ((mentions[index] ?? []).length > 0) return [];
    const inputs = pipeline.flatMap(({ words, inputs: from }) => [...words.slice(1), ...from]);
    const read = inputs.flatMap(({ raw, text: own }) => files.get(raw.replace(/["'{}]/g, "")) ?? files.get(own) ?? []);
    const programs = pipeline
      .filter((command) => readers.has(commandNameOf(command)))
      .flatMap(({ words }) => words.slice(1));
    return read.slice(0, maxValues).flatMap((address) =>
      programs.flatMap((word) =>
        readIn(
          pieceOf(word, () => undefined, text),
          address,
        ),
      ),
    );
  });
}

/** Each is combined with all parameters of its command. */
const maxAddresses = 50;

function distinct(addresses: readonly Address[]): readonly Address[] {
  const byName = new Map(addresses.map((address) => [`${address.sure} ${address.path}`, address]));
  return [...byName.values()].slice(0, maxAddresses);
}

function isHeader(word: Word | undefined): boolean {
  return /^[A-Za-z-]+:\s/.test(word?.text ?? "");
}

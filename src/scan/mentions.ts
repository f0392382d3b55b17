import type { AddressMatch } from "./address.ts";
import { pairsInText, slice, type TextPair } from "./text-pieces.ts";
import { type Address, type Mention, type Piece, pathMention, type SentParameter, wantedNames } from "./traffic.ts";

/** The path of an address in a text, and the parameters of its query. `start` is where the text begins. */
export function addressMentions(
  piece: Piece,
  { path, from, query }: AddressMatch,
  address: Address,
  start: number,
): readonly Mention[] {
  const offset = piece.at(from, from + path.length) ?? start;
  return [pathMention(address, start, offset), ...sentIn(slice(piece, query), address, start)];
}

/** Parameters in a text that is sent to an address. */
export function sentIn(piece: Piece, address: Address, start = 0): readonly Mention[] {
  return parametersIn(piece, start).map((each) => ({ about: "sent", address, ...each }));
}

/** Parameters in a query, a form or JSON. */
export function parametersIn(piece: Piece, start = 0): readonly SentParameter[] {
  return pairsInText(piece.text, wantedNames).map((pair) => parameterOf(pair, piece, start));
}

function parameterOf({ name, value, nameAt, valueAt }: TextPair, piece: Piece, start: number): SentParameter {
  const nameOffset = piece.at(nameAt, nameAt + name.length) ?? start;
  const offset = value === "" ? nameOffset : piece.at(valueAt, valueAt + value.length);
  const own = offset !== undefined && !piece.isShared?.(valueAt);
  return { name, value: value || undefined, nameOffset, offset: offset ?? nameOffset, own };
}

/** Fields of a response that a jq program or a script reads or compares. */
export function readIn(piece: Piece, address: Address): readonly Mention[] {
  const pairs = comparisons(piece.text);
  const compared = pairs.map((pair): Mention => ({ about: "compared", address, ...parameterOf(pair, piece, 0) }));
  const read = [...piece.text.matchAll(readForm)].flatMap(
    ({ index, 0: whole, 1: dotted, 2: quoted }): readonly Mention[] => {
      const name = dotted ?? quoted ?? "";
      const offset = piece.at(index + whole.indexOf(name), index + whole.indexOf(name) + name.length);
      return offset !== undefined && wantedNames.has(name)
        ? [{ about: "read", address, name, value: undefined, nameOffset: offset, offset, own: true }]
        : [];
    },
  );
  return [...compared, ...read];
}

const comparing = /(?:\.|\[\s*\\?["'])(\w+)(?:\\?["']\s*\])?\)?\s*(?:==|!=)\s*\\?["']?(\w+)/g;

function comparisons(text: string): readonly TextPair[] {
  return [...text.matchAll(comparing)].flatMap(({ index, 0: whole, 1: name = "", 2: value = "" }) =>
    wantedNames.has(name)
      ? [{ name, value, nameAt: index + whole.indexOf(name), valueAt: index + whole.length - value.length }]
      : [],
  );
}

const readForm = /\.(\w+)\b(?!\s*\()|\[\s*\\?["'](\w+)\\?["']\s*\]/g;

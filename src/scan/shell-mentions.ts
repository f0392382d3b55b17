import { pairsInText, type TextPair } from "./text-pieces.ts";
import { type Address, type Mention, type Piece, wantedNames } from "./traffic.ts";

/** Parameters with their values in a text that goes to an address. */
export function sentIn(piece: Piece, address: Address): readonly Mention[] {
  return pairsInText(piece.text, wantedNames).map((pair) => mentionOf("sent", pair, piece, address));
}

function mentionOf(about: Mention["about"], pair: TextPair, piece: Piece, address: Address): Mention {
  const { name, value, nameAt, valueAt } = pair;
  const nameOffset = piece.at(nameAt, nameAt + name.length) ?? 0;
  const offset = value === "" ? nameOffset : piece.at(valueAt, valueAt + value.length);
  return {
    about,
    address,
    name,
    value: value || undefined,
    nameOffset,
    offset: offset ?? nameOffset,
    own: offset !== undefined && !piece.isShared?.(valueAt),
  };
}

/** What a program of jq, or of a script, reads from an response, and what it compares it with. */
export function readIn(piece: Piece, address: Address): readonly Mention[] {
  const compared = comparisons(piece.text).map((pair) => mentionOf("compared", pair, piece, address));
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

/** An attribute in a program of jq or of a script. */
const readForm = /\.(\w+)\b(?!\s*\()|\[\s*\\?["'](\w+)\\?["']\s*\]/g;

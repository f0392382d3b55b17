import { isMap, isScalar, type YAMLMap } from "yaml";
import { vocabulary } from "../model/deprecations.ts";
import {
  type Address,
  addressMentions,
  type Evidence,
  type Mention,
  matchAddress,
  resolveAddress,
  sentIn,
  wantedNames,
} from "./addresses.ts";
import { masked, type Piece, pieceAt } from "./text.ts";
import { innerRange, nameOf, stringOf, valueAt, type YamlEntry } from "./yaml.ts";

/** Requests of playbook modules: `uri: { url, body }`. */
export function mentionsInModules(entries: readonly YamlEntry[], text: string, evidence: Evidence): readonly Mention[] {
  const { requests } = vocabulary.yaml;
  return entries.flatMap(({ path, key, value }) =>
    key && isMap(value) && requests.has(String(path.at(-1))) ? mentionsOf(value, text, evidence) : [],
  );
}

function mentionsOf(module: YAMLMap, text: string, evidence: Evidence): readonly Mention[] {
  const piece = pieceIn(valueAt(module, "url"), text);
  const written = piece && matchAddress(piece.text, piece.text);
  const address = written && resolveAddress(written, evidence);
  if (!piece || !written || !address) return [];
  return [...addressMentions(piece, written, address, piece.at(0, 0) ?? 0), ...bodyOf(module, text, address)];
}

function bodyOf(module: YAMLMap, text: string, address: Address): readonly Mention[] {
  const body = valueAt(module, "body");
  const piece = pieceIn(body, text);
  if (piece) return sentIn(piece, address);
  if (!isMap(body)) return [];
  return body.items.flatMap(({ key, value }): readonly Mention[] => {
    const name = nameOf(key);
    const range = innerRange(value, text);
    if (!wantedNames.has(name) || !range || !isScalar(key)) return [];
    const [string, own] = isScalar(value) ? [stringOf(value), value.anchor === undefined] : [undefined, false];
    const place = { nameOffset: key.range?.[0] ?? range.start, offset: range.start };
    return [{ about: "sent", address, name, value: string, ...place, isVariable: !own }];
  });
}

/** A scalar with template placeholders as holes. */
function pieceIn(value: unknown, text: string): Piece | undefined {
  const range = innerRange(value, text);
  return range && pieceAt(masked(text.slice(range.start, range.end), /\{\{.*?\}\}/g), range.start);
}

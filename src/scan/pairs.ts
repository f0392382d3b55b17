import type { CallDetection, PairDetection, TextDetection } from "../model/removals.ts";
import { layersOf, type Program } from "./requests.ts";
import { rewriting, type Sought, type Source, type Use } from "./source.ts";
import { statementsAbout, statementsOf } from "./statements.ts";
import type { Token } from "./tokens.ts";

/** A name, and the value that it is given, sent with or compared with; undefined where that is no literal. */
export interface Pair {
  readonly name: Token;
  readonly value: Token | undefined;
}

/** Every pair of a name in tokens: `name=value`, `"name": "value"`, `x.name == "value"`, `x["name"] = "value"`. */
export function pairsOf(tokens: readonly Token[], name: string): readonly Pair[] {
  return tokens.flatMap((token, index) => {
    if (token.text !== name || token.kind === "sign") return [];
    const signs = signsBehind(tokens, index);
    if (!/^[\])]*(?:[=!]?==?|:|=>|::)/.test(signs)) return [];
    const value = tokens[index + 1 + signs.length];
    const isLiteral = value?.kind === "text" || (value?.kind === "word" && (value.inText || signs.endsWith("::")));
    return [{ name: token, value: isLiteral ? value : undefined }];
  });
}

function signsBehind(tokens: readonly Token[], index: number): string {
  let signs = "";
  for (let i = index + 1; i < index + 6 && tokens[i]?.kind === "sign"; i++) {
    if (!/[=:>!\])]/.test(tokens[i]?.text ?? "")) break;
    signs += tokens[i]?.text;
  }
  return signs;
}

/** Uses of a name with a value, in a request or a statement that something else tells the subject of. */
export function pairUses({ tokens }: Program, { text }: Source, { detection }: Sought<PairDetection>): readonly Use[] {
  const { near, name, values, replace } = detection;
  if (!tokens.some(({ text: part }) => part.includes(near)) || !values.some((value) => text.includes(value))) return [];
  const about = statementsAbout(statementsOf(tokens, text), near);
  const layers = about.flatMap((statement) =>
    layersOf(statement.tokens.filter((token) => !asksElse(token, detection))),
  );
  return layers
    .flatMap((layer) => pairsOf(layer, name))
    .flatMap(({ value }) => {
      if (!value || !values.includes(value.text)) return [];
      return [{ offset: value.start, ...rewriting(value.start, value.start + value.text.length, replace) }];
    });
}

/** The query of an address is about what its path names. */
function asksElse({ kind, text }: Token, { near, name }: PairDetection): boolean {
  const path = /^[^\s?]+(?=\?)/.exec(text)?.[0];
  return kind === "text" && path !== undefined && path.includes("/") && text.includes(name) && !path.includes(near);
}

/** Uses such as `gem "name"` and `Feature.enable(:name)`. */
export function callUses({ tokens }: Program, { detection }: Sought<CallDetection>): readonly Use[] {
  return layersOf(tokens)
    .flatMap((layer) => callsIn(layer, detection))
    .map(({ start }) => ({ offset: start }));
}

function callsIn(tokens: readonly Token[], { receiver, names }: CallDetection): readonly Token[] {
  return tokens.flatMap((token, index) => {
    if (token.text !== receiver || token.kind !== "word") return [];
    const near = tokens.slice(index + 1, index + 7);
    const found = near.findIndex(({ kind, text }) => kind !== "sign" && names.includes(text));
    const name = near[found];
    return name && isArgument(near.slice(0, found)) ? [name] : [];
  });
}

/** `.method(:`, `.method(`, `(` or nothing stands before an argument. */
function isArgument(before: readonly Token[]): boolean {
  return /^(?:\.w[?!]?)?\(?:?$/.test(before.map(({ kind, text }) => (kind === "sign" ? text : "w")).join(""));
}

/** Texts that match a pattern. */
export function textUses({ tokens }: Program, { detection }: Sought<TextDetection>): readonly Use[] {
  const pattern = new RegExp(detection.matches);
  return tokens
    .filter(({ kind, text }) => kind === "text" && pattern.test(text))
    .map(({ start }) => ({ offset: start }));
}

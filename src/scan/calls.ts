import type { CallDetection, TextDetection } from "../model/deprecations.ts";
import type { DetectionOf, Use } from "./source.ts";
import type { Token } from "./tokens.ts";

/** Uses such as `gem "name"` and `Feature.enable(:name)`, in programs and in those within commands. */
export function callUses(
  programs: readonly (readonly Token[])[],
  { detection }: DetectionOf<CallDetection>,
): readonly Use[] {
  return programs.flatMap((tokens) => callsIn(tokens, detection)).map(({ start }) => ({ offset: start }));
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

/** Whether the tokens before a name are `.method(:`, `.method(`, `(` or none. */
function isArgument(before: readonly Token[]): boolean {
  return /^(?:\.w[?!]?)?\(?:?$/.test(before.map(({ kind, text }) => (kind === "sign" ? text : "w")).join(""));
}

/** String literals that match a pattern. */
export function textUses(tokens: readonly Token[], { detection }: DetectionOf<TextDetection>): readonly Use[] {
  const pattern = new RegExp(detection.matches);
  return tokens
    .filter(({ kind, text }) => kind === "text" && pattern.test(text))
    .map(({ start }) => ({ offset: start }));
}

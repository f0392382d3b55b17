/**
 * Invisible characters, for the brackets of a regular expression with the flag `u`: control and
 * format characters, line separators, lone surrogates, the braille blank, and what Unicode
 * ignores by default, such as fillers and variation selectors; also noncharacters, which XML lacks.
 */
export const invisible =
  "\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\p{Noncharacter_Code_Point}\\u2800";

/** Escapes untrusted text for one line of a terminal or a log: no line breaks, invisible characters or commands of a CI runner. */
export function printable(text: string): string {
  return withoutMarks(text.replace(invisibleCharacters, escaped));
}

/** As {@link printable}, for text with lines and colours. */
export function printableLines(text: string): string {
  const shown = text.replace(invisibleInLines, (found) =>
    found === "\n" || found.length > 2 ? found : escaped(found),
  );
  return withoutMarks(shown.replace(commandMark, "$1\\u003a"));
}

const invisibleCharacters = new RegExp(`[${invisible}]`, "gu");

/** Untrusted text has no colours at this point. */
const colour = "\\u001b\\[[\\d;]*m";
const invisibleInLines = new RegExp(`${colour}|[${invisible}]`, "gu");

/** Commands of CI runners: `::` at the start of a line. */
const commandMark = new RegExp(`^((?:[ \\t]|${colour})*):(?=:)`, "gm");

/** Escapes `##[` and `##vso[`, commands of CI runners. JSON stays valid and equal. */
export function withoutMarks(text: string): string {
  return text.replace(/#(?=#\w*\[)/g, "\\u0023");
}

/** `\uXXXX` for a character, twice for a surrogate pair, as in JSON. */
function escaped(character: string): string {
  return [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
    .join("");
}

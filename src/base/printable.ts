/**
 * Invisible characters, for the brackets of a regular expression with the flag `u`: control and
 * format characters, line separators, lone surrogates, the braille blank, and what Unicode
 * ignores by default, such as fillers and variation selectors.
 */
export const invisible = "\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800";

/** Untrusted text as a part of a line, safe for a terminal and a log: one line, nothing hidden, no command of a CI runner. */
export function printable(text: string): string {
  return withoutMarks(text.replace(invisibleCharacters, escaped));
}

/** The same for a whole text of our own, which has lines and may be coloured; no line begins with a command either. */
export function printableLines(text: string): string {
  const shown = text.replace(invisibleInLines, (found) =>
    found === "\n" || found.length > 2 ? found : escaped(found),
  );
  return withoutMarks(shown.replace(commandMark, "$1\\u003a"));
}

/** The same document without commands of a CI runner. */
export function inertJson(json: string): string {
  return withoutMarks(json);
}

const invisibleCharacters = new RegExp(`[${invisible}]`, "gu");

/** Colours are our own: untrusted text is printed without. */
const colour = "\\u001b\\[[\\d;]*m";
const invisibleInLines = new RegExp(`${colour}|[${invisible}]`, "gu");

/** What makes CI runners take a line as a command: `::` at its start, `##[` and `##vso[` anywhere in it. */
const commandMark = new RegExp(`^((?:[ \\t]|${colour})*):(?=:)`, "gm");
const sectionMark = /#(?=#\w*\[)/g;

function withoutMarks(text: string): string {
  return text.replace(sectionMark, "\\u0023");
}

/** `\uXXXX` for a character, twice for a surrogate pair, as in JSON. */
export function escaped(character: string): string {
  return [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
    .join("");
}

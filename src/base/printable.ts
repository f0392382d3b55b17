import { invisible } from "./invisible.ts";

/** Anybody's words as a part of a line, fit for a terminal and a log: one line, nothing hidden, no command of a CI runner. */
export function printable(text: string): string {
  return withoutMarks(text.replace(unseenOnes, escaped));
}

/** The same for a whole text of our own, which has lines and may be coloured; no line begins with a command either. */
export function printableLines(text: string): string {
  const shown = text.replace(unseenInLines, (found) => (found === "\n" || found.length > 2 ? found : escaped(found)));
  return withoutMarks(shown.replace(commandMark, "$1\\u003a"));
}

/** The same document, in which a reader of lines finds nothing to obey. */
export function inertJson(json: string): string {
  return withoutMarks(json);
}

const unseenOnes = new RegExp(`[${invisible}]`, "gu");

/** Colours are ours: whoever's words are printed, they come without. */
const colour = "\\u001b\\[[\\d;]*m";
const unseenInLines = new RegExp(`${colour}|[${invisible}]`, "gu");

/** What makes CI runners take a line as a command: `::` at its start, `##[` and `##vso[` anywhere in it. */
const commandMark = new RegExp(`^((?:[ \\t]|${colour})*):(?=:)`, "gm");
const sectionMark = /#(?=#\w*\[)/g;

function withoutMarks(text: string): string {
  return text.replace(sectionMark, "\\u0023");
}

/** `\uXXXX` for a character, twice for one of two halves: how JSON writes what it would not print. */
export function escaped(character: string): string {
  return [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
    .join("");
}

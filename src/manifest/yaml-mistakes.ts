import type { Path } from "./positions.ts";
import type { Yaml } from "./yaml.ts";

/** A mistake with its position in a text, from 0. */
export interface TextMistake {
  readonly reason: string;
  readonly line: number;
  readonly column: number;
}

const conflictMarker = /^(?:[<>|]{7}(?=\s|$)|={7}\s*$)/;

/** The first line of an unresolved merge, which git marks. */
export function mergeConflict(text: string): TextMistake | undefined {
  if (!/^[<>=|]{7}/m.test(text)) return undefined;
  const line = text.split("\n").findIndex((each) => conflictMarker.test(each));
  if (line < 0) return undefined;
  const reason = "unresolved merge conflict; keep one side, and delete the lines with <<<<<<<, ======= and >>>>>>>";
  return { reason, line, column: 0 };
}

/** What is said of a key that YAML 1.1 had for merging. */
export const mergeKeyWords =
  "YAML 1.2 has no merge keys, so << would be a key of its own; write the values out, or put them in a policy of more projects";

/** Whether a text may have a merge key: cheaper than a walk through its values. */
export function mayMerge(text: string): boolean {
  return /(?:^|[\s{,])<<\s*:/m.test(text);
}

/** The paths of merge keys in a value. */
export function mergeKeysIn(value: unknown, path: Path): readonly Path[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]): readonly Path[] => {
    const here = [...path, Array.isArray(value) ? Number(key) : key];
    return key === "<<" ? [here] : mergeKeysIn(each, here);
  });
}

type YamlFault = Exclude<Yaml, { readonly values: unknown }>;

/** Lines before an error in which a mark that was never closed is looked for. */
const mostLines = 5000;

/** A quote or a bracket that its line does not close. */
interface OpenMark {
  readonly mark: string;
  readonly closing: string;
  readonly column: number;
  /** Where the line ends: before a comment after a bracket. */
  readonly end: number;
}

/**
 * The quote or bracket that is never closed, at its opening, if that is why a text is not YAML: with its counterpart at the
 * end of its line, the error is gone or comes later. `parse` tells where the error of a text is.
 */
export function unclosedMark(text: string, fault: YamlFault, parse: (text: string) => Yaml): TextMistake | undefined {
  return unclosed(text, fault, parse, openQuote) ?? unclosed(text, fault, parse, openBracket);
}

function unclosed(
  text: string,
  fault: YamlFault,
  parse: (text: string) => Yaml,
  openIn: (line: string) => OpenMark | undefined,
): TextMistake | undefined {
  const lines = text.split("\n");
  const candidates = lines.slice(0, Math.min(fault.line + 1, mostLines)).flatMap((line, index) => {
    const opened = openIn(line);
    return opened ? [{ ...opened, index }] : [];
  });
  for (const { mark, closing, column, end, index } of candidates.slice(0, mostCandidates)) {
    const mended = lines.with(index, `${(lines[index] ?? "").slice(0, end).trimEnd()}${closing}`).join("\n");
    if (isBetter(parse(mended), fault)) return { reason: `this ${mark} is not closed`, line: index, column };
  }
  return undefined;
}

/** Each takes a parse of the text. */
const mostCandidates = 20;

function isBetter(mended: Yaml, fault: YamlFault): boolean {
  if ("values" in mended) return true;
  return mended.line > fault.line || (/quoted scalar/.test(fault.reason) && !/quoted scalar/.test(mended.reason));
}

/** A quote that begins a value on a line and is not closed on it. */
function openQuote(line: string): OpenMark | undefined {
  const begins = /(?:^\s*|[-:?]\s+|[[{,]\s*)(["'])/g;
  for (let found = begins.exec(line); found; found = begins.exec(line)) {
    const [whole, quote = ""] = found;
    const start = found.index + whole.length;
    const end = closingOf(quote, line, start);
    if (end === undefined) return { mark: quote, closing: quote, column: start - 1, end: line.length };
    begins.lastIndex = end;
  }
  return undefined;
}

function closingOf(quote: string, line: string, start: number): number | undefined {
  const rest = quote === '"' ? /^(?:[^"\\]|\\.)*"/.exec(line.slice(start)) : /^(?:[^']|'')*'/.exec(line.slice(start));
  return rest ? start + rest[0].length : undefined;
}

/** The last bracket of a line that it does not close. */
function openBracket(line: string): OpenMark | undefined {
  const open: { readonly mark: string; readonly column: number }[] = [];
  let end = line.length;
  for (const { 0: mark, index } of line.matchAll(tokens)) {
    if (mark === "[" || mark === "{") open.push({ mark, column: index });
    else if (mark === "]" || mark === "}") open.pop();
    else if (mark.includes("#") && /^\s/.test(mark)) end = index;
  }
  const [last] = open.slice(-1);
  return last && { ...last, closing: last.mark === "[" ? "]" : "}", end };
}

/** Quoted values, comments, brackets that begin a value, and those that end one. */
const tokens = /"(?:[^"\\]|\\.)*"|'[^']*'|\s#.*|(?<=^|[-:,[{]\s*)[[{]|[\]}]/g;

/** A part of a manifest's text that contains at most one document. */
export interface Part {
  readonly text: string;
  /** Offset in the file. */
  readonly from: number;
  readonly linesBefore: number;
  /** Index of the document, from 0 and without empty ones; undefined for an empty one. */
  readonly document: number | undefined;
}

/**
 * Splits a text into documents without parsing it: in YAML, no value may contain a document marker at the start of a line.
 * Undefined for the few texts that need a parser to find the ends of documents.
 */
export function documentParts(text: string): readonly Part[] | undefined {
  if (otherwise.test(text)) return undefined;
  const parts: Part[] = [];
  let [from, linesBefore, documents] = [0, 0, 0];
  for (const to of [...markersIn(text), text.length]) {
    const own = text.slice(from, to);
    const document = isEmpty(own) ? undefined : documents++;
    if (own !== "") parts.push({ text: own, from, linesBefore, document });
    linesBefore += own.split("\n").length - 1;
    from = to;
  }
  return parts;
}

/** Document end markers, directives, indented markers, unusual line breaks, and values that may be empty. */
const otherwise =
  /(?:^|\n)(?:\.\.\.|%|[ \t]+---)|\r(?!\n)|[\x85\u2028\u2029\ufeff]|(?:^|\n)(?:--- *)?(?:~|null|[!&*])/i;

function isEmpty(text: string): boolean {
  return text
    .replace(/^---/, "")
    .split("\n")
    .every((line) => /^[ \t\r]*(?:#|$)/.test(line));
}

function markersIn(text: string): readonly number[] {
  return [...text.matchAll(/\n---(?=[ \t\r\n]|$)/g)].map(({ index }) => index + 1);
}

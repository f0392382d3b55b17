/** A stretch of a manifest's text that one document, or none, stands in. */
export interface Part {
  readonly text: string;
  /** Where it begins in the whole. */
  readonly from: number;
  readonly linesBefore: number;
  /** Which document it is, counted from 0 without the empty ones; undefined for an empty one. */
  readonly document: number | undefined;
}

/**
 * The documents of a text without parsing them: nothing in YAML may contain a document marker at the start of its line.
 * Undefined for the few texts in which documents are parted otherwise.
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

/** Ends of documents, directives, indented markers, line breaks beside the common ones, and values that may be empty. */
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

import { globFault, globFolder, globMatcher } from "../base/glob.ts";
import { memoized } from "../base/memoize.ts";
import { bareName, idFault, idIn, isId, type Owner, ownerName, ownerOfName } from "../model/owner.ts";

/**
 * A parsed line of `projects`, `groups` or `except`. Selectors of groups end in a slash like the names of groups, so no
 * selector matches both.
 */
export type Selector =
  | { readonly form: "id"; readonly written: string; readonly id: number }
  | { readonly form: "path"; readonly written: string; readonly path: string }
  | GlobSelector;

export interface GlobSelector {
  readonly form: "glob";
  readonly written: string;
  readonly literal: number;
  /** The folder, in lower case, that contains everything it can match; `""` for the root. */
  readonly base: string;
  readonly matches: (path: string) => boolean;
}

/** Parses a line: digits are an ID, a wildcard makes a glob, and paths are case-insensitive. */
export function selectorOf(line: string | number, owner: Owner = "project"): Selector {
  const written = ownerName(owner, String(line));
  const text = bareName(written);
  if (isId(text)) return { form: "id", written, id: idIn(text) };
  if (!/[*?[\]{}]/.test(text)) return { form: "path", written, path: written.toLowerCase() };
  return globOf(written);
}

const globOf = memoized((written: string): GlobSelector => {
  const text = bareName(written);
  const owner = ownerOfName(written);
  const matches = globMatcher(text, { crossing: false, cased: false, dots: true });
  return {
    form: "glob",
    written,
    literal: literalLength(text),
    base: globFolder(text.toLowerCase()),
    matches: (path) => ownerOfName(path) === owner && matches(bareName(path)),
  };
});

/** `{a,bc}` counts as its shortest alternative; `[abc]`, `?` and `*` count as zero. */
function literalLength(glob: string): number {
  const shortest = glob.replace(/\{([^{}]*)\}/g, (_, inner: string) =>
    inner.split(",").reduce((a, b) => (plainLength(b) < plainLength(a) ? b : a)),
  );
  return plainLength(shortest);
}

function plainLength(glob: string): number {
  const lastClosing = glob.lastIndexOf("]");
  let length = 0;
  for (let at = 0; at < glob.length; at++) {
    if (glob[at] === "[" && at < lastClosing) at = glob.indexOf("]", at);
    else if (!/[*?\\]/.test(glob[at] ?? "")) length++;
  }
  return length;
}

/** Completes "expected …" for an invalid line of `projects`, `groups`, `except` or `canary`; undefined for a valid one. */
export function selectorFault(written: string | number): string | undefined {
  return idFault(written) ?? (selectorOf(written).form === "glob" ? globFault(String(written)) : undefined);
}

/**
 * True if a selector certainly matches everything that another matches. For globs only literals and stars are
 * supported: each star of the other is tried empty, short and long, with a character that only a star matches.
 */
export function covers(selector: Selector, other: Selector): boolean {
  if (selector.form === "id" || other.form === "id") return selector.written === other.written;
  if (selector.written.toLowerCase() === other.written.toLowerCase()) return true;
  if (selector.form === "path") return false;
  if (other.form === "path") return selector.matches(other.path);
  const [, folder] = /^((?:[^*?[\]{}\\]+\/)?)\*\*\/?$/.exec(selector.written.toLowerCase()) ?? [];
  if (folder !== undefined && ownerOfName(selector.written) === ownerOfName(other.written))
    return `${other.base}/`.startsWith(folder);
  return [selector, other].every(isPlainGlob) && listSamples(other.written).every((path) => selector.matches(path));
}

/** True if a selector may match something that a glob matches too. */
export function mayMeet(selector: Selector, glob: Selector): boolean {
  if (glob.form !== "glob") return true;
  if (selector.form !== "glob") return selector.form === "id" || glob.matches(selector.path);
  const isWithin = (base: string, folder: string) => folder === "" || `${base}/`.startsWith(`${folder}/`);
  return isWithin(selector.base, glob.base) || isWithin(glob.base, selector.base);
}

/** More stars would need too many samples. */
const mostStars = 4;

function isPlainGlob({ written }: GlobSelector): boolean {
  return !/[?[\]{}\\]/.test(written) && (written.match(/\*+/g) ?? []).length <= mostStars;
}

/** Paths that a glob of literals and stars matches. */
function listSamples(written: string): readonly string[] {
  const [, before = "", star, after = ""] = /^(.*?)(\/?\*+)(.*)$/s.exec(written) ?? [];
  if (star === undefined) return [written];
  const [slash, stars] = star.startsWith("/") ? ["/", star.slice(1)] : ["", star];
  const isSegment = (slash !== "" || before === "" || before.endsWith("/")) && (after === "" || after.startsWith("/"));
  const deep = stars.length > 1 && isSegment ? ["\t/\t", "\t/\t/\t/\t/\t"].map((path) => slash + path) : [];
  const none = isSegment ? (stars.length > 1 && slash !== "" && before !== "" ? [""] : []) : [slash];
  return [...none, `${slash}\t`, `${slash}\t\t\t`, ...deep].flatMap((path) => {
    return listSamples(after).map((rest) => before + path + rest);
  });
}

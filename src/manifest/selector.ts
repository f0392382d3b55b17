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
 * True if a selector certainly matches everything that another matches. Of globs, only `folder/**` and `folder/*` are
 * known to match all below, and all directly in, their folder.
 */
export function covers(selector: Selector, other: Selector): boolean {
  if (selector.form === "id" || other.form === "id") return selector.written === other.written;
  const [wide, narrow] = [selector.written.toLowerCase(), other.written.toLowerCase()];
  if (wide === narrow) return true;
  if (selector.form === "path") return false;
  if (other.form === "path") return selector.matches(other.path);
  const [, folder, stars] = /^((?:[^*?[\]{}\\]+\/)?)(\*\*?)\/?$/.exec(wide) ?? [];
  if (folder === undefined || ownerOfName(wide) !== ownerOfName(narrow)) return false;
  if (stars === "**") return `${other.base}/`.startsWith(folder);
  return narrow.startsWith(folder) && /^(?:(?!\*\*)[^/])+\/?$/.test(narrow.slice(folder.length));
}

/** True if a selector may match something that a glob matches too. */
export function mayMeet(selector: Selector, glob: Selector): boolean {
  if (glob.form !== "glob") return true;
  if (selector.form !== "glob") return selector.form === "id" || glob.matches(selector.path);
  const isWithin = (base: string, folder: string) => folder === "" || `${base}/`.startsWith(`${folder}/`);
  return isWithin(selector.base, glob.base) || isWithin(glob.base, selector.base);
}

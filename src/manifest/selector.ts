import { globFault, globFolder, globMatcher } from "../base/glob.ts";
import { memoized } from "../base/memoize.ts";
import { bareName, type Owner, ownerName, ownerOfName } from "../model/owner.ts";
import { idFault, idIn, isId } from "../model/project-id.ts";

/**
 * A parsed line of `projects`, `groups` or `except`. Everything of one that selects groups has a slash at the end, as the
 * names of groups have: no selector matches both.
 */
export type Selector =
  | { readonly form: "id"; readonly written: string; readonly id: number }
  | { readonly form: "path"; readonly written: string; readonly path: string }
  | GlobSelector;

export interface GlobSelector {
  readonly form: "glob";
  readonly written: string;
  /** Number of literal characters: a higher number is more specific. */
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

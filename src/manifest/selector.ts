import { globFault, globFolder, globMatcher } from "../base/glob.ts";
import { memoized } from "../base/memoize.ts";
import { idFault, idIn, isId } from "../model/project-id.ts";

/** A line of `projects` or `except`, understood once. */
export type Selector =
  | { readonly form: "id"; readonly written: string; readonly id: number }
  | { readonly form: "path"; readonly written: string; readonly path: string }
  | GlobSelector;

export interface GlobSelector {
  readonly form: "glob";
  readonly written: string;
  /** Number of characters that are no wildcards: the more, the more specific. */
  readonly literal: number;
  /** The folder, in lower case, below which everything stands that it can match; `""` for anywhere. */
  readonly base: string;
  readonly matches: (path: string) => boolean;
}

/** A string of digits is an ID; anything with a wildcard is a glob; case does not count in paths. */
export function selectorOf(written: string | number): Selector {
  const text = String(written);
  if (isId(text)) return { form: "id", written: text, id: idIn(text) };
  if (!/[*?[\]{}]/.test(text)) return { form: "path", written: text, path: text.toLowerCase() };
  return globOf(text);
}

const globOf = memoized(
  (written: string): GlobSelector => ({
    form: "glob",
    written,
    literal: literalLength(written),
    base: globFolder(written.toLowerCase()),
    matches: globMatcher(written, { crossing: false, cased: false, dots: true }),
  }),
);

/** `{a,bc}` counts as its shortest alternative, `[abc]`, `?` and `*` as nothing. */
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

/** What is wrong with a line of `projects`, `except` or `canary`, in words that complete "expected …". */
export function selectorFault(written: string | number): string | undefined {
  return idFault(written) ?? (selectorOf(written).form === "glob" ? globFault(String(written)) : undefined);
}

import picomatch from "picomatch";

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
  if (/^\d+$/.test(text)) return { form: "id", written: String(Number(text)), id: Number(text) };
  if (!/[*?[\]{}]/.test(text)) return { form: "path", written: text, path: text.toLowerCase() };
  return globOf(text);
}

const globs = new Map<string, GlobSelector>();

function globOf(written: string): GlobSelector {
  const known = globs.get(written);
  if (known) return known;
  const glob = compile(written);
  globs.set(written, glob);
  return glob;
}

function compile(written: string): GlobSelector {
  const matches = picomatch(written, { nocase: true, dot: true, noextglob: true, nonegate: true });
  const { base, isGlob } = picomatch.scan(written.toLowerCase(), { noext: true, nonegate: true });
  return {
    form: "glob",
    written,
    literal: literalLength(written),
    base: isGlob ? base : "",
    matches: (path) => matches(path),
  };
}

/** `{a,bc}` counts as its shortest alternative, `[abc]`, `?` and `*` as nothing. */
function literalLength(glob: string): number {
  const shortest = glob.replace(/\{([^{}]*)\}/g, (_, inner: string) =>
    inner.split(",").reduce((a, b) => (literalLength(b) < literalLength(a) ? b : a)),
  );
  return shortest.replace(/\[[^\]]*\]|[*?\\]/g, "").length;
}

type Re2 = typeof import("re2js")["RE2JS"];

let load: (() => Re2) | undefined;

/** Says how RE2JS is loaded, which few runs need: the patterns of bundled schemas were compiled when the program was built. */
export function useRe2(loadRe2: () => Re2): void {
  load = loadRe2;
}

interface Pattern {
  readonly test: (text: string) => boolean;
  /** Its text, by which Ajv tells patterns apart. */
  readonly toString: () => string;
}

/**
 * A regular expression that takes time linear in a text; undefined for one that has to backtrack, or is none. @throws
 * RangeError if an entry point does not say how RE2JS is loaded.
 */
export function linearPattern(text: string): Pattern | undefined {
  if (!load) throw new RangeError("nothing says how RE2JS is loaded");
  const re2 = load();
  try {
    const compiled = re2.compile(re2.translateRegExp(text));
    return { test: (each) => compiled.matcher(each).find(), toString: () => text };
  } catch {
    return undefined;
  }
}

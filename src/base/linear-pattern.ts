import { RE2JS } from "re2js";

interface Pattern {
  readonly test: (text: string) => boolean;
  /** Its text, by which Ajv tells patterns apart. */
  readonly toString: () => string;
}

/** A regular expression that takes time linear in a text; undefined for one that has to backtrack, or is invalid. */
export function linearPattern(text: string): Pattern | undefined {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(text));
    return { test: (each) => compiled.matcher(each).find(), toString: () => text };
  } catch {
    return undefined;
  }
}

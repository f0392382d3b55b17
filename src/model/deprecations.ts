import text from "../../schemas/deprecations.json" with { type: "json" };
import { compareReleases } from "./releases.ts";

/** A sub-item of the spec's planned removals (docs/api.md#removals), or a later one of the platform's own schedule. */
export interface Deprecation {
  readonly id: string;
  readonly release: string;
  readonly removal_date: string | null;
  /** The release that announced it: the scan finds uses from then on. Omitted: always. */
  readonly announced?: string;
  /** A clause without a period, such as "the keyword type in CI/CD configuration is removed". */
  readonly change: string;
  /** Advice in the imperative; null if the specification names no replacement. */
  readonly replacement: string | null;
  /** The ways to detect uses; null if files contain none. */
  readonly detect: readonly Detection[] | null;
}

export interface Hint extends Omit<Deprecation, "release" | "removal_date"> {
  /** The first release with the replacement. */
  readonly since?: string;
}

/** One way to detect uses: `in` selects the files, `by` the interpreter, and the rest are its options. */
export type Detection =
  | YamlDetection
  | TomlDetection
  | GraphqlDetection
  | RestDetection
  | CallDetection
  | TextDetection
  | ArgumentDetection
  | CommandDetection
  | VariableDetection
  | ManifestDetection;

interface Detecting<By extends string> {
  readonly in: string;
  readonly by: By;
  /** Reported as a hint only: still accepted after the removal, with another meaning. */
  readonly hint?: boolean;
  /** The first release in which a rewritten file works. */
  readonly since?: string;
}

/** A key or value at a path of a YAML file; all given conditions must hold. */
export interface YamlDetection extends Detecting<"yaml"> {
  /** Segments by `/`, alternatives by `|`; `*` is any one, `**` any number, `@job` a job of a CI/CD configuration. */
  readonly path: string;
  readonly is?: "scalar" | "list" | "mapping";
  readonly longer?: number;
  readonly equals?: readonly string[];
  readonly matches?: string;
  readonly has?: readonly string[];
  readonly only?: readonly string[];
  /** Sibling keys, and patterns that their values match. */
  readonly beside?: Readonly<Record<string, string>>;
  /** None of these keys of the mapping has one of these values; no values means any. */
  readonly unless?: Readonly<Record<string, readonly string[]>>;
  /** The mapping's values are mappings, one of them at one of these keys, and the first key is another one. */
  readonly startsWithout?: string;
  readonly any?: readonly string[];
  /** Mechanical fixes: the key's new name, the value's new text, a key to nest under. */
  readonly rename?: string;
  /** The old key takes effect only if the new one is not set in the merged pipeline. */
  readonly fallback?: boolean;
  readonly replace?: string;
  readonly nest?: string;
}

export interface TomlDetection extends Detecting<"toml"> {
  /** The name of an array of tables. */
  readonly each: string;
  readonly where: Readonly<Record<string, readonly string[]>>;
  readonly lacks: string;
  readonly allowed?: readonly string[];
}

export interface GraphqlDetection extends Detecting<"graphql"> {
  readonly field: string;
  /** Types that the field is selected on; omitted: any. */
  readonly on?: readonly string[];
  /** No other schema has a field of this name. */
  readonly unique?: boolean;
  readonly argument?: string;
  readonly values?: readonly string[];
  readonly replace?: string;
}

export interface RestDetection extends Detecting<"rest"> {
  /** Path templates below /api/v4; the whole path must match one. */
  readonly paths: readonly string[];
  readonly parameter?: string;
  readonly values?: readonly string[];
  readonly attribute?: string;
  readonly segment?: string;
  readonly replace?: string;
  /** The first release whose responses have the replacement. */
  readonly returned?: string;
}

export interface CallDetection extends Detecting<"call"> {
  readonly receiver: string;
  readonly names: readonly string[];
}

export interface TextDetection extends Detecting<"text"> {
  readonly matches: string;
}

/** An argument of a shell command that matches a pattern; interpolations are \u0001 characters. */
export interface ArgumentDetection extends Detecting<"argument"> {
  readonly commands?: readonly string[];
  readonly matches: string;
  readonly replace?: string;
  /** If nothing in the file matches it, a use is likely but not certain. */
  readonly near?: string;
  /** If a line still matches it after all replacements, the line is not rewritten. */
  readonly word?: string;
}

export interface CommandDetection extends Detecting<"command"> {
  readonly of: string;
  readonly word: string;
  readonly replace?: string;
}

/** An environment variable whose value is a comma-separated list with a word. */
export interface VariableDetection extends Detecting<"variable"> {
  readonly name: string;
  readonly lists: string;
  readonly drop?: boolean;
}

export interface ManifestDetection extends Detecting<"manifest"> {
  readonly rule: string;
  readonly values?: readonly string[];
  readonly replace?: string;
}

export const schedule = text.deprecations as readonly Deprecation[];

export const hints = text.hints as readonly Hint[];

/** A list of words as a set; other values as they are. */
type Words<Lists> = {
  readonly [Name in keyof Lists]: Lists[Name] extends readonly string[] ? ReadonlySet<string> : Lists[Name];
};

/** Vocabulary of the scanner; `schemas/deprecations.schema.json` describes each list. */
export const vocabulary = {
  ...{ files: wordsIn(text.files), ci: wordsIn(text.ci), yaml: wordsIn(text.yaml), shell: wordsIn(text.shell) },
  ...{ code: wordsIn(text.code), graphqlRoots: wordsIn(text.graphqlRoots) },
  graphql: text.graphql as readonly { readonly at: string; readonly is: string; readonly below?: readonly string[] }[],
  graphqlTypes: text.graphqlTypes as Readonly<Record<string, string>>,
};

function wordsIn<Lists extends object>(lists: Lists): Words<Lists> {
  const entries = Object.entries(lists).map(([name, words]) => [name, Array.isArray(words) ? new Set(words) : words]);
  return Object.fromEntries(entries) as Words<Lists>;
}

export function isAnnounced({ announced }: Pick<Deprecation, "announced">, reached: string): boolean {
  return announced === undefined || compareReleases(reached, announced) >= 0;
}

/** True if the removal is in effect in a release; false if no removal date is set. */
export function isRemoved({ release, removal_date }: Deprecation, reached: string): boolean {
  return removal_date !== null && compareReleases(reached, release) >= 0;
}

import type { Kind, Live, Plain, Project } from "../../model/types.ts";

/** The live state of one project. */
export interface FoundProject {
  readonly project: Project;
  /** Active resources of the project itself. */
  readonly live: readonly Live[];
  /** Resources that were not read, are off, or are inherited from the group. */
  readonly others: readonly Pick<Live, "kind" | "key" | "inherited">[];
  /** A message for each resource that could not be read. */
  readonly unread: readonly string[];
}

/**
 * The value that a policy will declare for one parameter: the server's value, text with an interpolation, or a blank
 * that the user has to fill in. The `reference` of a blank is set once all blanks are known.
 */
export type ImportedValue =
  | { readonly form: "value"; readonly value: Plain }
  | { readonly form: "template"; readonly text: string }
  | Blank;

/** A secret reference for any value that the server does not report. */
interface Blank {
  readonly form: "blank";
  readonly why: string;
  readonly reference: string;
  /** Blanks with the same number have the same value. */
  readonly same?: number;
}

/** One resource of a policy to be written. */
export interface ImportedEntry {
  readonly kind: Kind;
  readonly key: string;
  readonly fields: ReadonlyMap<string, ImportedValue>;
  /** A message for each thing that could not be read or declared. */
  readonly remarks: readonly string[];
}

/** The entries of one project. */
export interface ImportedProject {
  readonly project: Project;
  readonly entries: readonly ImportedEntry[];
  /** A message for each resource that was left out. */
  readonly remarks: readonly string[];
}

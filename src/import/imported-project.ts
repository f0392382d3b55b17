import type { Kind, Live, Project, Scalar } from "../model/types.ts";

/** What a server reported of one project. */
export interface FoundProject {
  readonly project: Project;
  /** Whatever is active and the project's own. */
  readonly live: readonly Live[];
  /** What is listed and was not read, is off, or is the group's. */
  readonly others: readonly Pick<Live, "kind" | "key" | "inherited">[];
  /** What could not be read, a sentence each. */
  readonly unread: readonly string[];
}

/**
 * What a policy will declare for one parameter: the value as the server has it, text with an interpolation, or a blank
 * that the user has to fill in. `reference` is given to a blank when all of them are known.
 */
export type ImportedValue =
  | { readonly form: "value"; readonly value: Scalar }
  | { readonly form: "template"; readonly text: string }
  | Blank;

/** A secret reference to be filled in; it may stand for any text that the server keeps to itself. */
interface Blank {
  readonly form: "blank";
  readonly why: string;
  readonly reference: string;
  /** Blanks with the same number stand for the same value. */
  readonly same?: number;
}

/** One resource of a policy to be written. */
export interface ImportedEntry {
  readonly kind: Kind;
  readonly key: string;
  readonly fields: ReadonlyMap<string, ImportedValue>;
  /** What could not be read or written of it, a sentence each. */
  readonly remarks: readonly string[];
}

/** What can be declared for one project, and what cannot. */
export interface ImportedProject {
  readonly project: Project;
  readonly entries: readonly ImportedEntry[];
  /** What was left out altogether, a sentence each. */
  readonly remarks: readonly string[];
}

import { grouped } from "../../base/grouped.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import type { Place, Platform, Problem } from "../../model/types.ts";
import type { SecretScope } from "../names.ts";
import type { Draft } from "../policy.ts";

/** What another tool's files declare for one integration of some projects, in the platform's names. */
export interface ForeignIntegration {
  readonly slug: string;
  /** Whether it has to be off; then its parameters do not count. */
  readonly isOff: boolean;
  readonly parameters: ReadonlyMap<string, ForeignValue>;
  readonly place: () => Place;
}

/** A value as it was parsed, or what stands where its value is not known. */
export interface ForeignValue {
  readonly value: unknown;
  readonly place: () => Place;
  /** What is written instead of a value, such as `var.hook`; the value does not count then. */
  readonly unknown?: string;
  /** What it means where true or false is expected, if not its literal value. */
  readonly truth?: boolean | undefined;
  /** That the tool itself calls it a secret. */
  readonly secret?: boolean;
}

/** Reports what was not imported, and why. */
export function notImported(place: Place | undefined, message: string): Problem {
  return { severity: "warning", rule: "not-imported", message, ...(place && { place }) };
}

/** A file that cannot be read as what it should be. */
export function unusable(place: Place | undefined, message: string): Problem {
  return { severity: "error", rule: "unreadable", message, ...(place && { place }) };
}

/** A text and its name as the user wrote it. */
export interface ForeignFile {
  readonly name: string;
  readonly text: string;
}

/** Policies that come to the same state as another tool's files, not yet written. */
export interface ForeignImport {
  readonly drafts: readonly Draft[];
  /** Errors where the files cannot be read, warnings of what was not imported. */
  readonly problems: readonly Problem[];
}

/** What to make of another tool's files. */
export interface ForeignChoice {
  readonly catalogue: Catalogue;
  readonly platform: Platform;
  readonly secrets: SecretScope;
}

/** Each problem once, where several things have it in common. */
export function distinctProblems(problems: readonly Problem[]): readonly Problem[] {
  return [...grouped(problems, ({ place, message }) => JSON.stringify([place, message])).values()].flatMap(
    ([first]) => first ?? [],
  );
}

import { grouped } from "../../base/grouped.ts";
import { counted } from "../../base/text-format.ts";
import { type Catalogue, catalogueOf } from "../../model/catalogue.ts";
import { importedSections } from "../../model/kinds.ts";
import type { Place, Platform, Problem } from "../../model/types.ts";
import type { SecretScope } from "../names.ts";
import type { Draft } from "../policy.ts";

/** An integration as another tool's files declare it, in the platform's names. */
export interface ForeignIntegration {
  readonly slug: string;
  /** Whether it has to be off; its parameters are then ignored. */
  readonly isOff: boolean;
  readonly parameters: ReadonlyMap<string, ForeignValue>;
  readonly place: () => Place;
}

/** A parsed value, or an expression of which the value is unknown. */
export interface ForeignValue {
  readonly value: unknown;
  readonly place: () => Place;
  /** An expression such as `var.hook`; the value is then ignored. */
  readonly unknown?: string;
  /** Its meaning as a boolean, if not its literal value. */
  readonly truth?: boolean | undefined;
  /** Whether the tool itself marks it as a secret. */
  readonly secret?: boolean;
}

/** Reports what was not imported, and why. */
export function notImported(place: Place | undefined, message: string): Problem {
  return { severity: "warning", rule: "not-imported", message, ...(place && { place }) };
}

/** A file that cannot be parsed. */
export function unusable(place: Place | undefined, message: string): Problem {
  return { severity: "error", rule: "unreadable", message, ...(place && { place }) };
}

/** A file, named as the user wrote it. */
export interface ForeignFile {
  readonly name: string;
  readonly text: string;
}

/** Policies with the same desired state as another tool's files, not yet written. */
export interface ForeignImport {
  readonly drafts: readonly Draft[];
  /** Errors for unreadable files, warnings for what was not imported. */
  readonly problems: readonly Problem[];
}

/** Options for importing another tool's files. */
export interface ForeignChoice {
  readonly catalogue: Catalogue;
  readonly platform: Platform;
  readonly secrets: SecretScope;
}

/** Something in another tool's files that policies are not about. */
export interface NamedPlace {
  readonly name: string;
  readonly place: () => Place;
}

/** Reports each name once, at its first location, with the number of its occurrences. */
export function reportUnsupported(others: readonly NamedPlace[], noun: "section" | "resource"): readonly Problem[] {
  return [...grouped(others, ({ name }) => name)].flatMap(([name, found]) => {
    const message = `${name} is left out (${counted(found.length, noun)}): policies are about ${importedSections(catalogueOf())}`;
    return found.slice(0, 1).map(({ place }) => notImported(place(), message));
  });
}

/** Removes duplicates. */
export function distinctProblems(problems: readonly Problem[]): readonly Problem[] {
  return [...grouped(problems, ({ place, message }) => JSON.stringify([place, message])).values()].flatMap(
    ([first]) => first ?? [],
  );
}

import { UserError } from "../base/exit.ts";
import { type Catalogue, catalogueOf } from "./catalogue.ts";
import { comparable } from "./field-meaning.ts";
import type { KindExpressions } from "./kind-row.ts";
import { kindOf } from "./kinds.ts";
import type { ResourceKind } from "./resource-kind.ts";
import type { Change, Fields, Plain, PolicyEffect } from "./types.ts";
import { replaceReferences } from "./values.ts";

type Visible = Pick<Change, "kind" | "before" | "after">;

/**
 * Whether a change tightens or loosens a policy, by the expressions of its kind; one that does both loosens it. Undefined
 * if it does neither, or the kind is not a policy. The expressions must be loaded: by `withExpressions`, or by importing
 * the library.
 */
export function policyEffectOf(change: Visible, catalogue: Catalogue = catalogueOf()): PolicyEffect | undefined {
  const { file, expressions } = kindOf(catalogue, change.kind);
  if ((!file.loosened && !file.tightened) || (change.before === null && change.after === null)) return undefined;
  const given = {
    before: comparedOf(file, change.before, change.after),
    after: comparedOf(file, change.after, change.before),
  };
  if (holds(file.loosened, expressions, given)) return "loosened";
  return holds(file.tightened, expressions, given) ? "tightened" : undefined;
}

/** What cannot be evaluated might hold: an unknown effect must not pass for none. */
function holds(
  text: string | undefined,
  expressions: KindExpressions,
  given: Readonly<Record<string, unknown>>,
): boolean {
  if (text === undefined) return false;
  try {
    return expressions.valueOf(text, given) === true;
  } catch (error) {
    if (error instanceof UserError) return true;
    throw error;
  }
}

/** The fields of one side that the other has too, as values of requests; secrets are left out. */
function comparedOf(
  { fields }: ResourceKind,
  own: Fields | null,
  other: Fields | null,
): Readonly<Record<string, Plain>> | null {
  if (!own) return null;
  const compared: Record<string, Plain> = {};
  for (const [name, value] of Object.entries(own)) {
    const visible = other && !(name in other) ? undefined : replaceReferences(value, () => undefined);
    if (visible !== undefined) compared[name] = comparable(fields.properties[name] ?? {}, visible);
  }
  return compared;
}

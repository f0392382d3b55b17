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
 * The effect of a change by the policy expressions of its kind; `loosened` takes precedence. Undefined if there is
 * none, or the kind is not a policy. The expressions must be loaded: by `withExpressions`, or by importing the library.
 */
export function policyEffectOf(change: Visible, catalogue: Catalogue = catalogueOf()): PolicyEffect | undefined {
  const { file, expressions } = kindOf(catalogue, change.kind);
  if ((!file.loosened && !file.tightened) || (change.before === null && change.after === null)) return undefined;
  const given = {
    before: visibleFields(file, change.before, change.after),
    after: visibleFields(file, change.after, change.before),
  };
  if (isTrue(file.loosened, expressions, given)) return "loosened";
  return isTrue(file.tightened, expressions, given) ? "tightened" : undefined;
}

/** An expression that cannot be evaluated counts as true: an unknown effect must not pass for none. */
function isTrue(
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

/** The fields that both sides have, as values of requests, without secrets. */
function visibleFields(
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

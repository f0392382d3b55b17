import { objectOf } from "../../base/json.ts";
import { secretMark } from "../../base/known-secrets.ts";
import { schemeOf } from "../../manifest/secret-reference.ts";
import { type Comparison, worst } from "../../model/field-meaning.ts";
import type { Fields, Live, ReturnedMarks, SecretReference, Value } from "../../model/types.ts";
import { isList, isMapping, isReference, referencesWithin } from "../../model/values.ts";

/** Tests whether a field's secret has this mark (`secretMark`); undefined if its value is not available. */
export type IsMarked = (secret: SecretReference, mark: string, field: FieldAddress) => boolean | undefined;

interface FieldAddress {
  readonly address: string;
  readonly name: string;
}

/** Compares a field that is not readable by the marks of its returned secrets. */
export function compareMarks(
  value: Value,
  mark: string | ReturnedMarks | undefined,
  field: FieldAddress,
  isMarked: IsMarked = () => undefined,
): Comparison {
  if (typeof mark === "string") {
    const isSame = isReference(value) ? isMarked(value, mark, field) : secretMark(String(value)) === mark;
    return isSame === undefined ? "unverified" : isSame ? "same" : "different";
  }
  if (mark === undefined || !(isMapping(value) || isList(value))) return "unverified";
  const parts = Object.entries(value)
    .filter(([name, each]) => name in mark || referencesWithin(each).length > 0)
    .map(([name, each]) => compareMarks(each as Value, mark[name], field, isMarked));
  return worst(parts);
}

/** The reason why returned secrets could not be compared; undefined without any. */
export function whyNotCompared(
  fields: Fields,
  unverified: readonly string[],
  { returned = {} }: Live,
): string | undefined {
  const secrets = unverified.flatMap((name) => (name in returned ? referencesWithin(fields[name] ?? null) : []));
  const reasons = [...new Set(secrets.map(({ secret }) => describeMissing(secret)))];
  return reasons.length > 0 ? `not compared: ${reasons.join(", ")}` : undefined;
}

function describeMissing(secret: string): string {
  const { scheme, name } = schemeOf(secret);
  if (scheme === "env") return `${name} is not set`;
  return scheme === "file" ? `${name} cannot be read` : `${secret} is only asked for by apply, or with a ledger`;
}

/** The live values of fields; a reference without a name for returned secrets. */
export function visibleLive({ fields, returned = {} }: Live, names: readonly string[]): Fields {
  return objectOf(names, (name) => fields[name] ?? (name in returned ? { secret: "" } : null));
}

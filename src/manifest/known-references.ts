import { isObject, type JsonObject } from "../base/json.ts";
import { nearest } from "../base/nearest.ts";
import { propertyOf } from "../model/field-meaning.ts";
import type { Owner } from "../model/owner.ts";
import { type FieldSchema, isSingleton, type ResourceKind } from "../model/resource-kind.ts";
import type { Problem } from "../model/types.ts";
import { isScalar } from "../model/values.ts";
import type { Checkable } from "./kind-checks.ts";
import { sectionIn } from "./policy-text.ts";
import type { Path } from "./positions.ts";
import { problemAt } from "./problem.ts";
import { listed } from "./shape.ts";
import { factsOf, isTemplate, parseReference, referencesOf, referenceWords } from "./template.ts";

/** Checks all interpolations except those of variables, which are checked when policies are merged. */
export function knownReferences(policy: Checkable): readonly Problem[] {
  const { document, of } = policy;
  return interpolated(policy).flatMap(({ path, value }) =>
    [...new Set(referencesOf(value))]
      .filter((name) => !isKnownIn(of, name))
      .map((name) => problemAt("undefined-variable", unknownReference(name, of), { document, path })),
  );
}

function isKnownIn(owner: Owner, name: string): boolean {
  const reference = parseReference(name);
  return reference !== undefined && ("variable" in reference || factsOf[owner].includes(reference.project));
}

function unknownReference(name: string, owner: Owner): string {
  if (name.startsWith("${")) return "unclosed interpolation; write $${ for a literal ${";
  const near = parseReference(name) ? name.replace(/^\w+/, owner) : nearest(name, factsOf[owner]);
  const hint = near ? `did you mean \${${near}}?` : `expected one of ${referenceWords(owner)}`;
  const what = parseReference(name) ? `is not defined for ${owner}s` : "is not defined";
  return `\${${name}} ${what}; ${hint}`;
}

/** A string that is interpolated, and where it is. */
interface Interpolated {
  readonly path: Path;
  readonly value: string;
}

function interpolatedKeys(absent: readonly string[] | true | undefined, path: Path): readonly Interpolated[] {
  const keys = absent === true ? [] : listed(absent);
  return keys.flatMap(([value, index]) => (isTemplate(value) ? [{ path: [...path, index], value }] : []));
}

/** All strings of a policy that are interpolated: variables, parameters of resources, and secret references. */
function interpolated({ text, catalogue, files }: Checkable): readonly Interpolated[] {
  const found: Interpolated[] = [];
  for (const [name, value] of Object.entries(text.vars ?? {})) {
    if (isTemplate(value)) found.push({ path: ["vars", name], value });
  }
  for (const [slug, values] of Object.entries(text.integrations ?? {})) {
    const isSecret = (name: string) => catalogue.integrations.get(slug)?.parameters.get(name)?.secret ?? true;
    for (const [name, value] of Object.entries(values)) {
      if (isTemplate(value) && !isSecret(name)) found.push({ path: ["integrations", slug, name], value });
      const reference = isObject(value) ? value.secret : undefined;
      if (isTemplate(reference)) found.push({ path: ["integrations", slug, name, "secret"], value: reference });
    }
  }
  for (const { file, section } of files) {
    for (const each of interpolatedIn(file, sectionIn(text, section), [section])) found.push(each);
    for (const each of interpolatedKeys(text.absent?.[section], ["absent", section])) found.push(each);
  }
  return found;
}

/** All strings of a section that are interpolated. */
function interpolatedIn(file: ResourceKind, values: JsonObject | undefined, path: Path): readonly Interpolated[] {
  if (values === undefined) return [];
  if (isSingleton(file)) return inField(file.fields, values, path);
  const only = file.only === undefined ? undefined : file.fields.properties[file.only];
  const found: Interpolated[] = [];
  for (const key of Object.keys(values)) {
    const value = values[key];
    if (isTemplate(key)) found.push({ path: [...path, key], value: key });
    if (isScalar(value) && !isTemplate(value)) continue;
    for (const each of inField(isObject(value) ? file.fields : (only ?? {}), value, [...path, key])) found.push(each);
  }
  return found;
}

/** A literal secret is not interpolated. */
function inField(field: FieldSchema, value: unknown, path: Path): readonly Interpolated[] {
  if (isTemplate(value)) return field.writeOnly ? [] : [{ path, value }];
  if (Array.isArray(value)) return value.flatMap((each, index) => inField(field.items ?? {}, each, [...path, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => inField(propertyOf(field, name) ?? {}, each, [...path, name]));
}

import { linearPattern } from "../base/schema.ts";
import type { PolicyEntry } from "../manifest/entries.ts";
import type { Policy } from "../manifest/policies.ts";
import { problemAt } from "../manifest/problem.ts";
import { isTemplate } from "../manifest/template.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { FieldSchema } from "../model/resource-kind.ts";
import type { Fields, Problem } from "../model/types.ts";
import { isReference } from "../model/values.ts";
import type { Secrets } from "../secrets/secrets.ts";

/** Problems of available secrets that the server would refuse to mask. Messages contain no value. */
export function secretFormProblems(
  policies: readonly Policy[],
  catalogue: Catalogue,
  secrets: Pick<Secrets, "known">,
): readonly Problem[] {
  return policies.flatMap(({ entries }) => entries.flatMap((entry) => entryProblems(entry, catalogue, secrets)));
}

function entryProblems(
  { desired: { kind, fields }, document, path }: PolicyEntry,
  { kinds }: Catalogue,
  secrets: Pick<Secrets, "known">,
): readonly Problem[] {
  const properties = kinds.get(kind)?.file.fields.properties ?? {};
  return Object.entries(fields).flatMap(([name, reference]) => {
    const form = requiredForm(properties[name], fields);
    if (!form || !isReference(reference) || isTemplate(reference.secret)) return [];
    const value = secrets.known(reference);
    if (value === undefined || linearPattern(form.pattern)?.test(value) !== false) return [];
    const message = `the server would refuse the value of ${reference.secret}: expected ${form.expected}`;
    return [problemAt("secret-form", message, { document, path: [...path, name] })];
  });
}

function requiredForm(field: FieldSchema | undefined, beside: Fields) {
  const { "x-secret-with": flags = [], "x-secret-forms": forms = [] } = field ?? {};
  if (!flags.some((flag) => beside[flag] === true)) return undefined;
  return forms.find(({ with: sibling }) => sibling === undefined || beside[sibling] === true);
}

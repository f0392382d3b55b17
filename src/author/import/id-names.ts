import type { Catalogue } from "../../model/catalogue.ts";
import { mapScalars } from "../../model/field-meaning.ts";
import { kindOf, type PolicyKind, policyKinds } from "../../model/kinds.ts";
import { lookUpTemplates } from "../../model/look-ups.ts";
import { ownerOfName } from "../../model/owner.ts";
import type { FieldSchema } from "../../model/resource-kind.ts";
import type { Kind, Live, Plain, Project, Value } from "../../model/types.ts";

/** The kinds of a project whose resources fields name by ID: a replacement gives a resource another ID. */
export function listNamedKinds(live: readonly Live[], project: Project, catalogue: Catalogue): readonly PolicyKind[] {
  const kinds = new Set(live.map(({ kind }) => kind));
  const templates = new Set([...kinds].flatMap((kind) => lookUpTemplates(kindOf(catalogue, kind).file)));
  return policyKinds(catalogue, ownerOfName(project.name)).filter(({ kind }) => {
    const template = lookUpTemplate(kind, catalogue);
    return template !== undefined && templates.has(template);
  });
}

/** The look-up that turns keys of a kind into IDs; undefined for a kind without a list. */
function lookUpTemplate(kind: Kind, catalogue: Catalogue): string | undefined {
  const { read } = kindOf(catalogue, kind);
  return read && !read.isSingle ? `GET ${read.list.path}/:value` : undefined;
}

/** A value with names in place of the IDs of these resources. */
export function withNames(field: FieldSchema, value: Value, named: readonly Live[], catalogue: Catalogue): Value {
  return mapScalars(field, value, ({ "x-lookup": template, "x-field": of = "id" }, each): Plain => {
    if (template === undefined || typeof each !== "number") return each;
    const isMeant = ({ kind, row }: Live) => row?.[of] === each && lookUpTemplate(kind, catalogue) === template;
    return named.find(isMeant)?.key ?? each;
  });
}

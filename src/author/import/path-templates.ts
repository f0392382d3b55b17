import { interpolate } from "../../manifest/template.ts";
import { bareName, ownerOfName } from "../../model/owner.ts";
import type { Project } from "../../model/types.ts";
import type { ImportedEntry, ImportedValue } from "./imported-project.ts";
import { literal } from "./policy.ts";

/** Replaces the project's own path by an interpolation. */
export function withPathTemplates(entry: ImportedEntry, project: Project): ImportedEntry {
  const fields = [...entry.fields].map(([name, stated]): [string, ImportedValue] => [
    name,
    stated.form === "value" ? withoutPath(stated, project) : stated,
  ]);
  return { ...entry, fields: new Map(fields) };
}

/** Only for the exact path of the server, with a slash. */
function withoutPath(stated: Extract<ImportedValue, { form: "value" }>, project: Project): ImportedValue {
  const { id } = project;
  const path = bareName(project.path ?? "");
  const fact = `${ownerOfName(project.name)}.path`;
  const { value } = stated;
  if (typeof value !== "string" || id === undefined || !path.includes("/") || !value.includes(path)) return stated;
  const text = value
    .split(path)
    .map((part) => literal(part))
    .join(`\${${fact}}`);
  const back = interpolate(text, (name) => (name === fact ? { value: path } : "faulty"));
  return typeof back === "object" && back.value === value ? { form: "template", text } : stated;
}

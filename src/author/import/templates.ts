import { interpolate } from "../../manifest/template.ts";
import { bareName, ownerOfName } from "../../model/owner.ts";
import type { Project } from "../../model/types.ts";
import { type ImportedEntry, type ImportedValue, literal } from "./policy.ts";

/** Replaces the path of the project in texts by an interpolation. Only for the exact path of the server, with a slash. */
export function withTemplates(entry: ImportedEntry, project: Project): ImportedEntry {
  const path = bareName(project.path ?? "");
  if (project.id === undefined || !path.includes("/")) return entry;
  const reference = `\${${ownerOfName(project.name)}.path}`;
  const fields = [...entry.fields].map(([name, stated]): [string, ImportedValue] => [
    name,
    stated.form === "value" ? withReference(stated, path, reference) : stated,
  ]);
  return { ...entry, fields: new Map(fields) };
}

type StatedValue = Extract<ImportedValue, { form: "value" }>;

function withReference(stated: StatedValue, path: string, reference: string): ImportedValue {
  const { value } = stated;
  if (typeof value !== "string" || !value.includes(path)) return stated;
  const text = value.split(path).map(literal).join(reference);
  const back = interpolate(text, () => ({ value: path }));
  return typeof back === "object" && back.value === value ? { form: "template", text } : stated;
}

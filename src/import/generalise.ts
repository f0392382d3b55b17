import { interpolate } from "../manifest/template.ts";
import type { Project } from "../model/types.ts";
import type { ImportedEntry, ImportedValue } from "./imported.ts";
import { literal } from "./policy.ts";

/** The entry with the project's own path as an interpolation; undefined if it has a blank, which may differ by project. */
export function generalise(entry: ImportedEntry, project: Project): ImportedEntry | undefined {
  const fields = new Map<string, ImportedValue>();
  for (const [name, stated] of entry.fields) {
    if (stated.form === "blank") return undefined;
    fields.set(name, stated.form === "value" ? withoutPath(stated, project) : stated);
  }
  return { ...entry, fields };
}

/** Only a path as the server spells it, and one that is not just any word. */
function withoutPath(stated: Extract<ImportedValue, { form: "value" }>, { path = "", id }: Project): ImportedValue {
  const { value } = stated;
  if (typeof value !== "string" || id === undefined || !path.includes("/") || !value.includes(path)) return stated;
  const text = value
    .split(path)
    .map((part) => literal(part))
    .join("${project.path}");
  const back = interpolate(text, (name) => (name === "project.path" ? { value: path } : "faulty"));
  return typeof back === "object" && back.value === value ? { form: "template", text } : stated;
}

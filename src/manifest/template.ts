import { memoized } from "../base/memoize.ts";
import { nearest } from "../base/nearest.ts";
import { type NamedOwner, type Owner, pluralOwner } from "../model/owner.ts";
import type { Problem, Scalar } from "../model/types.ts";
import { type ManifestLocation, problemAt } from "./problem.ts";

/** A reference's value, or the reason why it has none: it is not known yet, or a problem was reported. */
export type Resolved = { readonly value: Scalar } | "unknown" | "faulty";

export function isTemplate(value: unknown): value is string {
  return typeof value === "string" && value.includes("${");
}

const templateOf = memoized((text: string): readonly (string | { readonly name: string })[] => {
  const parts = text.split(/(\$\$\{|\$\{[^}]*\}?)/).filter((part) => part !== "");
  return parts.map((part) => {
    if (!part.startsWith("${")) return part === "$${" ? "${" : part;
    // An unclosed interpolation keeps its `${`, which no name starts with.
    return { name: part.endsWith("}") ? part.slice(2, -1).trim() : part };
  });
});

export function referencesOf(text: string): readonly string[] {
  return templateOf(text).flatMap((part) => (typeof part === "string" ? [] : [part.name]));
}

/** Maximum length of a value. Without it, variables that repeat each other could exhaust memory. */
export const longestText = 65_536;

/** Interpolates a string. A single interpolation keeps the type of its value; other results are text, which may be too long. */
export function interpolate(text: string, resolve: (name: string) => Resolved): Resolved | "long" {
  const template = templateOf(text);
  const [only] = template;
  if (template.length === 1 && typeof only === "object") {
    const found = resolve(only.name);
    return typeof found === "object" ? { value: found.value ?? "" } : found;
  }
  let joined = "";
  let missing: "faulty" | "unknown" | undefined;
  for (const part of template) {
    const found = typeof part === "string" ? undefined : resolve(part.name);
    if (typeof found === "string") missing = missing === "faulty" ? missing : found;
    else if (joined.length <= longestText) joined += found ? (found.value ?? "") : part;
  }
  return missing ?? (joined.length > longestText ? "long" : { value: joined });
}

const ownFacts = ["path", "name", "id"] as const;

export type ProjectFact = `${NamedOwner}.${(typeof ownFacts)[number]}`;

export const factsOf: Readonly<Record<Owner, readonly ProjectFact[]>> = {
  project: ownFacts.map((fact) => `project.${fact}` as const),
  group: ownFacts.map((fact) => `group.${fact}` as const),
  instance: [],
};

export const parseReference = memoized(
  (name: string): { readonly variable: string } | { readonly project: ProjectFact } | undefined => {
    const variable = /^vars\.([A-Za-z_][A-Za-z0-9_-]*)$/.exec(name)?.[1];
    if (variable !== undefined) return { variable };
    const known = [...factsOf.project, ...factsOf.group].find((each) => each === name);
    return known && { project: known };
  },
);

/** Problems of a text's references, except those of variables, which are checked when policies are merged. */
export function referenceProblems(text: unknown, owner: Owner, at: ManifestLocation): readonly Problem[] {
  if (!isTemplate(text)) return [];
  return [...new Set(referencesOf(text))].flatMap((name) => {
    const reference = parseReference(name);
    if (reference && ("variable" in reference || factsOf[owner].includes(reference.project))) return [];
    return [problemAt("undefined-variable", unknownReference(name, owner), at)];
  });
}

function unknownReference(name: string, owner: Owner): string {
  if (name.startsWith("${")) return "unclosed interpolation; write $${ for a literal ${";
  const isKnown = parseReference(name) !== undefined;
  const near = nearest(isKnown ? name.replace(/^\w+/, owner) : name, factsOf[owner]);
  const all = ["vars.NAME", ...factsOf[owner]].map((each) => `\${${each}}`).join(", ");
  const hint = near ? `did you mean \${${near}}?` : `expected one of ${all}`;
  return `\${${name}} ${isKnown ? `is not defined for ${pluralOwner(owner)}` : "is not defined"}; ${hint}`;
}

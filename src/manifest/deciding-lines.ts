import type { Catalogue } from "../model/catalogue.ts";
import { identityOf } from "../model/kinds.ts";
import { bareName } from "../model/owner.ts";
import type { Kind, Project, Resource } from "../model/types.ts";
import { lineOfField, type PolicyEntry, type Stated } from "./entries.ts";
import { entryInEffect } from "./layers.ts";
import type { Policy, Variable } from "./policies.ts";
import { decidingVariables } from "./precedence.ts";
import { isMatch, type Layer, matchingLayers } from "./selection.ts";
import { isTemplate, parseReference, referencesOf } from "./template.ts";

export interface DecidingLine {
  readonly line: Stated;
  /** As written in `projects`. */
  readonly selector: string;
}

export interface DecidingLines {
  readonly entry: DecidingLine & { readonly line: PolicyEntry };
  readonly parameters: readonly (DecidingLine & { readonly name: string })[];
  readonly variables: readonly (DecidingLine & { readonly line: Variable })[];
  /** Entries of less specific layers that the entry overrides, the most specific first. */
  readonly beaten: readonly DecidingLine[];
}

/** Undefined if no policy declares or disables the resource. */
export function decidingLines(
  catalogue: Catalogue,
  policies: readonly Policy[],
  project: Project,
  named: Pick<Resource, "kind" | "key">,
): DecidingLines | undefined {
  const layers = matchingLayers(policies, project);
  const entry = entryInEffect(layers, project, identityOf(catalogue, named));
  if (!entry) return undefined;
  const meant = (line: Stated) => findSelector(layers, line, project);
  const names = entry.setBy ? [...entry.setBy.keys()] : Object.keys(entry.written?.parameters ?? {});
  return {
    entry: { line: entry, selector: meant(entry) },
    parameters: names.map((name) => {
      const line = lineOfField(entry, name);
      return { name, line, selector: meant(line) };
    }),
    variables: [...collectVariables(entry, decidingVariables(layers).winners)].map((line) => ({
      line,
      selector: meant(line),
    })),
    beaten: layers
      .flatMap(({ policy }) => policy.entries)
      .filter((each) => each.desired.identity === entry.desired.identity && !isPartOf(each, entry))
      .map((line) => ({ line, selector: meant(line) })),
  };
}

function isPartOf(each: PolicyEntry, entry: PolicyEntry): boolean {
  return each === entry || [...(entry.setBy?.values() ?? [])].includes(each);
}

/** The `exclusive` line that disables unlisted resources; undefined if there is none. */
export function exclusiveLine(
  policies: readonly Policy[],
  project: Project,
  kind: Kind,
): (DecidingLine & { readonly policy: Policy }) | undefined {
  const layers = matchingLayers(policies, project);
  const policy = layers.map((layer) => layer.policy).find(({ exclusive }) => exclusive.has(kind));
  const origin = policy?.exclusive.get(kind);
  if (!policy || !origin) return undefined;
  const line = { policy: policy.name, document: policy.document, path: ["exclusive"], place: origin.place };
  return { policy, line, selector: findSelector(layers, line, project) };
}

export interface FieldLines {
  readonly variables: readonly Variable[];
  readonly elsewhere: Stated | undefined;
}

export function linesOfFields(
  catalogue: Catalogue,
  policies: readonly Policy[],
  project: Project,
  { fields, ...named }: Pick<Resource, "kind" | "key"> & { readonly fields: readonly string[] },
): readonly FieldLines[] {
  const layers = matchingLayers(policies, project);
  const entry = entryInEffect(layers, project, identityOf(catalogue, named));
  if (!entry) return [];
  const vars = decidingVariables(layers).winners;
  return fields.map((name) => {
    const line = lineOfField(entry, name);
    const variables = [...variablesBehind([writtenValue(entry, name)], vars)];
    return { variables, elsewhere: line.policy === entry.policy ? undefined : line };
  });
}

function writtenValue({ written, setBy, desired }: PolicyEntry, name: string): unknown {
  return setBy ? desired.fields[name] : written?.parameters[name];
}

function collectVariables(entry: PolicyEntry, vars: ReadonlyMap<string, Variable>): ReadonlySet<Variable> {
  return variablesBehind(listValues(entry), vars);
}

function variablesBehind(values: readonly unknown[], vars: ReadonlyMap<string, Variable>): ReadonlySet<Variable> {
  const found = new Set<Variable>();
  const waiting = [...values];
  for (const value of waiting) {
    for (const variable of listVariables(value).flatMap((name) => vars.get(name) ?? [])) {
      if (!found.has(variable)) waiting.push(variable.value);
      found.add(variable);
    }
  }
  return found;
}

function listValues({ written, setBy, desired }: PolicyEntry): unknown[] {
  return [desired.key, ...Object.values(setBy ? desired.fields : (written?.parameters ?? {}))];
}

function listVariables(value: unknown): readonly string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(listVariables);
  if (!isTemplate(value)) return [];
  return referencesOf(value).flatMap((name) => {
    const reference = parseReference(name);
    return reference && "variable" in reference ? [reference.variable] : [];
  });
}

function findSelector(layers: readonly Layer[], { document }: Stated, project: Project): string {
  const layer = layers.find(({ policy }) => policy.document === document);
  const matching = (layer?.policy.projects ?? []).filter((selector) => isMatch(selector, project));
  const [first] = matching.toSorted((a, b) => measureLiteral(b) - measureLiteral(a));
  return bareName(first?.written ?? "");
}

function measureLiteral(selector: Policy["projects"][number]): number {
  return selector.form === "glob" ? selector.literal : Number.MAX_SAFE_INTEGER;
}

import type { JsonObject } from "../base/json.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { identityOf } from "../model/kinds.ts";
import { bareName } from "../model/owner.ts";
import type { Kind, Project, Resource } from "../model/types.ts";
import { lineOfField, type PolicyEntry, type Stated } from "./entries.ts";
import { entryInEffect, rulingFor } from "./layers.ts";
import type { Policy, Variable } from "./policies.ts";
import { isMatch, type Layer, literalOf, matchingLayers } from "./selection.ts";
import { isTemplate, parseReference, referencesOf } from "./template.ts";

export interface DecidingLine {
  readonly line: Stated;
  /** As written in `projects`. */
  readonly selector: string;
}

/** Undefined if no policy declares or disables the resource. `beaten`: the entries that it overrides, by precedence. */
export function decidingLines(
  catalogue: Catalogue,
  policies: readonly Policy[],
  project: Project,
  named: Pick<Resource, "kind" | "key">,
) {
  const ruling = rulingFor(policies, project);
  const entry = entryInEffect(ruling, project, identityOf(catalogue, named));
  if (!entry) return undefined;
  const meant = (line: Stated) => findSelector(ruling.layers, line, project);
  const contest = ruling.contests.entries.get(entry.desired.identity);
  const variables = variablesBehind([entry.desired.key, writtenFields(entry)], ruling.vars);
  const names = entry.setBy ? [...entry.setBy.keys()] : Object.keys(entry.written?.parameters ?? {});
  return {
    entry: { line: entry, selector: meant(entry) },
    parameters: names.map((name) => {
      const line = lineOfField(entry, name);
      return { name, line, selector: meant(line) };
    }),
    variables: Array.from(variables, (line) => ({ line, selector: meant(line) })),
    beaten: (contest?.candidates ?? [])
      .filter(({ item }) => item !== entry && ![...(entry.setBy?.values() ?? [])].includes(item))
      .map(({ item }) => ({ line: item, selector: meant(item) })),
  };
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

export function linesOfFields(
  catalogue: Catalogue,
  policies: readonly Policy[],
  project: Project,
  { fields, ...named }: Pick<Resource, "kind" | "key"> & { readonly fields: readonly string[] },
): readonly { readonly variables: readonly Variable[]; readonly elsewhere: Stated | undefined }[] {
  const ruling = rulingFor(policies, project);
  const entry = entryInEffect(ruling, project, identityOf(catalogue, named));
  if (!entry) return [];
  return fields.map((name) => {
    const line = lineOfField(entry, name);
    const variables = [...variablesBehind([writtenFields(entry)[name]], ruling.vars)];
    return { variables, elsewhere: line.policy === entry.policy ? undefined : line };
  });
}

function writtenFields({ written, setBy, desired }: PolicyEntry): JsonObject {
  return setBy ? desired.fields : (written?.parameters ?? {});
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
  const [first] = matching.toSorted(
    (a, b) => Number(literalOf(b) > literalOf(a)) - Number(literalOf(a) > literalOf(b)),
  );
  return bareName(first?.written ?? "");
}

import { grouped, groupedAs } from "../../base/grouped.ts";
import { objectOf } from "../../base/json.ts";
import { compareTexts, takeName } from "../../base/text-format.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { isDestination } from "../../model/integration.ts";
import { fieldOf, identityOf } from "../../model/kinds.ts";
import { bareName, ownerOfName } from "../../model/owner.ts";
import type { Plain, Project, Value } from "../../model/types.ts";
import { isList, isMapping } from "../../model/values.ts";
import { blankNumber, type Draft, type ImportedEntry, type ImportedProject, isBlank, literal } from "./policy.ts";
import { withTemplates } from "./templates.ts";

/**
 * The file of the policy of a project or a group in the folder of policies. Names that a workspace ignores, and the name of
 * the workspace file, get an underscore.
 */
export function fileOf({ name }: Pick<Project, "name">): string {
  return `${bareName(name).split("/").map(toSegment).join("/")}.yaml`;
}

/** Gives each draft a separate file, also on case-insensitive file systems. */
export function withOwnFiles(drafts: readonly Draft[]): readonly Draft[] {
  const taken = new Set<string>();
  return drafts.map((draft) => ({ ...draft, file: `${takeName(draft.file.replace(/\.yaml$/, ""), taken)}.yaml` }));
}

/** Gives each draft a distinct name that is not taken. */
export function withOwnNames(drafts: readonly Draft[], others: Iterable<string> = []): readonly Draft[] {
  const taken = new Set([...others].map((name) => name.toLowerCase()));
  return drafts.map((draft) => ({ ...draft, name: takeName(draft.name, taken) }));
}

/** In characters: file systems limit names to 255 bytes, letters take up to three. Server paths may be as long. */
const longestSegment = 80;

function toSegment(segment: string): string {
  const safe = segment.replace(/[^\p{L}\p{N}._-]/gu, "_").replace(/^\./, "_");
  const plain = safe.slice(0, longestSegment).toWellFormed();
  return /^(?:node_modules|evenkeel|)$/i.test(plain) ? `_${plain}` : plain;
}

export type SecretScope = "by-project" | "by-group";

export function listVariables(documents: readonly { readonly value: unknown }[]): readonly string[] {
  const texts = documents.map(({ value }) => JSON.stringify(value) ?? "");
  return texts.flatMap((text) => Array.from(text.matchAll(/"env:(\w+)"/g), ([, name = ""]) => name));
}

/**
 * Converts values to those of manifests: every blank gets a separate reference, because hidden values may differ.
 * By group, the projects of a folder share the name of a secret that they send to the same destination.
 */
export function withReferences(
  imported: readonly ImportedProject[],
  naming: { readonly secrets?: SecretScope; readonly catalogue: Catalogue; readonly taken?: readonly string[] },
): readonly ImportedProject[] {
  const { secrets = "by-project", catalogue, taken: others = [] } = naming;
  const taken = new Set(others.map((name) => name.toLowerCase()));
  const shared = new Map<number, string>();
  const nameOf = secrets === "by-group" ? groupNames(imported, taken, catalogue) : () => undefined;
  return imported.map((each) => ({
    ...each,
    entries: each.entries.map((entry) => {
      const write = (name: string, value: Value, word = name): Value => {
        if (isList(value)) return value.map((item) => write(name, item, word) as Plain);
        if (isMapping(value))
          return objectOf(
            Object.keys(value),
            (part) => write(name, value[part] ?? null, String(value.key ?? word)) as Plain,
          );
        if (!isBlank(value)) return typeof value === "string" ? literal(value) : value;
        const number = value[blankNumber];
        const existing = number === undefined ? undefined : shared.get(number);
        const variable =
          existing ?? nameOf(each.project, entry, name) ?? unique([each.project.name, entry.key, word], taken);
        if (number !== undefined) shared.set(number, variable);
        return { ...value, secret: `env:${variable}` };
      };
      const writeAll = (fields: ImportedEntry["fields"]) =>
        new Map(Array.from(fields, ([name, value]) => [name, write(name, value)]));
      const { fields, defaults } = entry;
      return { ...entry, fields: writeAll(fields), ...(defaults && { defaults: writeAll(defaults) }) };
    }),
  }));
}

/** If projects of a folder send a secret to different destinations, only those with the commonest share a name. */
function groupNames(imported: readonly ImportedProject[], taken: Set<string>, catalogue: Catalogue) {
  const used = imported.flatMap(({ project, entries }) => entries.map((entry) => ({ project, entry })));
  const uses = groupedAs(used, ({ project, entry }) => {
    const use = identifyUse(catalogue, project, entry);
    return [use, use === undefined ? "" : findPlace(catalogue, project, entry)];
  });
  const common = new Map(
    Array.from(uses, ([use, each]) => {
      const places = grouped(each, (place) => place);
      const [most] = [...places].toSorted((a, b) => b[1].length - a[1].length || compareTexts(a[0], b[0]));
      return [use, most?.[0]] as const;
    }),
  );
  const names = new Map<string, string>();
  return (project: Project, entry: ImportedEntry, name: string) => {
    const use = identifyUse(catalogue, project, entry);
    if (!fieldOf(catalogue, entry, name)?.writeOnly || use === undefined) return undefined;
    if (common.get(use) !== findPlace(catalogue, project, entry)) return undefined;
    const key = JSON.stringify([use, name]);
    const known = names.get(key) ?? unique([findFolder(project), entry.key, name], taken);
    names.set(key, known);
    return known;
  };
}

/** Undefined for a project without a folder. */
function identifyUse(catalogue: Catalogue, project: Project, entry: ImportedEntry): string | undefined {
  const folder = findFolder(project);
  return folder === "" ? undefined : JSON.stringify([folder.toLowerCase(), identityOf(catalogue, entry)]);
}

function findFolder({ name }: Project): string {
  return name.split("/").slice(0, -1).join("/");
}

function findPlace(catalogue: Catalogue, project: Project, entry: ImportedEntry): string {
  const { fields } = withTemplates(entry, project);
  return JSON.stringify([...fields].filter(([name]) => isDestination(fieldOf(catalogue, entry, name) ?? {})));
}

function unique(parts: readonly string[], taken: Set<string>): string {
  const words = parts
    .join("_")
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_");
  return takeName(/^\d/.test(words) ? `_${words}` : words, taken, "_");
}

/** A policy for each project with anything to declare. */
export function draftsOf(imported: readonly ImportedProject[]): readonly Draft[] {
  return imported
    .map(draftOf)
    .filter(({ entries, remarks, disabled = [], absent = [], exclusive = [] }) =>
      [entries, remarks, disabled, absent, exclusive].some(({ length }) => length > 0),
    );
}

export function draftOf({ project, entries, remarks, more }: ImportedProject): Draft {
  const projects = [selectorFor(project)];
  return { file: fileOf(project), name: project.name, projects, except: [], heading: [], entries, remarks, ...more };
}

/** The path of a project, or its ID if the path looks like an ID or a glob. */
export function selectorFor({ name, id }: Project): string | number {
  if (id === undefined || !/^\d+$|[*?[\]{}]/.test(bareName(name))) return name;
  return ownerOfName(name) === "group" ? `${id}/` : id;
}

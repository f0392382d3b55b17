import { memoized } from "../base/memoize.ts";
import { compareTexts } from "../base/text-format.ts";
import type { Problem, Project } from "../model/types.ts";
import type { Policy } from "./policies.ts";
import { problemAt } from "./problem.ts";
import { isSelected } from "./selection.ts";
import type { Selector } from "./selector.ts";
import { isTemplate, referencesOf } from "./template.ts";

/** Whether IDs, paths and globs have to be brought together by asking the server (docs/manifests.md). */
export function needsLookup(policies: readonly Policy[]): boolean {
  const selected = new Set(policies.flatMap(({ projects }) => projects.map(({ form }) => form)));
  if (selected.has("glob")) return true;
  const forms = new Set([...selected, ...policies.flatMap(({ except }) => except.map(({ form }) => form))]);
  if (forms.has("id") && (forms.has("path") || forms.has("glob"))) return true;
  const facts = factsUsed(policies);
  return selected.has("id") ? facts.has("project.path") || facts.has("project.name") : facts.has("project.id");
}

/** Whether any policy selects by wildcards: only the list of all projects tells what they mean. */
export function selectsByGlob(policies: readonly Policy[]): boolean {
  return policies.some(({ projects }) => projects.some(({ form }) => form === "glob"));
}

/** The named projects of which policies have to know the other name, ID or path, to say what they want of them. */
export function partlyKnown(policies: readonly Policy[], named = namedProjects(policies)): readonly Project[] {
  const selectors = policies.flatMap(({ projects, except }) => [...projects, ...except]);
  const facts = factsUsed(policies);
  // An ID that is among them is looked up itself, and tells the path.
  const told = new Set(named.map(({ id }) => id));
  const byId = selectors.some((line) => line.form === "id" && !told.has(line.id)) || facts.has("project.id");
  const byPath = selectors.some(({ form }) => form !== "id") || facts.has("project.path") || facts.has("project.name");
  return named.filter(({ id, path }) => (id === undefined ? byId : path === undefined && byPath));
}

function factsUsed(policies: readonly Policy[]): ReadonlySet<string> {
  const strings = policies.flatMap(({ vars, declared }) => [
    ...vars.map(({ value }) => value),
    ...declared.flatMap(({ templates, desired }) => templates.map((name) => desired.fields[name])),
  ]);
  return new Set(strings.flatMap((text) => (isTemplate(text) ? referencesOf(text) : [])));
}

export interface Projects {
  /** Sorted by name, each once. */
  readonly projects: readonly Project[];
  readonly problems: readonly Problem[];
}

/**
 * The projects that policies are about. With a listing an ID becomes its path in the server's spelling; what the
 * listing lacks stays as it is named, so that reading it says what is wrong.
 */
export function projectsOf(policies: readonly Policy[], listing: readonly Project[] | undefined): Projects {
  const known = knownProjects(policies, listing);
  const projects = known.filter((project) => isSelected(policies, project));
  return { projects: projects.toSorted(byName), problems: listing ? idleGlobs(policies, listing) : [] };
}

/** What a listing has, and what policies name beyond it, each once. */
export function knownProjects(policies: readonly Policy[], listing: readonly Project[] = []): readonly Project[] {
  const ids = new Set(listing.map(({ id }) => id));
  const paths = new Set(listing.map(({ path }) => path?.toLowerCase()));
  const unlisted = namedProjects(policies).filter(
    ({ id, path }) => !(id === undefined ? paths.has(path?.toLowerCase()) : ids.has(id)),
  );
  return [...listing, ...unlisted];
}

function byName(a: Project, b: Project): number {
  return compareTexts(a.name, b.name);
}

/** Projects that are named by ID or path. A path spelled in several cases is one project, by its first spelling. */
export function namedProjects(policies: readonly Policy[]): readonly Project[] {
  const named = new Map<string, Project>();
  for (const selector of policies.flatMap(({ projects }) => projects)) {
    const { written: name } = selector;
    if (selector.form === "id") named.set(name, { name, id: selector.id });
    if (selector.form !== "path") continue;
    const before = named.get(selector.path)?.name;
    if (before === undefined || name < before) named.set(selector.path, { name, path: name });
  }
  return [...named.values()];
}

/** Warnings of globs that match nothing that is listed. */
export function idleGlobs(policies: readonly Policy[], listing: readonly Project[]): readonly Problem[] {
  const isIdle = memoized(
    (selector: Selector) =>
      selector.form === "glob" && !listing.some(({ path }) => path !== undefined && selector.matches(path)),
  );
  return policies.flatMap(({ document, projects }) =>
    projects.flatMap((selector, index) =>
      isIdle(selector)
        ? [problemAt("no-project", `${selector.written} matches no project`, { document, path: ["projects", index] })]
        : [],
    ),
  );
}

import { grouped } from "../base/grouped.ts";
import { memoized } from "../base/memoize.ts";
import { byName, counted, firstFew } from "../base/text-format.ts";
import { idNameOf } from "../model/identity.ts";
import { bareName, type Owner, ownedBy, ownerName, ownerOfName } from "../model/owner.ts";
import type { Problem, Project } from "../model/types.ts";
import type { Policy } from "./policies.ts";
import { expressionProblem, problemAt } from "./problem.ts";
import { isCovered, isSelected } from "./selection.ts";
import type { Selector } from "./selector.ts";
import { isTemplate, referencesOf } from "./template.ts";

/** True if only the server knows which IDs, paths and globs are the same project (docs/manifests.md). */
export function needsLookup(policies: readonly Policy[]): boolean {
  return policies.some((each) => isWide(each) || each.where) || partlyKnown(policies).length > 0;
}

const pathFacts = ["project.path", "project.name", "group.path", "group.name"] as const;

export function hasRowsFor(policies: readonly Policy[], projects: readonly Project[]): boolean {
  return projects.every(({ row }) => row) || policies.every(({ where }) => !where);
}

/** True if a policy has a wildcard among its selectors. */
export function isWide({ projects }: Pick<Policy, "projects">): boolean {
  return projects.some(({ form }) => form === "glob");
}

export function partlyKnown(policies: readonly Policy[], named = namedProjects(policies)): readonly Project[] {
  const selectors = policies.flatMap(({ projects, except }) => [...projects, ...except]);
  const facts = listFacts(policies);
  // IDs among them are looked up anyway, which returns the path.
  const lookedUp = new Set(named.map(idNameOf));
  const usesId = facts.has("project.id") || facts.has("group.id");
  const byId = selectors.some((line) => line.form === "id" && !lookedUp.has(line.written)) || usesId;
  const byPath = selectors.some(({ form }) => form !== "id") || pathFacts.some((name) => facts.has(name));
  const conditional = policies.filter(({ where }) => where);
  const lacksRow = (project: Project) => conditional.length > 0 && !project.row && isCovered(conditional, project);
  return named.filter((each) => lacksRow(each) || (each.id === undefined ? byId : each.path === undefined && byPath));
}

function listFacts(policies: readonly Policy[]): ReadonlySet<string> {
  const used = new Set<string>();
  const add = (text: unknown) => {
    if (isTemplate(text)) for (const name of referencesOf(text)) used.add(name);
  };
  for (const { vars, entries } of policies) {
    for (const { value } of vars) add(value);
    for (const { templates, desired } of entries) {
      add(desired.key);
      for (const name of templates) add(desired.fields[name]);
    }
  }
  return used;
}

export interface Projects {
  readonly projects: readonly Project[];
  readonly archived?: readonly Project[];
  readonly problems: readonly Problem[];
}

/**
 * The projects that policies select. With a listing, an ID is replaced by its path in the server's spelling. Projects that
 * are not listed are kept as named, so that reading them reports the error.
 */
export function projectsOf(policies: readonly Policy[], listing: readonly Project[] | undefined): Projects {
  const known = knownProjects(policies, listing);
  const { projects, problems } = withoutNamesakes(known.filter((project) => isSelected(policies, project)));
  const archived = known.filter(
    (each) => each.archived && !isSelected(policies, each) && isSelected(policies, { ...each, archived: false }),
  );
  return {
    projects: projects.toSorted(byName),
    archived,
    problems: [...problems, ...conditionProblems(policies, known), ...(listing ? idleGlobs(policies, listing) : [])],
  };
}

export function conditionProblems(policies: readonly Policy[], projects: readonly Project[]): readonly Problem[] {
  return policies.flatMap((policy) => {
    const { where, document, of } = policy;
    if (!where) return [];
    const alone = [policy];
    const covered = projects.filter((each) => each.row && isCovered(alone, each));
    const results = covered.map((project) => ({ project, result: where.evaluate(project) }));
    const faulty = results.flatMap(({ project, result }) =>
      typeof result === "object" ? [{ project, ...result }] : [],
    );
    const [first] = faulty;
    if (first) {
      const names = firstFew(faulty.map(({ project }) => project.name));
      const message = `where cannot be evaluated for ${names}: ${first.message}; a field that the server does not set is null`;
      return [expressionProblem("where", { document, key: "where", text: where.text }, { ...first, message })];
    }
    if (covered.length === 0 || results.some(({ result }) => result)) return [];
    return [
      problemAt("no-project", `where holds for none of ${counted(covered.length, of)}`, { document, path: ["where"] }),
    ];
  });
}

/** Removes projects that the server lists under the same path: no request could distinguish them. */
function withoutNamesakes(projects: readonly Project[]): Projects {
  const alike = [...grouped(projects, ({ name }) => name.toLowerCase()).values()];
  return {
    projects: alike.flatMap((each) => (each.length === 1 ? each : [])),
    problems: alike.flatMap((namesakes): readonly Problem[] => {
      if (namesakes.length === 1) return [];
      const [{ name }] = namesakes;
      const ids = namesakes.map(({ id }) => id).join(", ");
      const message = `the server lists ${namesakes.length} ${ownerOfName(name)}s with this path (IDs ${ids}), so none of them is planned`;
      return [{ severity: "error", rule: "ambiguous", message, project: name }];
    }),
  };
}

/**
 * The projects or groups of a list; undefined if it was read without any of this owner, because no policy needed them.
 */
export function listedOf(owner: Owner, listing: readonly Project[] | undefined): readonly Project[] | undefined {
  const own = listing && ownedBy(owner, listing);
  return own && own.length > 0 ? own : undefined;
}

export function knownProjects(policies: readonly Policy[], listing: readonly Project[] = []): readonly Project[] {
  const ids = new Set(listing.map(idNameOf));
  const paths = new Set(listing.map(({ path }) => path?.toLowerCase()));
  const unlisted = namedProjects(policies).filter(
    (each) => !(each.id === undefined ? paths.has(each.path?.toLowerCase()) : ids.has(idNameOf(each))),
  );
  return [...listing, ...unlisted];
}

/** A placeholder of the right type for a fact that only the server knows. */
export function placeholderOf({ name, id = 1, path }: Project): Project {
  return { name, id, path: path ?? ownerName(ownerOfName(name), "group/project") };
}

/** Projects named by ID or path. Paths that differ only in case are one project, with the first spelling. */
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

/**
 * Warnings for globs that match no listed project or group, and for exceptions that match nothing: a policy with a
 * misspelled one applies where it must not. An exception for future projects, in a folder that has some, gets no
 * warning.
 */
export function idleGlobs(policies: readonly Policy[], listing: readonly Project[]): readonly Problem[] {
  const paths = new Set(listing.flatMap(({ path }) => (path === undefined ? [] : [path.toLowerCase()])));
  const isIdle = memoized((selector: Selector) => {
    if (selector.form === "path") return !paths.has(selector.path);
    return selector.form === "glob" && !listing.some(({ path }) => path !== undefined && selector.matches(path));
  });
  const isInKnownFolder = (selector: Selector) =>
    selector.form === "glob" &&
    listing.some(({ path = "" }) => selector.base === "" || path.toLowerCase().startsWith(`${selector.base}/`));
  return policies.flatMap(({ document, of, selects, projects, except }) => {
    const warn = (key: string, end: string, isReported: (selector: Selector) => boolean) => {
      return (selector: Selector, index: number): readonly Problem[] => {
        if (!isReported(selector) || !isIdle(selector)) return [];
        const message = `${bareName(selector.written)} matches no ${of}${end}`;
        return [problemAt("no-project", message, { document, path: [key, index] })];
      };
    };
    const excepted = isWide({ projects }) ? except : [];
    return [
      ...projects.flatMap(warn(selects, "", ({ form }) => form === "glob")),
      ...excepted.flatMap(warn("except", ", so it excepts nothing", (each) => !isInKnownFolder(each))),
    ];
  });
}

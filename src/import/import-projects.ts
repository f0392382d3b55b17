import { didYouMean } from "../base/nearest.ts";
import type { Reader } from "../client/client.ts";
import { readProjects } from "../live/list-projects.ts";
import { selectorOf } from "../manifest/selector.ts";
import type { Problem, Project } from "../model/types.ts";
import { factorShared } from "./factor-shared.ts";
import { importProject } from "./import-project.ts";
import { type InventoryScope, readLiveProjects } from "./inventory.ts";
import { type SecretScope, withOwnFiles, withReferences } from "./names.ts";
import type { Draft } from "./policy.ts";
import { draftsOf } from "./project-drafts.ts";

/** Policies that declare live state, not yet written, and what could not be read. */
export interface ImportResult {
  readonly drafts: readonly Draft[];
  /** Names of projects that were read and have nothing to declare. */
  readonly idle: readonly string[];
  readonly problems: readonly Problem[];
}

export interface ImportChoice extends Choice {
  /** Whether shared settings are extracted. */
  readonly factor: boolean;
  readonly secrets: SecretScope;
}

/** Converts live state to policies. @throws CallFailed if it ends the run. */
export async function importProjects(
  reader: Reader,
  choice: ImportChoice,
  scope: InventoryScope,
): Promise<ImportResult> {
  const listing = choice.factor || needsListing(choice) ? await readProjects(reader) : [];
  const chosen = selectProjects(choice, listing);
  const read = await readLiveProjects(reader, chosen.projects, scope);
  const imported = withReferences(
    read.found.map((found) => importProject(found, scope.platform)),
    { secrets: choice.secrets, catalogue: reader.catalogue },
  );
  const idle = imported.filter(({ entries, remarks }) => entries.length + remarks.length === 0);
  return {
    drafts: choice.factor ? factorShared(imported, listing, reader.catalogue) : withOwnFiles(draftsOf(imported)),
    idle: idle.map(({ project }) => project.name),
    problems: [...chosen.problems, ...read.problems],
  };
}

/** The requested projects. */
interface Choice {
  /** IDs and full paths. */
  readonly names: readonly string[];
  readonly all: boolean;
  /** Globs over full paths; a name without wildcards selects everything below the group. */
  readonly groups: readonly string[];
}

interface SelectedProjects {
  readonly projects: readonly Project[];
  readonly problems: readonly Problem[];
}

/** Whether the list of projects is needed; it is not for paths alone. */
function needsListing({ names, all, groups }: Choice): boolean {
  return all || groups.length > 0 || names.some((name) => selectorOf(name).form === "id");
}

/** The requested projects, sorted by name. A path that is not listed is used as it is. */
function selectProjects(choice: Choice, listing: readonly Project[]): SelectedProjects {
  const problems: Problem[] = [];
  const found = choice.all ? [...listing] : [];
  for (const group of choice.groups) {
    const members = listing.filter(({ name }) => isBelow(name, group));
    if (members.length === 0)
      problems.push(missing(`${group} matches no project${didYouMean(group, foldersOf(listing))}`));
    found.push(...members);
  }
  for (const name of choice.names) {
    const project = named(name, listing);
    if (project) found.push(project);
    else problems.push(missing(`there is no project with the ID ${name}`));
  }
  const once = new Map(found.map((project) => [project.name.toLowerCase(), project]));
  return { projects: [...once.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)), problems };
}

function named(name: string, listing: readonly Project[]): Project | undefined {
  const selector = selectorOf(name);
  if (selector.form === "id") return listing.find(({ id }) => id === selector.id);
  return listing.find((project) => project.name.toLowerCase() === name.toLowerCase()) ?? { name, path: name };
}

function isBelow(path: string, group: string): boolean {
  const selector = selectorOf(group.replace(/\/+$/, ""));
  if (selector.form === "glob") return selector.matches(path);
  return path.toLowerCase().startsWith(`${selector.written.toLowerCase()}/`);
}

function foldersOf(listing: readonly Project[]): readonly string[] {
  return listing.flatMap(({ name }) => name.split("/").map((_, index, parts) => parts.slice(0, index + 1).join("/")));
}

function missing(message: string): Problem {
  return { severity: "error", rule: "no-project", message };
}

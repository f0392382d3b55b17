import type { Reader } from "../client/client.ts";
import { readProjects } from "../live/list-projects.ts";
import type { Problem } from "../model/types.ts";
import { draftsOf } from "./drafts.ts";
import { factored } from "./factor.ts";
import { type InventoryScope, readLiveProjects } from "./inventory.ts";
import { type SecretScope, withOwnFiles, withReferences } from "./names.ts";
import type { Draft } from "./policy.ts";
import { importProject } from "./project.ts";
import { type Choice, needsListing, selectProjects } from "./select-projects.ts";

/** Policies that say what is live, not yet written, and what could not be read. */
export interface ImportResult {
  readonly drafts: readonly Draft[];
  /** Names of projects that were read and of which there is nothing to say. */
  readonly idle: readonly string[];
  readonly problems: readonly Problem[];
}

export interface ImportChoice extends Choice {
  /** What projects share is said once. */
  readonly factor: boolean;
  readonly secrets: SecretScope;
}

/** The other way round: live state -> policies. @throws CallFailed where it ends the run. */
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
    drafts: choice.factor ? factored(imported, listing, reader.catalogue) : withOwnFiles(draftsOf(imported)),
    idle: idle.map(({ project }) => project.name),
    problems: [...chosen.problems, ...read.problems],
  };
}

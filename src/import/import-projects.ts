import type { Reader } from "../client/client.ts";
import { type Owner, ownerOfName, owners } from "../model/owner.ts";
import type { Problem } from "../model/types.ts";
import { type Choice, chooseProjects } from "./chosen-projects.ts";
import { factorShared } from "./factor-shared.ts";
import { importProject } from "./import-project.ts";
import type { ImportedProject } from "./imported-project.ts";
import { type InventoryScope, readLiveProjects } from "./inventory.ts";
import { type SecretScope, withOwnFiles, withOwnNames, withReferences } from "./names.ts";
import type { Draft } from "./policy.ts";
import { draftsOf } from "./project-drafts.ts";
import { inOneSpelling } from "./shared-drafts.ts";

/** Policies that declare live state, not yet written, and what could not be read. */
export interface ImportResult {
  readonly drafts: readonly Draft[];
  /** Names of projects and groups that were read and have nothing to declare. */
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
  const { catalogue } = reader;
  const { factor, secrets } = choice;
  const chosen = await chooseProjects(reader, choice, factor);
  const all = [...chosen.values()];
  const read = await readLiveProjects(
    reader,
    all.flatMap(({ projects }) => projects),
    scope,
  );
  const imported = withReferences(
    read.found.map((found) => importProject(found, scope.platform, catalogue)),
    { secrets, catalogue },
  );
  const idle = imported.filter(({ entries, remarks }) => entries.length + remarks.length === 0);
  const shared = () =>
    owners.flatMap((owner) => {
      const { listing = [] } = chosen.get(owner) ?? {};
      return factorShared(ofOwner(imported, owner), listing, catalogue);
    });
  return {
    drafts: withOwnNames(factor ? inOneSpelling(shared()) : withOwnFiles(draftsOf(imported))),
    idle: idle.map(({ project }) => project.name),
    problems: [...all.flatMap(({ problems }) => problems), ...read.problems],
  };
}

function ofOwner(imported: readonly ImportedProject[], owner: Owner): readonly ImportedProject[] {
  return imported.filter(({ project }) => ownerOfName(project.name) === owner);
}

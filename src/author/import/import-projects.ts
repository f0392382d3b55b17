import { inParallel } from "../../base/concurrency.ts";
import type { Reader } from "../../client/client.ts";
import { explainCallFailure } from "../../client/explain-failure.ts";
import type { CallFailed } from "../../client/failure.ts";
import { outOfRelease, outOfTier, type PolicyKind, policyKinds } from "../../model/kinds.ts";
import { ownerOfName, owners } from "../../model/owner.ts";
import type { Kind, Live, Platform, Problem, Project } from "../../model/types.ts";
import { toUnread } from "../../run/live/partly-read.ts";
import { readInventory } from "../../run/live/read-live.ts";
import { type Choice, chooseProjects } from "./chosen-projects.ts";
import { factorShared, inOneSpelling } from "./factor-shared.ts";
import { importProject, listNamedKinds, whyUndeclarable } from "./import-project.ts";
import { draftsOf, type SecretScope, withOwnFiles, withOwnNames, withReferences } from "./names.ts";
import type { ValueForm } from "./plain-values.ts";
import type { Draft, FoundProject } from "./policy.ts";

/** Drafts of policies that declare live state, and messages about resources that could not be read. */
export interface ImportResult {
  readonly drafts: readonly Draft[];
  /** Names of projects and groups that were read and have nothing to declare. */
  readonly idle: readonly string[];
  /** Number of skipped archived projects. */
  readonly archived?: number;
  readonly problems: readonly Problem[];
}

export interface ImportChoice extends Choice {
  readonly factor: boolean;
  readonly secrets: SecretScope;
  readonly taken?: readonly string[];
  /** Decides for all returned values; default: literals where they are plainly public. */
  readonly values?: ValueForm | undefined;
}

/**
 * Converts live state to policies: the active resources of every kind of the tier, for each project. Unreadable parts
 * become problems. @throws CallFailed if it ends the run.
 */
export async function importProjects(
  reader: Reader,
  choice: ImportChoice,
  scope: InventoryScope,
): Promise<ImportResult> {
  const { catalogue } = reader;
  const { factor, secrets, values } = choice;
  const chosen = await chooseProjects(reader, choice, factor);
  const all = [...chosen.values()];
  const projects = all.flatMap((each) => each.projects);
  let done = 0;
  const read = await inParallel(projects, scope.workers, async (project) => {
    const result = await readProject(reader, project, scope);
    scope.progress?.(++done, projects.length);
    return result;
  });
  const imported = withReferences(
    read.flatMap(({ found }) => (found ? importProject(found, scope.platform, catalogue, values) : [])),
    { secrets, catalogue, ...(choice.taken && { taken: choice.taken }) },
  );
  const idle = imported.filter(({ entries, remarks }) => entries.length + remarks.length === 0);
  const shared = () =>
    owners.flatMap((owner) => {
      const own = imported.filter(({ project }) => ownerOfName(project.name) === owner);
      return factorShared(own, chosen.get(owner)?.listing ?? [], catalogue);
    });
  return {
    drafts: withOwnNames(factor ? inOneSpelling(shared()) : withOwnFiles(draftsOf(imported))),
    idle: idle.map(({ project }) => project.name),
    archived: all.reduce((sum, { archived }) => sum + archived, 0),
    problems: [...all, ...read].flatMap(({ problems }) => problems),
  };
}

interface InventoryScope {
  readonly platform: Platform;
  readonly workers: number;
  readonly kinds: ReadonlySet<Kind>;
  readonly progress?: (done: number, total: number) => void;
}

/** A project that cannot be read at all is reported once. */
async function readProject(
  reader: Reader,
  project: Project,
  scope: InventoryScope,
): Promise<{ readonly found?: FoundProject; readonly problems: readonly Problem[] }> {
  const { platform, kinds } = scope;
  const { catalogue } = reader;
  const parts = policyKinds(catalogue, ownerOfName(project.name)).filter(
    (row) => kinds.has(row.kind) && !outOfTier(catalogue, row, platform) && !outOfRelease(catalogue, row, platform),
  );
  const read = await Promise.all(parts.map((part) => readPart(reader, project, part, platform)));
  const [first] = read;
  if (first?.failure && read.every(({ failure }) => failure)) {
    return { problems: [unreadable(project, explainCallFailure(first.failure))] };
  }
  const unread = read.flatMap((each) => each.unread);
  const live = read.flatMap((each) => each.live);
  const unchosen = listNamedKinds(live, project, catalogue).filter(({ kind }) => !kinds.has(kind));
  const others = await Promise.all(unchosen.map((part) => readPart(reader, project, part, platform)));
  return {
    found: {
      project,
      live,
      others: read.flatMap(({ others }) => others),
      unread,
      named: [...live, ...others.flatMap((each) => each.live)],
    },
    problems: unread.map((sentence) => unreadable(project, sentence)),
  };
}

/** Reads the resources of a kind; `failure` if there are none, because a server may reject kinds that its tier lacks. */
async function readPart(
  reader: Reader,
  project: Project,
  { kind, section }: Pick<PolicyKind, "kind" | "section">,
  platform: Platform,
): Promise<Omit<FoundProject, "project"> & { readonly failure?: CallFailed }> {
  try {
    const isWanted = (key: string) => whyUndeclarable({ kind, key }, platform, reader.catalogue) === undefined;
    const { live, others, unread } = await readInventory(reader, project, kind, isWanted, true);
    const isOwn = ({ active, inherited }: Live) => active && !inherited;
    return {
      live: live.filter(isOwn),
      others: [...others.map((key) => ({ kind, key })), ...live.filter((each) => !isOwn(each))],
      unread: unread.map(({ key = "", failure }) => `${key} is left out: ${explainCallFailure(failure)}`),
    };
  } catch (error) {
    const { failure } = toUnread({ kind }, error);
    return { live: [], others: [], unread: [`${section} are left out: ${explainCallFailure(failure)}`], failure };
  }
}

function unreadable({ name: project }: Project, message: string): Problem {
  return { severity: "error", rule: "unreadable", message, project };
}

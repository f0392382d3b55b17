import { dirname } from "node:path";
import equal from "fast-deep-equal";
import { dayOf } from "../base/day.ts";
import { commitNamed, mergeBaseWith, repositoryAround } from "../git/repository.ts";
import { readMigrations } from "../manifest/migrations.ts";
import { readKinds } from "../manifest/own-kinds.ts";
import { sortedProblems } from "../manifest/problem.ts";
import { type Validated, validate } from "../manifest/validate.ts";
import { defaultWorkspace } from "../manifest/workspace.ts";
import type { Problem } from "../model/types.ts";
import type { RevisionSide } from "../plan/revision/revision.ts";
import { compileRules } from "../plan/rules/evaluate.ts";
import { findWorkspace, type Loaded, loadWorkspace, type Workspace } from "../workspace/load.ts";
import { contentsOnDisk, type LoadedRevision, loadRevision, parsingOnce } from "../workspace/load-revision.ts";
import { type Checked, type EarlierManifests, loadedAt, validateWorkspace } from "./context.ts";
import type { Request } from "./request.ts";

/** Two revisions of a workspace to compare. */
export interface RevisionRequest {
  /** The folder from which `evenkeel.yaml` is searched upward. */
  readonly folder: string;
  /** Default: the merge base of `to`, or of the work tree, with the remote's default branch. */
  readonly from?: string | undefined;
  /** Default: the current files. */
  readonly to?: string | undefined;
  /** The name of the remote's default branch, if the pipeline knows it. */
  readonly branch?: string | undefined;
}

interface OpenedSide {
  /** Null for the current files. */
  readonly commit: string | null;
  /** True if the folder was a workspace then; if not, nothing was desired. */
  readonly isThere: boolean;
  readonly side: RevisionSide;
  readonly problems: readonly Problem[];
}

export interface OpenedRevisions {
  readonly root: string;
  readonly before: OpenedSide;
  readonly after: OpenedSide;
}

/**
 * Reads a workspace at two revisions, offline. Mistakes in manifests are problems of their side.
 * @throws UserError without git or a repository, and for a revision that git does not know.
 */
export async function openRevisions({ folder, from, to, branch }: RevisionRequest): Promise<OpenedRevisions> {
  const root = dirname(findWorkspace(folder));
  const repository = repositoryAround(root);
  const today = dayOf(new Date());
  const later = to === undefined ? null : commitNamed(repository, to);
  const earlier =
    from === undefined ? mergeBaseWith(repository, later ?? "HEAD", branch) : commitNamed(repository, from);
  const parse = parsingOnce();
  const read = (commit: string) => loadRevision(repository, commit, parse);
  const current = later === null && loadWorkspace(folder, {}, parse);
  const is = current ? { ...current, contents: contentsOnDisk(current) } : read(later ?? "");
  const after = await openSide(later, is, is?.workspace ?? defaultWorkspace, today);
  return { root, before: await openSide(earlier, read(earlier), after.side.workspace, today), after };
}

/** Resolves a revision to a full commit ID. @throws UserError (64) if it does not exist. */
export function commitOfRevision(folder: string, revision: string): string {
  return commitNamed(repositoryAround(dirname(findWorkspace(folder))), revision);
}

/** Loads and validates a workspace, and the manifests of the requested commit. @throws UserError. */
export async function openWorkspace(request: Request): Promise<Checked> {
  const { since, folder, env } = request;
  if (since === undefined) return validateWorkspace(request.loaded ?? loadWorkspace(folder, env), request);
  const parse = parsingOnce();
  const loaded = loadWorkspace(folder, env, parse);
  const context = validateWorkspace(loaded, request);
  const repository = repositoryAround(loaded.root);
  const commit = commitNamed(repository, since);
  const { declaredRules: rules, today } = context;
  const opened = await openEarlier(commit, loadRevision(repository, commit, parse), today, loaded, {
    ...context,
    rules,
  });
  return {
    ...context,
    since: opened,
    ofRelease: [...context.ofRelease, ...opened.problems],
    problems: [...context.problems, ...opened.problems],
  };
}

/** Validates the manifests of an earlier commit, whose server has the current release unless they state another. */
async function openEarlier(
  commit: string,
  revision: LoadedRevision | undefined,
  today: string,
  loaded: Loaded,
  valid: Omit<Validated, "problems">,
): Promise<EarlierManifests> {
  const { workspace } = loaded;
  const found = revision?.workspace.server.isReleaseAssumed ? loadedAt(revision, workspace.server.release) : revision;
  const { side: before, problems } = await openSide(commit, found, workspace, today);
  const wrong = problems.filter(({ severity }) => severity === "error").map((each) => problemBefore(commit, each));
  const beside: EarlierManifests["beside"] = (...now) => openEarlier(commit, revision, today, ...now);
  return { commit, before, after: createSide(loaded, valid), problems: wrong, beside };
}

function createSide(
  { workspace, settings, documents, contents }: Omit<LoadedRevision, "problems">,
  { policies, plaintext, rules }: Pick<Validated, "policies" | "plaintext" | "rules">,
): RevisionSide {
  const { migrations } = readMigrations({ documents });
  return { workspace, settings, contents, policies, migrations, rules, kinds: readKinds(documents).sound, plaintext };
}

/** Positions refer to the old revision, so they go into the message. */
function problemBefore(commit: string, { place, path, rule, message }: Problem): Problem {
  const where = place ? `${place.file}:${place.line}:${place.column}` : undefined;
  const said = [where, path, message].filter((part) => part !== undefined).join("  ");
  return { severity: "error", rule, message: `at ${commit.slice(0, 12)}: ${said}` };
}

/** Policies that this side and `beside` read alike are shared; on `today` they may have expired, on both sides. */
async function openSide(
  commit: string | null,
  read: LoadedRevision | undefined,
  beside: Workspace,
  today: string,
): Promise<OpenedSide> {
  const found: LoadedRevision = read ?? { workspace: beside, documents: [], problems: [] };
  const workspace = readsAlike(found.workspace, beside) ? beside : found.workspace;
  const valid = validate({ documents: found.documents, problems: found.problems, workspace }, today);
  const compiled = compileRules(valid.rules);
  return {
    commit,
    isThere: read !== undefined,
    side: createSide(found, valid),
    problems: sortedProblems([...valid.problems, ...compiled.problems]),
  };
}

/** True if policies mean the same with the settings and kinds of either side: equal kinds share one catalogue. */
function readsAlike(one: Workspace, other: Workspace): boolean {
  const decisive = ({ server: { release, tier, environment, dialect }, ledger, allowPlaintextSecrets }: Workspace) => {
    return { release, tier, environment, dialect, hasLedger: ledger !== undefined, allowPlaintextSecrets };
  };
  return one.catalogue === other.catalogue && equal(decisive(one), decisive(other));
}

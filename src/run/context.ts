import { dayOf, isDay } from "../base/day.ts";
import { UserError } from "../base/exit.ts";
import { digestOf } from "../base/json.ts";
import type { Reader } from "../client/client.ts";
import { shownUrl } from "../client/server-url.ts";
import { commitOf, hasUncommitted } from "../git/commit.ts";
import { durationOf } from "../manifest/duration.ts";
import { problemAt, problemIn } from "../manifest/problem.ts";
import { hasErrors, type Validated, validate } from "../manifest/validate.ts";
import { workspaceFile } from "../manifest/workspace.ts";
import { isRelease } from "../model/releases.ts";
import type { Problem } from "../model/types.ts";
import type { ApprovalPolicy } from "../plan/approvals/verify.ts";
import type { PlanInput } from "../plan/make-plan.ts";
import type { RevisionSide } from "../plan/revision/revision.ts";
import type { CompiledRule } from "../plan/rules/evaluate.ts";
import { createSecrets, type Secrets } from "../secrets/secrets.ts";
import { claimFor, newRun } from "../state/claim.ts";
import { type Lease, leaseDuration, takeLease } from "../state/lease.ts";
import type { Claim } from "../state/lease-store.ts";
import { type Ledger, openLedger } from "../state/ledger/ledger.ts";
import { ledgerFile, readLedgerFile } from "../state/ledger/ledger-file.ts";
import { keptProjects, type ProjectList, serverBefore } from "../state/notes.ts";
import { openState } from "../state/open-state.ts";
import { ProgressMeter } from "../state/run-progress.ts";
import { isShared, type WorkspaceState } from "../state/state.ts";
import { sharesState, unnamed } from "../state/state-address.ts";
import type { Loaded, Workspace } from "../workspace/load.ts";
import { readRelease } from "./live/find-dialect.ts";
import type { Request } from "./request.ts";

/** A validated workspace and what was asked for of it: all that is known of a run offline. */
export interface Checked {
  readonly request: Request;
  readonly loaded: Loaded;
  /** Policies that count today. */
  readonly policies: Validated["policies"];
  readonly expired: Validated["expired"];
  readonly plaintext: Validated["plaintext"];
  /** The rules of the workspace as they are stated; `withRules` compiles them into those in force. */
  readonly stated: Validated["rules"];
  readonly rules: readonly CompiledRule[];
  /** The day, in UTC, that decides what has expired. */
  readonly today: string;
  /** What validation and the ledger have to say; errors among them end the run. */
  readonly problems: readonly Problem[];
  /** Those of them that depend on the release of the server. */
  readonly ofRelease: readonly Problem[];
  readonly secrets: Secrets;
  /** Where the workspace keeps one. */
  readonly ledger: Ledger | undefined;
  readonly heading: Heading;
  /** The manifests of the commit that the run compares with. */
  readonly since?: EarlierManifests;
  /** Requests in flight, and projects worked on side by side. */
  readonly concurrency: number;
  /** The approvals that an apply needs, where any are asked for. */
  readonly approvals?: ApprovalPolicy;
}

/** The manifests as they were at a commit, and as they are. */
interface EarlierManifests {
  /** Its full ID. */
  readonly commit: string;
  readonly before: RevisionSide;
  readonly after: RevisionSide;
}

/** All that a run knows before it talks to a server. Disposing closes its state. */
export interface Context extends Checked, AsyncDisposable {
  readonly state: WorkspaceState;
  /** The fleet as an earlier run listed it; only for a run since a revision. */
  readonly listed?: ProjectList;
  /** The name of the run, and who runs it. */
  readonly claim: Claim;
  /** How far the run is. */
  readonly meter: ProgressMeter;
}

/** The parts of a plan that are known before anything is read; `url` is empty where there is none that requests may go to. */
export type Heading = Pick<PlanInput, "url" | "manifests" | "catalogue">;

/** Validates a workspace, and opens what its runs need. What a person can mend is among the problems. */
export function validated(loaded: Loaded, request: Request): Checked {
  const { env } = request;
  const { root, workspace, digest } = loaded;
  const catalogue = workspace.catalogue;
  const today = request.today ?? dayOf(new Date());
  if (!isDay(today))
    throw new UserError(`expected a date that exists, such as 2027-06-30, got ${JSON.stringify(today)}`);
  const { policies, expired, rules, problems, plaintext } = validate(loaded, today);
  const secrets = createSecrets({ env, root, plaintext, providers: loaded.providers, debug: request.debug });
  const file = hasErrors(loaded.problems) || keepsLedgerInState(workspace) ? undefined : workspace.ledger;
  const ledger = file
    ? openLedger(ledgerFile(root, file), readLedgerFile(root, file), { root, env, secrets, catalogue })
    : undefined;
  return {
    request,
    loaded,
    policies,
    expired,
    plaintext,
    stated: rules,
    rules: [],
    today,
    ofRelease: problems,
    problems: [...notToday(today), ...problems, ...nameProblems(loaded, env), ...(ledger?.problems ?? [])],
    secrets,
    ledger,
    heading: {
      url: shownUrl(env, workspace.server),
      catalogue,
      manifests: { digest: digestWithout(digest, expired), ...committedAs(loaded, env) },
    },
    concurrency: request.concurrency ?? workspace.concurrency,
  };
}

/** The commit of the manifests, and whether they are as it has them. */
function committedAs({ root, documents }: Loaded, env: Request["env"]): Omit<Heading["manifests"], "digest"> {
  const commit = commitOf(root, env);
  if (commit === null) return { commit };
  const files = new Set([workspaceFile, ...documents.map(({ file }) => file)]);
  return { commit, ...(hasUncommitted(root, files) && { uncommitted: true }) };
}

/** A report as of another day must not pass for one of today. */
function notToday(day: string): readonly Problem[] {
  if (day === dayOf(new Date())) return [];
  return [{ severity: "warning", rule: "as-of", message: `this is as of ${day}, not of today` }];
}

export function keepsLedgerInState({ ledger }: Workspace): boolean {
  return ledger === "state";
}

/** Opens what lasts of a workspace. @throws UserError where its state cannot be used. */
export async function openContext(checked: Checked): Promise<Context> {
  const { loaded, request, secrets, since, heading } = checked;
  const { root, workspace } = loaded;
  const catalogue = workspace.catalogue;
  const { env } = request;
  const state = await openState({ root, name: workspace.name, env });
  const listed = since && (await keptProjects(state.notes));
  const problems = [...checked.problems, ...(isShared(state) ? await otherServer(state, heading.url, loaded) : [])];
  const context = {
    ...checked,
    problems,
    state,
    ...(listed && { listed }),
    claim: claimFor(newRun(new Date()), env),
    meter: new ProgressMeter(),
  };
  if (!keepsLedgerInState(workspace)) return disposable(context);
  const ledger = openLedger(state.ledger, await state.ledger.read(), { root, env, secrets, catalogue });
  return disposable({ ...context, ledger, problems: [...problems, ...ledger.problems] });
}

function disposable(context: Omit<Context, typeof Symbol.asyncDispose>): Context {
  return { ...context, [Symbol.asyncDispose]: () => context.state[Symbol.asyncDispose]() };
}

/** Two workspaces of one name would hold one lease, and remember in one ledger what they did to different servers. */
async function otherServer(
  { notes }: WorkspaceState,
  url: string,
  { settings: document }: Loaded,
): Promise<readonly Problem[]> {
  const before = await serverBefore(notes, url);
  if (before === undefined || !document) return [];
  const message = `the workspace of this name was last used with ${before}; use a separate workspace name for each server, because the lease and the ledger are shared by name`;
  return [{ ...problemAt("workspace-name", message, { document, path: ["name"] }), severity: "warning" }];
}

/** The lease of a run that may write. @throws UserError where another run holds it. */
export function leaseOf({ state, claim, request }: Context): Promise<Lease> {
  const { env, lockTimeout: patience, signal, waiting } = request;
  return takeLease(state.leases, claim, { duration: leaseDuration(env, durationOf), patience, signal, waiting });
}

/** Manifests of which less counts are other manifests: a plan that was saved before a policy expired is stale. */
export function digestWithout(digest: string, expired: Validated["expired"]): string {
  return expired.length === 0 ? digest : digestOf({ digest, expired: expired.map(({ name }) => name).sort() });
}

/** A shared state keeps workspaces apart by their names (docs/state.md). */
export function nameProblems({ workspace, settings: document }: Loaded, env: Request["env"]): readonly Problem[] {
  if (!document || workspace.name !== undefined || !sharesState(env)) return [];
  return [problemAt("workspace-name", unnamed, { document, path: [] })];
}

/** Later than any: it has all that was ever added. */
const latest = "9999.0";

/**
 * A workspace that has mistakes whatever release its server has, with these alone; undefined if it has none. Where no one
 * stated the release, what a later one may have is no mistake yet.
 */
export function refusedWorkspace<Known extends Checked>(checked: Known): Known | undefined {
  if (!hasErrors(checked.problems)) return undefined;
  if (!checked.loaded.workspace.server.isReleaseAssumed) return checked;
  const lasting = problemsAt(checked, latest).filter(({ rule }) => isOfRelease(rule));
  const problems = checked.problems.filter(
    (problem) => !isOfRelease(problem.rule) || lasting.some((each) => isSamePlace(each, problem)),
  );
  return hasErrors(problems) ? { ...checked, problems } : undefined;
}

/** Whether a later release may have no such mistake. */
function isOfRelease(rule: string): boolean {
  return rule === "release" || rule === "required-parameter";
}

function isSamePlace({ place: one }: Problem, { place: other }: Problem): boolean {
  return one?.file === other?.file && one?.line === other?.line && one?.column === other?.column;
}

/**
 * The run at the release that its server says it has: where no one stated one, everything is checked against it; a stated one
 * stands, with a warning where it is another. A server that says none is taken for the default. @throws CallFailed.
 */
export async function atRelease(reader: Reader, context: Context): Promise<Context> {
  const { loaded, problems, ofRelease } = context;
  const { server } = loaded.workspace;
  const actual = await readRelease(reader);
  if (actual !== undefined && !server.isReleaseAssumed) {
    return isRelease(server.release, actual)
      ? context
      : { ...context, problems: [...problems, otherRelease(context, actual)] };
  }
  if (actual === undefined || isRelease(server.release, actual)) return context;
  const others = problems.filter((problem) => !ofRelease.includes(problem));
  const now = problemsAt(context, actual);
  return { ...context, loaded: loadedAt(context.loaded, actual), ofRelease: now, problems: [...others, ...now] };
}

function otherRelease({ loaded: { settings, workspace } }: Checked, actual: string): Problem {
  const message = `server.release is ${workspace.server.release}, and the server says that it is ${actual}`;
  if (!settings) return { ...problemIn(workspaceFile, "other-release", message) };
  return problemAt("other-release", message, { document: settings, path: ["server", "release"] });
}

/** What validation says of the manifests for a release. */
function problemsAt(checked: Checked, release: string): readonly Problem[] {
  return validate(loadedAt(checked.loaded, release), checked.today).problems;
}

/** A workspace as if it stated this release. */
export function loadedAt(loaded: Checked["loaded"], release: string): Checked["loaded"] {
  const { workspace } = loaded;
  return { ...loaded, workspace: { ...workspace, server: { ...workspace.server, release, isReleaseAssumed: false } } };
}

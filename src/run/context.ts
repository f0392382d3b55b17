import equal from "fast-deep-equal";
import { dayOf, daysBetween, isDay } from "../base/day.ts";
import { UserError } from "../base/exit.ts";
import { digestOf } from "../base/json.ts";
import { linearPattern } from "../base/schema.ts";
import type { Reader } from "../client/client.ts";
import { describeServerUrl } from "../client/server-url.ts";
import { commitOf, hasUncommitted } from "../git/repository.ts";
import { expiryNotice } from "../manifest/expiry.ts";
import type { Policy } from "../manifest/policies.ts";
import { problemAt, problemIn } from "../manifest/problem.ts";
import { isTemplate } from "../manifest/template.ts";
import { hasErrors, type Validated, validate } from "../manifest/validate.ts";
import { workspaceFile } from "../manifest/workspace.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { isRelease } from "../model/releases.ts";
import type { Problem } from "../model/types.ts";
import { isReference } from "../model/values.ts";
import type { ApprovalPolicy } from "../plan/approvals/verify.ts";
import type { PlanInput } from "../plan/make-plan.ts";
import type { RevisionSide } from "../plan/revision/revision.ts";
import type { CompiledRule } from "../plan/rules/evaluate.ts";
import { createSecrets, type Secrets } from "../secrets/secrets.ts";
import { tokenNameOf } from "../secrets/token.ts";
import { type Claim, claimFor, type Lease, leaseDuration, newRun, takeLease } from "../state/lease.ts";
import { type Ledger, openLedger } from "../state/ledger/ledger.ts";
import { ledgerFile } from "../state/ledger/ledger-file.ts";
import { keptProjects, type ProjectList, serverBefore } from "../state/notes.ts";
import { openState, sharesState, unnamed } from "../state/open-state.ts";
import { ProgressMeter } from "../state/run-summary.ts";
import type { WorkspaceState } from "../state/state.ts";
import type { Loaded, Workspace } from "../workspace/load.ts";
import { readRelease } from "./live/find-dialect.ts";
import { readTokenDetails } from "./live/token-access.ts";
import type { Request } from "./request.ts";

/** A validated workspace and the request: everything that a run knows offline. */
export interface Checked {
  readonly request: Request;
  readonly loaded: Loaded;
  readonly policies: Validated["policies"];
  readonly expired: Validated["expired"];
  readonly plaintext: Validated["plaintext"];
  /** The declared rules; `withRules` compiles them into `rules`. */
  readonly declaredRules: Validated["rules"];
  readonly rules: readonly CompiledRule[];
  /** The day, in UTC, that decides what has expired. */
  readonly today: string;
  /** Problems found by validation and in the ledger; an error among them ends the run. */
  readonly problems: readonly Problem[];
  /** The `problems` that depend on the server's release. */
  readonly ofRelease: readonly Problem[];
  readonly secrets: Secrets;
  /** Undefined if the workspace keeps none. */
  readonly ledger: Ledger | undefined;
  readonly heading: Heading;
  readonly since?: EarlierManifests;
  /** Maximum number of requests in flight, and of projects processed at a time. */
  readonly concurrency: number;
  /** Undefined if an apply needs no approvals. */
  readonly approvals?: ApprovalPolicy;
}

export interface EarlierManifests {
  readonly commit: string;
  readonly before: RevisionSide;
  readonly after: RevisionSide;
  /** Errors in the earlier manifests. */
  readonly problems: readonly Problem[];
  /** Validates the earlier manifests again, for the settings of a workspace. */
  readonly beside: (loaded: Loaded, valid: Omit<Validated, "problems">) => Promise<EarlierManifests>;
}

/** Everything that a run knows before it connects to the server. Disposing closes its state. */
export interface Context extends Checked, AsyncDisposable {
  readonly state: WorkspaceState;
  /** The project list of an earlier run; only with `--since`. */
  readonly listed?: ProjectList;
  /** Names the run and its owner, for the lease. */
  readonly claim: Claim;
  readonly meter: ProgressMeter;
  readonly tokenScopes?: readonly string[];
}

/** The parts of a plan that are known before the server is read; `url` is empty without a usable server URL. */
export type Heading = Pick<PlanInput, "url" | "manifests" | "catalogue">;

/** Validates a workspace, and opens its secrets and its ledger. Errors that users can correct become problems. */
export function validateWorkspace(loaded: Loaded, request: Request): Checked {
  const { env } = request;
  const { root, workspace, digest } = loaded;
  const { catalogue } = workspace;
  const today = request.today ?? dayOf(new Date());
  if (!isDay(today))
    throw new UserError(`expected a date that exists, such as 2027-06-30, got ${JSON.stringify(today)}`);
  const { rules: declaredRules, problems, ...valid } = validate(loaded, today);
  const { policies, expired, plaintext } = valid;
  const secrets = createSecrets({ env, root, plaintext, providers: loaded.providers, debug: request.debug });
  const asOf = { severity: "warning", rule: "as-of", message: `this is as of ${today}, not of today` } as const;
  const forms = secretFormProblems(policies, catalogue, secrets);
  const file = hasErrors(loaded.problems) || keepsLedgerInState(workspace) ? undefined : workspace.ledger;
  const store = file ? ledgerFile(root, file) : undefined;
  const ledger = store && openLedger(store, store.readNow(), { root, env, secrets, catalogue });
  return {
    request,
    loaded,
    ...valid,
    declaredRules,
    rules: [],
    today,
    ofRelease: problems,
    problems: [
      ...(today === dayOf(new Date()) ? [] : [asOf]),
      ...problems,
      ...forms,
      ...nameProblems(loaded, env),
      ...(ledger?.problems ?? []),
    ],
    secrets,
    ledger,
    heading: {
      url: describeServerUrl(env, workspace.server),
      catalogue,
      manifests: { digest: digestWithExpired(digest, expired), ...committedAs(loaded) },
    },
    concurrency: request.concurrency ?? workspace.concurrency,
  };
}

function committedAs({ root, documents }: Loaded): Omit<Heading["manifests"], "digest"> {
  const commit = commitOf(root);
  if (commit === null) return { commit };
  const files = new Set([workspaceFile, ...documents.map(({ file }) => file)]);
  return { commit, ...(hasUncommitted(root, files) && { uncommitted: true }) };
}

export function keepsLedgerInState({ ledger }: Workspace): boolean {
  return ledger === "state";
}

/**
 * Opens the state of a workspace, and the ledger if it is kept there.
 * @throws UserError if the state cannot be used.
 */
export async function openContext(checked: Checked): Promise<Context> {
  const { loaded, request, secrets, since, heading } = checked;
  const { root, workspace } = loaded;
  const { env } = request;
  const state = await openState({ root, name: workspace.name, env });
  const listed = since && (await keptProjects(state));
  const problems = [...checked.problems, ...(state.isShared ? await otherServer(state, heading.url, loaded) : [])];
  const ledger = keepsLedgerInState(workspace)
    ? openLedger(state.ledger, await state.ledger.read(), { root, env, secrets, catalogue: workspace.catalogue })
    : undefined;
  return {
    ...checked,
    ...(ledger && { ledger }),
    problems: [...problems, ...(ledger?.problems ?? [])],
    state,
    ...(listed && { listed }),
    claim: claimFor(newRun(new Date()), env),
    meter: new ProgressMeter(),
    [Symbol.asyncDispose]: () => state[Symbol.asyncDispose](),
  };
}

/** Warns if the state was last used with another server: workspaces of one name share the lease and the ledger. */
async function otherServer(
  state: WorkspaceState,
  url: string,
  { settings: document }: Loaded,
): Promise<readonly Problem[]> {
  const before = await serverBefore(state, url);
  if (before === undefined || !document) return [];
  const message = `the workspace of this name was last used with ${before}; use a separate workspace name for each server, because the lease and the ledger are shared by name`;
  return [{ ...problemAt("workspace-name", message, { document, path: ["name"] }), severity: "warning" }];
}

export function leaseOf({ state, claim, request }: Context): Promise<Lease> {
  const { env, lockTimeout: patience, signal, waiting } = request;
  return takeLease(state.leases("apply"), claim, { duration: leaseDuration(env), patience, signal, waiting });
}

/** Includes expired policies in the digest: a plan saved before a policy expired is stale. */
export function digestWithExpired(digest: string, expired: Validated["expired"]): string {
  return expired.length === 0 ? digest : digestOf({ digest, expired: expired.map(({ name }) => name).sort() });
}

/** Requires a workspace name with a shared state, which stores workspaces by name (docs/state.md). */
export function nameProblems({ workspace, settings: document }: Loaded, env: Request["env"]): readonly Problem[] {
  if (!document || workspace.name !== undefined || !sharesState(env)) return [];
  return [problemAt("workspace-name", unnamed, { document, path: [] })];
}

/** A release later than any other, which supports everything. */
const latest = "9999.0";

/**
 * Returns the workspace with the errors that it has in every release of the server; undefined if there are none. If the
 * release is only assumed, errors that depend on it are left out.
 */
export function refusedWorkspace<Known extends Checked>(checked: Known): Known | undefined {
  if (!hasErrors(checked.problems)) return undefined;
  if (!checked.loaded.workspace.server.isReleaseAssumed) return checked;
  // A later release may allow it.
  const isOfRelease = ({ rule }: Problem) => rule === "release" || rule === "required-parameter";
  const lasting = validate(loadedAt(checked.loaded, latest), checked.today).problems.filter(isOfRelease);
  const problems = checked.problems.filter(
    (problem) => !isOfRelease(problem) || lasting.some(({ place }) => equal(place, problem.place)),
  );
  return hasErrors(problems) ? { ...checked, problems } : undefined;
}

/**
 * Sets the release that the server reports: replaces an assumed release and validates again; keeps a configured one,
 * with a warning if it differs. Without a reported release, the default is used. @throws CallFailed.
 */
export async function atRelease(reader: Reader, context: Context): Promise<Context> {
  const { loaded, problems, ofRelease, today } = context;
  const { server } = loaded.workspace;
  const actual = await readRelease(reader);
  if (actual !== undefined && !server.isReleaseAssumed) {
    if (isRelease(server.release, actual)) return context;
    const message = `server.release is ${server.release}, and the server says that it is ${actual}`;
    const document = loaded.settings;
    const other = document
      ? problemAt("other-release", message, { document, path: ["server", "release"] })
      : problemIn(workspaceFile, "other-release", message);
    return { ...context, problems: [...problems, other] };
  }
  if (actual === undefined || isRelease(server.release, actual)) return context;
  const others = problems.filter((problem) => !ofRelease.includes(problem));
  const at = loadedAt(loaded, actual);
  const { problems: found, rules: declaredRules, ...valid } = validate(at, today);
  const since = await context.since?.beside(at, { ...valid, rules: declaredRules });
  const now = [...found, ...(since?.problems ?? [])];
  const checked = { loaded: at, ...valid, declaredRules, ...(since && { since }), ofRelease: now };
  return { ...context, ...checked, problems: [...others, ...now] };
}

/** Warns if the token expires within two weeks, reports its expiry, and records its scopes. */
export async function withTokenDetails(reader: Reader, context: Context): Promise<Context> {
  const token = await readTokenDetails(reader);
  const { request, today, problems } = context;
  const day = token?.expiresAt && isDay(token.expiresAt) ? token.expiresAt : null;
  request.tokenExpires?.(day);
  const known = token?.scopes ? { ...context, tokenScopes: token.scopes } : context;
  if (day === null || daysBetween(today, day) > expiryNotice) return known;
  const name = ["the access token", token?.name].filter(Boolean).join(" ");
  const message = `${name} expires on ${day}; replace it in ${tokenNameOf(request.env)} before that day`;
  return { ...known, problems: [...problems, { severity: "warning", rule: "token-expiry", message }] };
}

export function loadedAt<Known extends Pick<Loaded, "workspace">>(loaded: Known, release: string): Known {
  const { workspace } = loaded;
  return { ...loaded, workspace: { ...workspace, server: { ...workspace.server, release, isReleaseAssumed: false } } };
}

/** Problems of available secrets that the server would refuse to mask. Messages contain no value. */
export function secretFormProblems(
  policies: readonly Policy[],
  { kinds }: Catalogue,
  secrets: Pick<Secrets, "known">,
): readonly Problem[] {
  const entries = policies.flatMap((policy) => policy.entries);
  return entries.flatMap(({ desired: { kind, fields }, document, path }) =>
    Object.entries(fields).flatMap(([name, reference]) => {
      const { "x-secret-with": flags = [], "x-secret-forms": forms = [] } =
        kinds.get(kind)?.file.fields.properties[name] ?? {};
      if (!isReference(reference) || isTemplate(reference.secret) || !flags.some((flag) => fields[flag] === true))
        return [];
      const form = forms.find(({ with: sibling }) => sibling === undefined || fields[sibling] === true);
      const value = form && secrets.known(reference);
      if (value === undefined || linearPattern(form?.pattern ?? "")?.test(value) !== false) return [];
      const message = `the server would refuse the value of ${reference.secret}: expected ${form?.expected}`;
      return [problemAt("secret-form", message, { document, path: [...path, name] })];
    }),
  );
}

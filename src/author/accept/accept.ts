import { inParallel } from "../../base/concurrency.ts";
import { exit, UserError } from "../../base/exit.ts";
import { isGlob } from "../../base/glob.ts";
import { canonical } from "../../base/json.ts";
import { didYouMean } from "../../base/nearest.ts";
import { connectReader, type Reader } from "../../client/client.ts";
import { explainCallFailure } from "../../client/explain-failure.ts";
import { CallFailed } from "../../client/failure.ts";
import { eachDesired } from "../../manifest/desired-fleet.ts";
import { desiredOf } from "../../manifest/layers.ts";
import type { Policy } from "../../manifest/policies.ts";
import { projectsOf } from "../../manifest/projects.ts";
import { hasErrors } from "../../manifest/validate.ts";
import { addressOf } from "../../model/address.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { addressTest, projectPart } from "../../model/identity.ts";
import { identityOf } from "../../model/kinds.ts";
import { lookUpFields } from "../../model/look-ups.ts";
import { compareField } from "../../model/normalise.ts";
import { isRemoval } from "../../model/removal-changes.ts";
import type { Change, Desired, Live, Problem, Project } from "../../model/types.ts";
import { type Difference, diff } from "../../plan/diff/diff.ts";
import { connectionOf } from "../../run/connection.ts";
import {
  atRelease,
  type Context,
  leaseOf,
  openContext,
  refusedWorkspace,
  validateWorkspace,
} from "../../run/context.ts";
import { rememberAccepted } from "../../run/keep-results.ts";
import { readInventory } from "../../run/live/read-live.ts";
import { refresh } from "../../run/live/refresh.ts";
import type { RefreshScope } from "../../run/live/refresh-scope.ts";
import { type Selection, select } from "../../run/live/select-projects.ts";
import type { Request } from "../../run/request.ts";
import { scopeOf } from "../../run/scope.ts";
import type { LeaseToken } from "../../state/lease.ts";
import { loadWorkspace } from "../../workspace/load.ts";
import { acceptChange, type LiveTarget, type ManifestDraft } from "./accept-change.ts";
import { editableManifests, type Hunk, movedByAll, type NewPolicyFile, writeTexts } from "./manifests.ts";

export type { Hunk } from "./manifests.ts";

/** The live values that the user accepts. */
export interface AcceptRequest extends Request {
  /** Addresses, or globs over those with differences. */
  readonly addresses: readonly string[];
  /** True if nothing may be written. */
  readonly dryRun: boolean;
  /** True if `write` only proposes the changes, so that the ledger does not record them as accepted. */
  readonly isProposal?: boolean;
  /** A new file for a project's own policy; undefined if the workspace would ignore it. */
  readonly newFileFor: (project: Project, root: string) => NewPolicyFile | undefined;
  /** Writes files by their names in the workspace. @throws UserError on failure. */
  readonly write: (root: string, texts: ReadonlyMap<string, string>) => void;
}

interface AcceptedResource {
  readonly address: string;
  /** The changed lines; empty if only the ledger was updated. */
  readonly hunks: readonly Hunk[];
  readonly notes: readonly string[];
}

export interface Acceptance {
  readonly accepted: readonly AcceptedResource[];
  readonly inSync: readonly string[];
  /** Problems of resources that could not be read or accepted. */
  readonly problems: readonly Problem[];
}

/**
 * Changes manifests to declare the live values at the addresses that differ, and nothing else. Sends GET requests
 * only.
 * @throws UserError for an unknown address, and if manifests changed meanwhile; then nothing is written.
 */
export async function accept(request: AcceptRequest): Promise<Acceptance> {
  const { folder, env, addresses: targets } = request;
  const checked = validateWorkspace(loadWorkspace(folder, env), { ...request, targets });
  const mistaken = refusedWorkspace(checked);
  if (mistaken) return { accepted: [], inSync: [], problems: mistaken.problems };
  await using context = await openContext(checked);
  const blocked = refusedWorkspace(context);
  if (blocked) return { accepted: [], inSync: [], problems: blocked.problems };
  request.connecting?.();
  const isFinal = !request.dryRun && !request.isProposal;
  await using lease = context.ledger && isFinal ? await leaseOf(context) : undefined;
  if (isFinal) await context.ledger?.ready();
  await using reader = await connectReader(connectionOf(context));
  try {
    return await acceptTargets(reader, await atRelease(reader, context), request, lease?.token);
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    const problem: Problem = { severity: "error", rule: error.kind, message: explainCallFailure(error) };
    return { accepted: [], inSync: [], problems: [...context.problems, problem] };
  }
}

async function acceptTargets(
  reader: Reader,
  context: Context,
  request: AcceptRequest,
  lease: LeaseToken | undefined,
): Promise<Acceptance> {
  const { trusts: _, ...scope } = scopeOf(context);
  const selection = await select(reader, scope);
  const known = [...context.problems, ...selection.problems.filter(({ rule }) => rule !== "no-match")];
  if (hasErrors(known)) return { accepted: [], inSync: [], problems: known };
  const refreshed = await refresh(reader, selection, scope);
  const problems = [...known, ...refreshed.problems];
  const candidates = listCandidates(selection, refreshed.differences);
  const matches = request.addresses.map((glob) => {
    const isMatch = addressTest(glob);
    return [glob, candidates.filter(({ address, project }) => isMatch(address, project))] as const;
  });
  const [lost] = matches.find(([, found]) => found.length === 0) ?? [];
  if (lost !== undefined && !hasErrors(problems)) throw unknownAddress(lost, candidates, selection, context.policies);
  const targets = await findTargets(reader, scope, selection.projects, refreshed.differences, (project) =>
    request.newFileFor(project, context.loaded.root),
  );
  const outcome = acceptAll(context, targets, scope);
  if (!request.dryRun) writeTexts(context, request.write, outcome.manifests);
  const failure = lease && (await context.ledger?.save(lease));
  if (failure) throw new UserError(failure);
  const reported = outcome.resources.filter(({ hunks, notes }) => hunks.length + notes.length > 0);
  return { accepted: reported, inSync: inSyncAmong(matches), problems: [...problems, ...outcome.problems] };
}

/** A resource that a plan would remove has to be declared, so all of its fields are read. */
async function findTargets(
  reader: Reader,
  { workers, policies }: RefreshScope,
  known: readonly Project[],
  differences: readonly Difference[],
  newFileFor: (project: Project) => NewPolicyFile | undefined,
): Promise<readonly LiveTarget[]> {
  const projects = new Map(known.map((project) => [project.name, project]));
  const changes = differences.flatMap((difference) => difference.changes);
  return inParallel(changes, workers, async (change): Promise<LiveTarget> => {
    const { kind, key, live } = change;
    const ref = { project: projects.get(change.project) ?? { name: change.project }, kind, key: live?.key ?? key };
    const { resources } = desiredOf(policies, ref.project).desired;
    const identity = identityOf(reader.catalogue, ref);
    const before = resources.find((each) => each.identity === identity);
    const asCompared = replaceLookedUpNames(reader.catalogue, before, change);
    const more = { change, asCompared, newFile: newFileFor(ref.project) };
    if (!isRemoval(change)) return { ref: { ...ref, key }, live, ...more };
    const { live: all } = await readInventory(reader, ref.project, kind, (each) => each === ref.key);
    return { ref, live: all.find((each) => each.key === ref.key) ?? live, ...more };
  });
}

function acceptAll(context: Context, targets: readonly LiveTarget[], scope: RefreshScope) {
  const projects = targets.map(({ ref }) => ref.project);
  let manifests = editableManifests(context, projects);
  let resources: readonly AcceptedResource[] = [];
  const problems: Problem[] = [];
  for (const target of targets) {
    const draft = acceptChange(manifests, target);
    const outcome = updateLedger(draft, target, context, scope);
    const { address } = target.change;
    const accepted = { address, hunks: draft.hunks, notes: [...draft.notes, ...outcome.notes] };
    resources = [...resources.map((each) => ({ ...each, hunks: movedByAll(draft.hunks, each.hunks) })), accepted];
    problems.push(...outcome.problems);
    manifests = draft.manifests;
  }
  return { manifests, resources, problems };
}

/** A resource that is declared or differs. */
interface Candidate {
  readonly address: string;
  readonly project: Project;
  readonly differs: boolean;
}

function listCandidates({ fleet }: Pick<Selection, "fleet">, differences: readonly Difference[]): readonly Candidate[] {
  const changes = differences.flatMap((difference) => difference.changes);
  const changed = new Set(changes.map(({ address }) => address));
  const projects = new Map(fleet.projects.map((project) => [project.name, project]));
  const declared = [...eachDesired(fleet)].flatMap(({ project, resources }) =>
    resources.map(({ kind, key }) => ({ address: addressOf(project.name, kind, key), project })),
  );
  const unlisted = changes.map(({ address, project: name }) => ({ address, project: projects.get(name) ?? { name } }));
  const byAddress = new Map([...declared, ...unlisted].map((each) => [each.address, each]));
  return Array.from(byAddress.values(), (each) => ({ ...each, differs: changed.has(each.address) }));
}

function unknownAddress(
  glob: string,
  candidates: readonly Candidate[],
  { fleet, listing }: Selection,
  policies: readonly Policy[],
): UserError {
  if (/^storage:/i.test(glob)) return new UserError(`${glob}: a storage move cannot be accepted`, exit.usage);
  const projects = fleet.projects.length > 0 ? [] : projectsOf(policies, listing).projects;
  const addresses = candidates.map(({ address }) => address);
  if (projects.length === 0)
    return new UserError(`no policy declares ${glob}, and no plan would change it${didYouMean(glob, addresses)}`);
  const names = projects.map(({ name }) => name);
  return new UserError(`no policy selects ${projectPart(glob)}${didYouMean(projectPart(glob), names)}`);
}

/** Requested addresses that are in sync. Globs only request addresses that differ. */
function inSyncAmong(matches: readonly (readonly [glob: string, found: readonly Candidate[]])[]): readonly string[] {
  const inSync = matches.flatMap(([glob, found]) => {
    const same = found.filter(({ differs }) => !differs);
    if (!isGlob(glob)) return same.map(({ address }) => address);
    return same.length > 0 && same.length === found.length ? [glob] : [];
  });
  return [...new Set(inSync)];
}

/** Records the live state in the ledger as accepted, and reports the changes that a plan would still list. */
function updateLedger(
  draft: ManifestDraft,
  { ref, change, live, asCompared }: LiveTarget,
  { ledger, loaded }: Context,
  scope: RefreshScope,
): Pick<AcceptedResource, "notes"> & Pick<Acceptance, "problems"> {
  const catalogue = loaded.workspace.catalogue;
  const { desired } = desiredOf(draft.manifests.policies, ref.project);
  const identity = identityOf(catalogue, ref);
  const resources = desired.resources.filter((each) => each.identity === identity).map(asCompared);
  const [wanted] = resources;
  const { address, origin } = change;
  const unverified = wanted && live ? listUnverified(catalogue, wanted, live) : [];
  const unreported =
    unverified.length > 0
      ? [`the server does not report ${unverified.join(", ")}, so there is no value to accept`]
      : [];
  const before = ledger?.recall(address);
  if (ledger && live && wanted?.presence === "present") {
    rememberAccepted(ledger, { address, desired: wanted, live, unverified });
  } else if (before) ledger?.forget(address);
  const [left] = diff({ ...desired, resources }, live ? [live] : [], scope.diff(ref.project)).changes;
  const isIdle = draft.hunks.length === 0;
  if (!left) {
    const hidden = ["no visible difference; the ledger now records the server's state", ...unreported].join("; ");
    return { notes: isIdle && before ? [hidden] : [], problems: [] };
  }
  if (ledger && isIdle && before) ledger.remember(address, before);
  const why = [...(draft.left.length > 0 ? draft.left : unreported), `the plan still reports: ${left.reason}`];
  const message = `${address} ${isIdle ? "was not accepted" : "was accepted in part"}: ${why.join("; ")}`;
  return { notes: [], problems: [{ severity: "error", rule: "not-accepted", message, place: origin.place() }] };
}

function listUnverified(catalogue: Catalogue, desired: Desired, live: Live): readonly string[] {
  const unverified = Object.entries(desired.fields).filter(
    ([name, value]) => compareField(catalogue, desired, name, value, live.fields[name]) === "unverified",
  );
  return unverified.map(([name]) => name);
}

/**
 * Replaces names by the IDs that look-ups returned, as far as the names are still those of `before`: the server has IDs
 * where manifests have names.
 */
function replaceLookedUpNames(
  catalogue: Catalogue,
  before: Desired | undefined,
  { kind, declared }: Change,
): LiveTarget["asCompared"] {
  const file = catalogue.kinds.get(kind)?.file;
  if (!file || !before) return (desired) => desired;
  const names = lookUpFields(file).filter((name) => name in before.fields && name in declared);
  const written = new Map(names.map((name) => [name, canonical(before.fields[name])]));
  return (desired) => {
    const { fields } = desired;
    const same = names.filter((name) => name in fields && canonical(fields[name]) === written.get(name));
    if (same.length === 0) return desired;
    const current = Object.fromEntries(same.map((name) => [name, declared[name] ?? null]));
    return { ...desired, fields: { ...fields, ...current } };
  };
}

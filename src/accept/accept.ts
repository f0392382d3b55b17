import { join } from "node:path";
import { inParallel } from "../base/concurrency.ts";
import { exit, Refusal } from "../base/exit.ts";
import { isGlob } from "../base/glob.ts";
import { didYouMean } from "../base/nearest.ts";
import { connectReader, type Reader } from "../client/client.ts";
import { explained } from "../client/explain-failure.ts";
import { CallFailed } from "../client/failure.ts";
import type { Difference } from "../diff/diff.ts";
import { readInventory } from "../live/read-live.ts";
import { readAndDiff, type Selection, type SurveyScope, select } from "../live/survey.ts";
import { parseManifest } from "../manifest/document.ts";
import { projectsOf } from "../manifest/layers.ts";
import { matchingLayers } from "../manifest/selection.ts";
import { hasErrors, validate } from "../manifest/validate.ts";
import { addressOf } from "../model/address.ts";
import { addressTest, projectPart } from "../model/identity.ts";
import { isRemoval } from "../model/turns-off.ts";
import type { Problem, Project } from "../model/types.ts";
import { type Context, connectionOf, leaseOf, openContext, validated } from "../reconcile/context.ts";
import type { Request } from "../reconcile/request.ts";
import { scopeOf } from "../reconcile/scope.ts";
import { atRelease, isRefused } from "../reconcile/server-release.ts";
import type { LeaseToken } from "../state/state.ts";
import { loadWorkspace } from "../workspace/load.ts";
import { textIn } from "../workspace/texts.ts";
import { acceptChange, type LiveTarget } from "./accept-change.ts";
import type { NewHome } from "./homes.ts";
import { type Hunk, movedByAll } from "./hunks.ts";
import type { Fleet, Manifests } from "./manifests.ts";
import { judgedAfter } from "./remember.ts";

export type { Hunk } from "./hunks.ts";

/** What a person says is right as it is on the server. */
export interface AcceptRequest extends Request {
  /** Addresses, or globs over those that differ now. */
  readonly addresses: readonly string[];
  /** Whether nothing is to be written. */
  readonly dryRun: boolean;
  /** A file that can be made for a project's own policy; undefined where the workspace would not look at it. */
  readonly newHome: (project: Project, root: string) => NewHome | undefined;
  /** Writes whole texts of files, by their names in the workspace. @throws Refusal where it cannot. */
  readonly write: (root: string, texts: ReadonlyMap<string, string>) => void;
}

/** What became of one address. */
export interface AcceptedThing {
  readonly address: string;
  /** The lines that were changed for it; none where only the ledger had to learn of it. */
  readonly hunks: readonly Hunk[];
  readonly notes: readonly string[];
}

export interface Acceptance {
  readonly accepted: readonly AcceptedThing[];
  /** Addresses that were asked for, and of which the manifests say what is live already. */
  readonly inSync: readonly string[];
  /** Errors among them: what could not be read or accepted. */
  readonly problems: readonly Problem[];
}

/**
 * Makes manifests say what is live at the addresses that differ, and nothing else of anything else. Sends GET requests
 * only. @throws Refusal where an address means nothing, or manifests changed meanwhile; then nothing is written.
 */
export async function accept(request: AcceptRequest): Promise<Acceptance> {
  const { folder, env, addresses: targets } = request;
  const checked = validated(loadWorkspace(folder, env), { ...request, targets });
  if (isRefused(checked)) return { accepted: [], inSync: [], problems: checked.problems };
  await using context = await openContext(checked);
  if (isRefused(context)) return { accepted: [], inSync: [], problems: context.problems };
  request.connecting?.();
  await using lease = context.ledger && !request.dryRun ? await leaseOf(context) : undefined;
  if (!request.dryRun) context.ledger?.ready();
  await using reader = await connectReader(connectionOf(context));
  try {
    return await accepted(reader, await atRelease(reader, context), request, lease?.token);
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    const problem: Problem = { severity: "error", rule: error.kind, message: explained(error) };
    return { accepted: [], inSync: [], problems: [...context.problems, problem] };
  }
}

async function accepted(
  reader: Reader,
  context: Context,
  request: AcceptRequest,
  lease: LeaseToken | undefined,
): Promise<Acceptance> {
  const { trusts: _, ...scope } = scopeOf(context);
  const selection = await select(reader, scope);
  const known = [...context.problems, ...selection.problems.filter(({ rule }) => rule !== "no-match")];
  if (hasErrors(known)) return { accepted: [], inSync: [], problems: known };
  const survey = await readAndDiff(reader, selection, scope);
  const problems = [...known, ...survey.problems];
  const inSync = meant(request.addresses, context, selection, survey.differences, problems);
  const fleet = { workspace: context.loaded.workspace, projects: selection.projects };
  const targets = await targetsOf(reader, survey.differences, fleet, scope);
  const outcome = acceptAll(context, request, targets, { fleet, scope });
  if (!request.dryRun) write(context, request, outcome.manifests);
  const trouble = lease && (await context.ledger?.save(lease));
  if (trouble) throw new Refusal(trouble);
  const told = outcome.things.filter(({ hunks, notes }) => hunks.length + notes.length > 0);
  return { accepted: told, inSync, problems: [...problems, ...outcome.problems] };
}

/** Addresses that were asked for and are in sync. @throws Refusal where one means nothing at all. */
function meant(
  globs: readonly string[],
  context: Context,
  { desired, listing }: Selection,
  differences: readonly Difference[],
  problems: readonly Problem[],
): readonly string[] {
  const changed = new Set(differences.flatMap(({ changes }) => changes.map(({ address }) => address)));
  const declared = desired.flatMap(({ project, resources }) =>
    resources.map(({ kind, key }) => ({ address: addressOf(project.name, kind, key), project })),
  );
  const unlisted = differences.flatMap(({ changes, project: name }) =>
    changes.map(({ address }) => ({
      address,
      project: desired.find(({ project }) => project.name === name)?.project ?? { name },
    })),
  );
  const found = new Map([...declared, ...unlisted].map((each) => [each.address, each]));
  for (const glob of globs) {
    const matches = addressTest(glob);
    if ([...found.values()].some(({ address, project }) => matches(address, project))) continue;
    if (hasErrors(problems)) continue;
    throw unknownAddress(
      glob,
      [...found.keys()],
      desired.length > 0 ? [] : projectsOf(context.policies, listing).projects,
    );
  }
  const inSync = globs.flatMap((glob) => {
    const matches = addressTest(glob);
    const those = [...found.values()].filter(({ address, project }) => matches(address, project));
    const same = those.map(({ address }) => address).filter((address) => !changed.has(address));
    return isGlob(glob) && same.length > 0 ? globInSync(glob, same.length === those.length) : same;
  });
  return [...new Set(inSync)];
}

/** Of all that a glob matches only what differs is asked for. */
function globInSync(glob: string, isAll: boolean): readonly string[] {
  return isAll ? [glob] : [];
}

function unknownAddress(glob: string, addresses: readonly string[], projects: readonly Project[]): Refusal {
  if (/^storage:/i.test(glob)) return new Refusal(`${glob}: a storage move cannot be accepted`, exit.usage);
  if (projects.length === 0) {
    return new Refusal(`no policy declares ${glob}, and no plan would change it${didYouMean(glob, addresses)}`);
  }
  const names = projects.map(({ name }) => name);
  return new Refusal(`no policy selects ${projectPart(glob)}${didYouMean(projectPart(glob), names)}`);
}

/** What goes by a plan and is to stay has to be declared, so all of it is read. */
async function targetsOf(
  reader: Reader,
  differences: readonly Difference[],
  fleet: Fleet,
  { workers }: SurveyScope,
): Promise<readonly LiveTarget[]> {
  const projects = new Map(fleet.projects.map((project) => [project.name, project]));
  const changes = differences.flatMap((difference) => difference.changes);
  return inParallel(changes, workers, async (change): Promise<LiveTarget> => {
    const { kind, key, live } = change;
    const thing = { project: projects.get(change.project) ?? { name: change.project }, kind, key: live?.key ?? key };
    if (!isRemoval(change)) return { thing: { ...thing, key }, change, live };
    const { live: all } = await readInventory(reader, thing.project, kind, (each) => each === thing.key);
    return { thing, change, live: all.find((each) => each.key === thing.key) ?? live };
  });
}

interface AcceptedAll {
  readonly manifests: Manifests;
  readonly things: readonly AcceptedThing[];
  readonly problems: readonly Problem[];
}

function acceptAll(
  context: Context,
  request: AcceptRequest,
  targets: readonly LiveTarget[],
  { fleet, scope }: { readonly fleet: Fleet; readonly scope: SurveyScope },
): AcceptedAll {
  const {
    loaded: { root },
    policies,
    expired,
  } = context;
  const start: Manifests = {
    texts: textsFor(context, targets),
    policies,
    otherNames: expired.map(({ name }) => name),
  };
  let things: readonly AcceptedThing[] = [];
  const problems: Problem[] = [];
  const manifests = targets.reduce((before, target) => {
    const { change } = target;
    const draft = acceptChange(before, target, { fleet, made: request.newHome(target.thing.project, root) });
    const judgement = judgedAfter(draft, target, { context, scope });
    const thing = { address: change.address, hunks: draft.hunks, notes: [...draft.notes, ...judgement.notes] };
    things = [...things.map((each) => ({ ...each, hunks: movedByAll(draft.hunks, each.hunks) })), thing];
    problems.push(...judgement.problems);
    return draft.manifests;
  }, start);
  return { manifests, things, problems };
}

/** The texts of all files that may have a say in what is accepted. @throws Refusal where one cannot be read any more. */
function textsFor({ loaded: { root }, policies }: Context, targets: readonly LiveTarget[]): Map<string, string> {
  const layers = targets.flatMap(({ thing }) => matchingLayers(policies, thing.project));
  const files = new Set(layers.map(({ policy }) => policy.document.file));
  return new Map([...files].map((name) => [name, textNow(root, name).replace(/^\uFEFF/, "")]));
}

function textNow(root: string, name: string): string {
  const text = textIn({ path: join(root, name), name });
  if (typeof text === "string") return text;
  throw new Refusal(text?.unreadable ?? `${name}: expected text in UTF-8, of 4 MiB at most`);
}

/** All texts that are new. @throws Refusal where manifests are not what they were, or would have mistakes. */
function write({ loaded, policies }: Context, request: AcceptRequest, after: Manifests): void {
  const { root, digest } = loaded;
  const now = loadWorkspace(root);
  if (now.digest !== digest) throw new Refusal("the manifests changed meanwhile; nothing was written: run it again");
  const written = new Set(policies.map(({ document }) => document.file));
  const changed = [...after.texts].flatMap(([name, text]): [string, string][] => {
    const before = written.has(name) ? textNow(root, name) : "";
    const mark = before.startsWith("\uFEFF") ? "\uFEFF" : "";
    return before === mark + text ? [] : [[name, mark + text]];
  });
  const texts = new Map(changed);
  const edited = changed.flatMap(([name]) => parseManifest(name, after.texts.get(name) ?? "").documents);
  const documents = [...loaded.documents.filter(({ file }) => !texts.has(file)), ...edited];
  if (hasErrors(validate({ ...loaded, documents }).problems) && !hasErrors(validate(loaded).problems)) {
    throw new Refusal("the manifests would not be valid afterwards; nothing was written");
  }
  if (changed.length > 0) request.write(root, texts);
}

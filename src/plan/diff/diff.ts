import { grouped } from "../../base/grouped.ts";
import { addressOf } from "../../model/address.ts";
import { type Catalogue, catalogueOf } from "../../model/catalogue.ts";
import type { Comparison } from "../../model/field-meaning.ts";
import { fieldOf, identityOf, kindOf } from "../../model/kinds.ts";
import { compareField } from "../../model/normalise.ts";
import { switchedOff, turnedOff } from "../../model/removal-changes.ts";
import { mayOverride } from "../../model/server-required.ts";
import type { Change, Desired, DesiredProject, Kind, Live, Problem, Resource } from "../../model/types.ts";
import type { OverrideCount } from "../overrides.ts";
import { createChange, createCreation, createRemoval, inApplyOrder, pick, resetFields, resetSides } from "./changes.ts";
import { type Recalled, recollect } from "./last-applied.ts";
import {
  chooseAction,
  describeCaseNamesakes,
  describeNamesakes,
  explainImpossible,
  explainMistakable,
  explainSkipped,
} from "./obstacles.ts";
import type { DiffOptions, FullDiffOptions } from "./options.ts";
import {
  explainCreation,
  explainExclusion,
  explainOverride,
  explainRemoval,
  explainUpdate,
  unlistedAddress,
} from "./reasons.ts";
import { compareMarks, visibleLive, whyNotCompared } from "./returned.ts";

type LiveCounts = Readonly<Record<Kind, number>>;

/** The differences between a project's desired and live state. */
export interface Difference {
  readonly project: string;
  /** In the order of their application. */
  readonly changes: readonly Change[];
  /** Number of live resources that were read: the base of a guard's percentage. */
  readonly live: number;
  readonly liveByKind?: LiveCounts;
  /** Number of live resources that no policy lists. */
  readonly unmanaged: number;
  /** Their addresses, if `listUnmanaged` asks for them. */
  readonly unmanagedAddresses?: readonly string[];
  readonly unverified: readonly Unverified[];
  /** Addresses of declared resources that are inherited from a group. */
  readonly inherited?: readonly string[];
  /** Entries of policies with a wildcard that other policies override; omitted if there are none. */
  readonly overrides?: readonly OverrideCount[];
  /** Resources in sync; only with a ledger. */
  readonly settled: readonly InSync[];
  /** Addresses of absent resources that are absent as declared; only with a ledger. */
  readonly absent: readonly string[];
  readonly problems: readonly Problem[];
}

/** Declared parameters of a live resource that could not be compared. */
export interface Unverified {
  readonly address: string;
  readonly fields: readonly string[];
  /** The reason why secrets among them that the server returned were not compared: `not compared: NAME is not set`. */
  readonly reason?: string;
}

/** Compares desired and live state of one project (docs/comparing.md). Pure; the same input gives the same changes. */
export function diff(desired: DesiredProject, live: readonly Live[], given: DiffOptions): Difference {
  const { catalogue = catalogueOf() } = given;
  const options = { ...given, catalogue };
  const project = desired.project.name;
  // Users of the library may construct a resource without its identity.
  const identities = desired.resources.map((each) => each.identity ?? identityOf(catalogue, each));
  const byIdentity = grouped(live, (each) => identityOf(catalogue, each));
  const results = desired.resources.flatMap((resource, index) => {
    const namesakes = byIdentity.get(identities[index] ?? "") ?? none;
    const isSkipped = !isTargeted(project, resource, options) || isPlainlyInSync(resource, namesakes, options);
    return isSkipped ? none : diffResource(project, resource, namesakes, options);
  });
  const listed = new Set(identities);
  const unlisted = [...byIdentity].flatMap<Live>(([identity, namesakes]) => (listed.has(identity) ? none : namesakes));
  const leftovers = unlisted.filter(({ active }) => active);
  for (const namesakes of grouped(leftovers, ({ kind, key }) => addressOf(project, kind, key)).values())
    results.push(diffUnlisted(desired, namesakes, options));
  const gather = <Each>(listOf: (result: ResourceDiff) => readonly Each[] | undefined): readonly Each[] =>
    shareEmpty(results.flatMap((result) => listOf(result) ?? none));
  const inherited = gather((result) => result.inherited);
  const unmanaged = gather((result) => result.unmanagedAddresses);
  const found = gather((result) => result.changes);
  const others = found.length > 0 ? [...live, ...found] : none;
  const mistakable = found.map((change) => explainMistakable(change, others, options));
  const changes = found.filter((_, index) => mistakable[index] === undefined);
  return {
    project,
    ...(inherited.length > 0 && { inherited }),
    changes: shareEmpty(changes.map((change) => markExpired(catalogue, change, desired)).sort(inApplyOrder(catalogue))),
    live: live.filter((resource) => resource.active).length,
    liveByKind: countByKind(live),
    unmanaged: unmanaged.length,
    ...(options.listUnmanaged && { unmanagedAddresses: unmanaged }),
    unverified: gather((result) => result.unverified),
    settled: gather((result) => result.settled),
    absent: shareEmpty([...gather((result) => result.absent), ...listEmptyKinds(desired, leftovers, options)]),
    problems: shareEmpty([...gather((result) => result.problems), ...mistakable.flatMap((problem) => problem ?? none)]),
  };
}

const none: readonly never[] = [];

/** Shares one empty list, because a run keeps the differences of a whole fleet. */
function shareEmpty<Each>(list: readonly Each[]): readonly Each[] {
  return list.length === 0 ? none : list;
}

function countByKind(live: readonly Live[]): LiveCounts {
  const counts: Record<Kind, number> = {};
  for (const { kind, active } of live) if (active) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

function markExpired(catalogue: Catalogue, change: Change, { expired }: DesiredProject): Change {
  const place = expired?.get(identityOf(catalogue, change))?.place();
  return place ? { ...change, reason: `expired: ${place.file}:${place.line}` } : change;
}

function isTargeted(project: string, { kind, key }: Resource, { target }: DiffOptions): boolean {
  return !target || target(addressOf(project, kind, key));
}

/** Exclusive kinds without unlisted resources, by the addresses that represent them in the ledger. */
function listEmptyKinds(
  { project, exclusive }: DesiredProject,
  leftovers: readonly Live[],
  { ledger, target }: DiffOptions,
): readonly string[] {
  if (!ledger || target) return none;
  const skipped = new Set(leftovers.map(({ kind }) => kind));
  return [...exclusive.keys()].filter((kind) => !skipped.has(kind)).map((kind) => unlistedAddress(project.name, kind));
}

type Lists = "changes" | "unverified" | "inherited" | "unmanagedAddresses" | "problems" | "settled" | "absent";

/** The part of a resource in the difference of its project. */
type ResourceDiff = Partial<Pick<Difference, Lists>>;

export interface InSync extends Readonly<Record<Comparison, readonly string[]>> {
  readonly address: string;
  readonly desired: Desired;
  readonly live: Live;
}

function diffResource(
  project: string,
  desired: Desired,
  namesakes: readonly Live[],
  options: FullDiffOptions,
): ResourceDiff {
  if (namesakes.length > 1) return diffAmbiguous(project, desired, namesakes, options);
  const [live] = namesakes;
  if (desired.presence === "absent") return diffAbsent(project, desired, live, options);
  // Disabled counts as absent, unless `active` is a parameter of the resource (docs/comparing.md).
  if (!live?.active && !(live && fieldOf(options.catalogue, live, "active")))
    return diffMissing(project, desired, options);
  return live.inherited ? diffInherited(project, desired, live, options) : diffLive(project, desired, live, options);
}

/** Inherited resources as declared need no change; others give way to the project's own, if the server allows it. */
function diffInherited(project: string, desired: Desired, live: Live, options: FullDiffOptions): ResourceDiff {
  const { catalogue, release } = options;
  const result = diffLive(project, desired, live, options);
  const address = addressOf(project, desired.kind, desired.key);
  if (!result.changes) return { ...result, inherited: [address] };
  if (!mayOverride(catalogue, desired, release) || switchedOff(desired, live).length > 0) return result;
  return { changes: [createCreation(options, project, desired, explainOverride(address, options))] };
}

function diffMissing(project: string, desired: Desired, options: FullDiffOptions): ResourceDiff {
  const why = explainCreation(desired, addressOf(project, desired.kind, desired.key), options);
  if (!why) return {};
  const problem = explainImpossible(options, project, desired, desired.origin, "create");
  return problem ? { problems: [problem] } : { changes: [createCreation(options, project, desired, why)] };
}

function diffLive(project: string, desired: Desired, live: Live, options: FullDiffOptions): ResourceDiff {
  const { catalogue, ledger } = options;
  const address = addressOf(project, desired.kind, desired.key);
  const compared = compareFields(address, desired, live, options);
  const recalled = recollect(desired, address, compared, live, ledger);
  const evidence = {
    ...compared,
    ...recalled,
    different: compared.different.filter((name) => !recalled.unkept.includes(name)),
    // The server has the settings of its group, whatever was sent before.
    ...(live.inherited && { edited: compared.unverified, isInherited: true }),
  };
  const { unverified: fields } = compared;
  const reason = fields.length === 0 ? undefined : whyNotCompared(desired.fields, fields, live);
  const unverified = fields.length === 0 ? {} : { unverified: [{ address, fields, ...(reason && { reason }) }] };
  const why = explainUpdate(address, evidence, options);
  if (!why) return { ...unverified, ...(ledger && { settled: [{ address, desired, live, ...compared }] }) };
  const changed = [...evidence.different, ...evidence.edited];
  const names = [...changed, ...fieldsToResend(address, desired, evidence, options)];
  const isDue = changed.length > 0 || options.resend?.(address) === true;
  const action = chooseAction(options, project, desired, live, { names, isDue });
  if (action === undefined) return unverified;
  if (typeof action !== "string") return { ...unverified, problems: [action] };
  const kind = kindOf(catalogue, desired.kind);
  const off = kind.file.off === undefined ? [] : switchedOff(desired, live);
  const resets = action === "replace" ? resetFields(kind, desired.fields, live) : [];
  const reset = resetSides(kind, resets, live);
  const visible = {
    before: { ...reset.before, ...visibleLive(live, evidence.different), ...pick(turnedOff.before, off) },
    after: { ...reset.after, ...pick(desired.fields, [...names, ...off]) },
  };
  const subject = { project, resource: desired, live, ...why, ...(resets.length > 0 && { resets }) };
  return { ...unverified, changes: [createChange(options, subject, action, visible)] };
}

/**
 * Fields that are sent again although they cannot be compared, for kinds whose updates are partial: all of them with
 * `--resend`, else those that an update can send.
 */
function fieldsToResend(
  address: string,
  { kind }: Desired,
  { unverified, edited, moved }: Recalled & Pick<Record<Comparison, readonly string[]>, "unverified">,
  { catalogue, resend, alwaysSend }: FullDiffOptions,
): readonly string[] {
  const { file } = kindOf(catalogue, kind);
  if (file.whole) return [];
  const isAsked = resend?.(address) ?? false;
  if (!isAsked && !alwaysSend && !moved) return [];
  const others = unverified.filter((name) => !edited.includes(name));
  return isAsked ? others : others.filter((name) => !file.fields.properties[name]?.["x-immutable"]);
}

/** A shortcut for the common case: nothing to change, and nothing to record. */
function isPlainlyInSync(
  desired: Desired,
  [live, ...others]: readonly Live[],
  { catalogue, ledger, resend, settled = true }: FullDiffOptions,
): boolean {
  if (resend || (ledger && settled) || desired.presence === "absent") return false;
  if (!live?.active || live.inherited || others.length > 0) return false;
  for (const name in desired.fields) {
    if (compareField(catalogue, desired, name, desired.fields[name] ?? null, live.fields[name]) !== "same")
      return false;
  }
  return true;
}

/** Several live resources with one identity: users must decide which one to keep. */
function diffAmbiguous(
  project: string,
  desired: Desired,
  namesakes: readonly Live[],
  options: FullDiffOptions,
): ResourceDiff {
  const address = addressOf(project, desired.kind, desired.key);
  const agree = namesakes.every((live) => compareFields(address, desired, live, options).different.length === 0);
  const isOne = new Set(namesakes.map(({ key }) => key)).size === 1;
  if (agree && !isOne && desired.presence === "present") return {};
  const severity = agree && desired.presence === "present" ? "warning" : "error";
  const which = isOne ? describeNamesakes(options.catalogue, namesakes) : describeCaseNamesakes(namesakes);
  const message = `${which}; keep one of them`;
  return { problems: [{ severity, rule: "ambiguous", message, place: desired.origin.place(), project }] };
}

function diffAbsent(project: string, desired: Desired, live: Live | undefined, options: FullDiffOptions): ResourceDiff {
  if (!live?.active) return options.ledger ? { absent: [addressOf(project, desired.kind, desired.key)] } : {};
  const problem = explainImpossible(options, project, live, desired.origin, "delete");
  if (problem) return { problems: [problem] };
  const why = explainRemoval(project, live, options);
  return { changes: [createRemoval(options, { project, resource: desired, live, ...why })] };
}

/**
 * Fields by result of their comparison, sorted by name, so that the order of a manifest's keys does not matter. Returned
 * secrets are compared by their marks.
 */
function compareFields(
  address: string,
  desired: Desired,
  { fields, returned }: Live,
  { catalogue, isMarked }: FullDiffOptions,
): Record<Comparison, string[]> {
  const sorted: Record<Comparison, string[]> = { same: [], different: [], unverified: [] };
  for (const name of Object.keys(desired.fields).sort()) {
    const value = desired.fields[name] ?? null;
    const visible = compareField(catalogue, desired, name, value, fields[name]);
    const isSecret = returned && visible === "unverified";
    sorted[isSecret ? compareMarks(value, returned[name], { address, name }, isMarked) : visible].push(name);
  }
  return sorted;
}

function diffUnlisted(
  { project, exclusive }: DesiredProject,
  namesakes: readonly [Live, ...Live[]],
  options: FullDiffOptions,
): ResourceDiff {
  const [live] = namesakes;
  const unmanagedAddresses = namesakes.map(({ kind, key }) => addressOf(project.name, kind, key));
  const origin = exclusive.get(live.kind);
  if (!origin || !isTargeted(project.name, live, options)) return { unmanagedAddresses };
  const skipped = explainSkipped(project.name, namesakes, origin, options);
  if (skipped) return { unmanagedAddresses, problems: [skipped] };
  const resource = { kind: live.kind, key: live.key, fields: {}, origin };
  const why = explainExclusion(project.name, live, options);
  return { changes: [createRemoval(options, { project: project.name, resource, live, ...why })] };
}

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
import { describeCaseNamesakes, describeNamesakes, explainMistakable, explainSkipped } from "./left-alone.ts";
import type { DiffOptions, FullDiffOptions } from "./options.ts";
import {
  explainCreation,
  explainExclusion,
  explainOverride,
  explainRemoval,
  explainUpdate,
  unlistedAddress,
} from "./reasons.ts";
import { chooseAction, explainImpossible } from "./replacement.ts";
import { compareReturned, visibleLive, whyNotCompared } from "./returned.ts";

export type LiveCounts = Readonly<Record<Kind, number>>;

/** The differences between a project's desired and live state. */
export interface Difference {
  readonly project: string;
  /** In the order of their application. */
  readonly changes: readonly Change[];
  /** Number of live resources that were read: the base of a guard's percentage. */
  readonly live: number;
  readonly liveByKind?: LiveCounts;
  /** Addresses of live resources that no policy lists. */
  readonly unmanaged: readonly string[];
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
  const byIdentity = grouped(live, (each) => identityOf(catalogue, each));
  const listed = new Set<string>();
  const diffs: ResourceDiff[] = [];
  for (const resource of desired.resources) {
    // Users of the library may construct a resource without it.
    const { identity = identityOf(catalogue, resource) } = resource;
    const namesakes = byIdentity.get(identity) ?? none;
    if (namesakes !== none) listed.add(identity);
    if (!isTargeted(project, resource, options)) continue;
    const found = diffResource(project, resource, namesakes, options);
    if (found !== inSync) diffs.push(found);
  }
  const unlisted =
    listed.size === byIdentity.size ? none : live.filter((each) => !listed.has(identityOf(catalogue, each)));
  const leftovers = unlisted.filter(({ active }) => active);
  for (const namesakes of grouped(leftovers, ({ kind, key }) => addressOf(project, kind, key)).values())
    for (const found of diffUnlisted(desired, namesakes, options)) diffs.push(found);
  const inherited = diffs.flatMap((found) => found.inherited ?? []);
  const { changes, mistakable } = separateMistakable(live, diffs, options);
  return {
    project,
    ...(inherited.length > 0 && { inherited }),
    changes: shareEmpty(changes.map((change) => markExpired(catalogue, change, desired)).sort(inApplyOrder(catalogue))),
    live: live.filter((resource) => resource.active).length,
    liveByKind: countByKind(live),
    unmanaged: shareEmpty(diffs.flatMap((found) => found.unmanaged ?? [])),
    unverified: shareEmpty(diffs.flatMap((found) => found.unverified ?? [])),
    settled: shareEmpty(diffs.flatMap((found) => found.settled ?? [])),
    absent: shareEmpty([
      ...diffs.flatMap((found) => found.absent ?? []),
      ...listEmptyKinds(desired, leftovers, options),
    ]),
    problems: shareEmpty([...diffs.flatMap((found) => found.problem ?? []), ...mistakable]),
  };
}

function separateMistakable(live: readonly Live[], diffs: readonly ResourceDiff[], options: FullDiffOptions) {
  const found = diffs.flatMap(({ change }) => change ?? []);
  const others = found.length > 0 ? [...live, ...found] : none;
  const problems = found.map((change) => explainMistakable(change, others, options));
  return {
    changes: found.filter((_, index) => problems[index] === undefined),
    mistakable: problems.filter((problem) => problem !== undefined),
  };
}

function countByKind(live: readonly Live[]): LiveCounts {
  const counts: Record<Kind, number> = {};
  for (const { kind, active } of live) if (active) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

const none: readonly never[] = [];

/** Shares one empty list, because a run keeps the differences of a whole fleet. */
function shareEmpty<Item>(items: readonly Item[]): readonly Item[] {
  return items.length === 0 ? none : items;
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
  if (!ledger || target) return [];
  const skipped = new Set(leftovers.map(({ kind }) => kind));
  return [...exclusive.keys()].filter((kind) => !skipped.has(kind)).map((kind) => unlistedAddress(project.name, kind));
}

interface ResourceDiff {
  readonly change?: Change;
  readonly unverified?: Unverified;
  readonly inherited?: string;
  readonly unmanaged?: string;
  readonly problem?: Problem;
  readonly settled?: InSync;
  readonly absent?: string;
}

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
  const { catalogue } = options;
  if (namesakes.length > 1) return diffAmbiguous(catalogue, project, desired, namesakes);
  const [live] = namesakes;
  if (desired.presence === "absent") return diffAbsent(project, desired, live, options);
  if (!live || isOff(catalogue, live)) return diffMissing(project, desired, options);
  if (live.inherited) return diffInherited(project, desired, live, options);
  return isPlainlyInSync(desired, live, options) ? inSync : diffLive(project, desired, live, options);
}

/**
 * Inherited resources that are as declared need no change; otherwise the project gets its own settings, if the server
 * allows it.
 */
function diffInherited(project: string, desired: Desired, live: Live, options: FullDiffOptions): ResourceDiff {
  const { catalogue, release } = options;
  const found = diffLive(project, desired, live, options);
  const address = addressOf(project, desired.kind, desired.key);
  if (!found.change) return { ...found, inherited: address };
  if (!mayOverride(catalogue, desired, release) || switchedOff(desired, live).length > 0) return found;
  return { change: createCreation(options, project, desired, explainOverride(address, options)) };
}

function diffMissing(project: string, desired: Desired, options: FullDiffOptions): ResourceDiff {
  const why = explainCreation(desired, addressOf(project, desired.kind, desired.key), options);
  if (!why) return inSync;
  const problem = explainImpossible(options, project, desired, desired.origin, "create");
  return problem ? { problem } : { change: createCreation(options, project, desired, why) };
}

function diffLive(project: string, desired: Desired, live: Live, options: FullDiffOptions): ResourceDiff {
  const { catalogue } = options;
  const address = addressOf(project, desired.kind, desired.key);
  const compared = compareReturned(
    address,
    desired.fields,
    sortFields(catalogue, desired, live),
    live,
    options.isMarked,
  );
  const recalled = recollect(desired, address, compared, live, options.ledger);
  const evidence = {
    ...compared,
    ...recalled,
    different: compared.different.filter((name) => !recalled.unkept.includes(name)),
    // The server has the settings of its group, whatever was sent before.
    ...(live.inherited && { edited: compared.unverified, isInherited: true }),
  };
  const { unverified: fields } = compared;
  const reason = whyNotCompared(desired.fields, fields, live);
  const found: ResourceDiff =
    fields.length === 0 ? {} : { unverified: { address, fields, ...(reason !== undefined && { reason }) } };
  const why = explainUpdate(address, evidence, options);
  if (!why) return options.ledger ? { ...found, settled: { address, desired, live, ...compared } } : found;
  const changed = [...evidence.different, ...evidence.edited];
  const names = [...changed, ...fieldsToResend(address, desired, evidence, options)];
  const isDue = changed.length > 0 || options.resend?.(address) === true;
  const action = chooseAction(options, project, desired, live, { names, isDue });
  if (action === undefined) return found;
  if (typeof action !== "string") return { ...found, problem: action };
  const kind = kindOf(catalogue, desired.kind);
  const off = kind.file.off === undefined ? [] : switchedOff(desired, live);
  const resets = action === "replace" ? resetFields(kind, desired.fields, live) : [];
  const reset = resetSides(kind, resets, live);
  const visible = {
    before: { ...reset.before, ...visibleLive(live, evidence.different), ...pick(turnedOff.before, off) },
    after: { ...reset.after, ...pick(desired.fields, [...names, ...off]) },
  };
  const subject = { project, resource: desired, live, ...why, ...(resets.length > 0 && { resets }) };
  return { ...found, change: createChange(options, subject, action, visible) };
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

/** Shared result for the common case: nothing to change. */
const inSync: ResourceDiff = {};

function isPlainlyInSync(desired: Desired, live: Live, options: FullDiffOptions): boolean {
  const { catalogue, ledger, resend, settled = true } = options;
  if (resend || (ledger && settled)) return false;
  for (const name in desired.fields) {
    if (compareField(catalogue, desired, name, desired.fields[name] ?? null, live.fields[name]) !== "same")
      return false;
  }
  return true;
}

/** Several live resources with one identity: users must decide which one to keep. */
function diffAmbiguous(
  catalogue: Catalogue,
  project: string,
  desired: Desired,
  namesakes: readonly Live[],
): ResourceDiff {
  const agree = namesakes.every((live) => sortFields(catalogue, desired, live).different.length === 0);
  const isOne = new Set(namesakes.map(({ key }) => key)).size === 1;
  if (agree && !isOne && desired.presence === "present") return {};
  const severity = agree && desired.presence === "present" ? "warning" : "error";
  const message = `${isOne ? describeNamesakes(catalogue, namesakes) : describeCaseNamesakes(namesakes)}; keep one of them`;
  return { problem: { severity, rule: "ambiguous", message, place: desired.origin.place(), project } };
}

function diffAbsent(project: string, desired: Desired, live: Live | undefined, options: FullDiffOptions): ResourceDiff {
  if (!live?.active) return options.ledger ? { absent: addressOf(project, desired.kind, desired.key) } : inSync;
  const problem = explainImpossible(options, project, live, desired.origin, "delete");
  if (problem) return { problem };
  const why = explainRemoval(project, live, options);
  return { change: createRemoval(options, { project, resource: desired, live, ...why }) };
}

/** Disabled counts as absent, unless `active` is a parameter of the resource (docs/comparing.md). */
function isOff(catalogue: Catalogue, live: Live): boolean {
  return !live.active && !fieldOf(catalogue, live, "active");
}

/** Fields by result of their comparison, sorted by name, so that the order of a manifest's keys does not matter. */
function sortFields(catalogue: Catalogue, desired: Desired, live: Live): Record<Comparison, string[]> {
  const sorted: Record<Comparison, string[]> = { same: [], different: [], unverified: [] };
  for (const name of Object.keys(desired.fields).sort()) {
    sorted[compareField(catalogue, desired, name, desired.fields[name] ?? null, live.fields[name])].push(name);
  }
  return sorted;
}

function diffUnlisted(
  { project, exclusive }: DesiredProject,
  namesakes: readonly Live[],
  options: FullDiffOptions,
): readonly ResourceDiff[] {
  const [live] = namesakes;
  if (!live) return none;
  const unmanaged = namesakes.map(({ kind, key }) => ({ unmanaged: addressOf(project.name, kind, key) }));
  const origin = exclusive.get(live.kind);
  if (!origin || !isTargeted(project.name, live, options)) return unmanaged;
  const skipped = explainSkipped(project.name, namesakes, origin, options);
  if (skipped) return [...unmanaged, { problem: skipped }];
  const resource = { kind: live.kind, key: live.key, fields: {}, origin };
  const why = explainExclusion(project.name, live, options);
  return [{ change: createRemoval(options, { project: project.name, resource, live, ...why }) }];
}

import { grouped } from "../../base/grouped.ts";
import { addressOf } from "../../model/address.ts";
import { type Catalogue, catalogueOf } from "../../model/catalogue.ts";
import type { Comparison } from "../../model/field-meaning.ts";
import { fieldOf, identityOf, kindOf } from "../../model/kinds.ts";
import { compareField } from "../../model/normalise.ts";
import { switchedOff, turnedOff } from "../../model/removal-changes.ts";
import { mayOverride } from "../../model/server-required.ts";
import type { Change, Desired, DesiredProject, Live, Problem, Resource } from "../../model/types.ts";
import type { OverrideCount } from "../overrides.ts";
import { changeFrom, inApplyOrder, pick, removalFrom } from "./changes.ts";
import { type Recalled, recollect } from "./last-applied.ts";
import { caseWords, severalWords } from "./namesakes.ts";
import type { DiffOptions, FullDiffOptions } from "./options.ts";
import { unlistedAddress, whyCreate, whyExclude, whyOverride, whyRemove, whyUpdate } from "./reasons.ts";
import { wayToChange, whyNotCreated, whyNotRemoved } from "./replacement.ts";
import { resetFields } from "./reset-fields.ts";
import { compareReturned, visibleLive, whyNotCompared } from "./returned.ts";
import { whyLeft } from "./why-left.ts";

/** What a project's desired and live resources come to. */
export interface Difference {
  readonly project: string;
  /** In the order in which they are to be applied. */
  readonly changes: readonly Change[];
  /** Live resources that were read: the base of a guard's percentage. */
  readonly live: number;
  /** Addresses of what is live and no policy lists. */
  readonly unmanaged: readonly string[];
  readonly unverified: readonly Unverified[];
  /** Addresses of declared resources that the project has from its group. */
  readonly inherited?: readonly string[];
  /** Entries of policies with a wildcard that other policies override; omitted if there are none. */
  readonly overrides?: readonly OverrideCount[];
  /** Only with a ledger. */
  readonly settled: readonly InSync[];
  /** Addresses of what should not be there and is not. Only with a ledger. */
  readonly absent: readonly string[];
  readonly problems: readonly Problem[];
}

/** Declared parameters of a live resource that could not be compared. */
export interface Unverified {
  readonly address: string;
  readonly fields: readonly string[];
  /** Why the secrets among them that the server returned were not compared: `not compared: NAME is not set`. */
  readonly reason?: string;
}

/** Brings desired and live state of one project together (docs/comparing.md). Pure; the same input gives the same changes. */
export function diff(desired: DesiredProject, live: readonly Live[], given: DiffOptions): Difference {
  const options = isFull(given) ? given : { ...given, catalogue: catalogueOf() };
  const { catalogue } = options;
  const project = desired.project.name;
  const byIdentity = grouped(live, (each) => identityOf(catalogue, each));
  const listed = new Set<string>();
  const diffs: ResourceDiff[] = [];
  for (const resource of desired.resources) {
    // A resource that a user of the library made by hand may lack it.
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
  return {
    project,
    ...(inherited.length > 0 && { inherited }),
    changes: compact(
      diffs
        .flatMap(({ change }) => (change ? orExpired(catalogue, change, desired) : []))
        .sort(inApplyOrder(catalogue)),
    ),
    live: live.filter((resource) => resource.active).length,
    unmanaged: compact(diffs.flatMap((found) => found.unmanaged ?? [])),
    unverified: compact(diffs.flatMap((found) => found.unverified ?? [])),
    settled: compact(diffs.flatMap((found) => found.settled ?? [])),
    absent: compact([...diffs.flatMap((found) => found.absent ?? []), ...emptyOf(desired, leftovers, options)]),
    problems: compact(diffs.flatMap((found) => found.problem ?? [])),
  };
}

function isFull(given: DiffOptions): given is FullDiffOptions {
  return given.catalogue !== undefined;
}

const none: readonly never[] = [];

/** One empty list for all, because a run keeps the differences of a whole fleet. */
function compact<Item>(items: readonly Item[]): readonly Item[] {
  return items.length === 0 ? none : items;
}

/** A change that follows from the end of a policy says so. */
function orExpired(catalogue: Catalogue, change: Change, { expired }: DesiredProject): Change {
  const place = expired?.get(identityOf(catalogue, change))?.place();
  return place ? { ...change, reason: `expired: ${place.file}:${place.line}` } : change;
}

function isTargeted(project: string, { kind, key }: Resource, { target }: DiffOptions): boolean {
  return !target || target(addressOf(project, kind, key));
}

/** The exclusive kinds of which nothing unlisted is there, under the addresses that stand for that. */
function emptyOf(
  { project, exclusive }: DesiredProject,
  leftovers: readonly Live[],
  { ledger, target }: DiffOptions,
): readonly string[] {
  if (!ledger || target) return [];
  const left = new Set(leftovers.map(({ kind }) => kind));
  return [...exclusive.keys()].filter((kind) => !left.has(kind)).map((kind) => unlistedAddress(project.name, kind));
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

/** A resource that needs no change, for the ledger to remember. */
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

/** A project that inherits what it declares needs nothing; otherwise it gets settings of its own, where servers allow it. */
function diffInherited(project: string, desired: Desired, live: Live, options: FullDiffOptions): ResourceDiff {
  const { catalogue, release } = options;
  const found = diffLive(project, desired, live, options);
  const address = addressOf(project, desired.kind, desired.key);
  if (!found.change) return { ...found, inherited: address };
  if (!mayOverride(catalogue, desired, release) || switchedOff(desired, live).length > 0) return found;
  const subject = { project, resource: desired, live: undefined, ...whyOverride(address, options) };
  return { change: changeFrom(options, subject, "create", { before: null, after: desired.fields }) };
}

function diffMissing(project: string, desired: Desired, options: FullDiffOptions): ResourceDiff {
  const why = whyCreate(desired, addressOf(project, desired.kind, desired.key), options);
  if (!why) return inSync;
  const problem = whyNotCreated(options, project, desired);
  if (problem) return { problem };
  const subject = { project, resource: desired, live: undefined, ...why };
  return { change: changeFrom(options, subject, "create", { before: null, after: desired.fields }) };
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
    // The server has its group's, whatever was sent before.
    ...(live.inherited && { edited: compared.unverified, isInherited: true }),
  };
  const found = unverifiedIn(address, desired, compared.unverified, live);
  const why = whyUpdate(address, evidence, options);
  if (!why) return options.ledger ? { ...found, settled: { address, desired, live, ...compared } } : found;
  const changed = [...evidence.different, ...evidence.edited];
  const names = [...changed, ...sentAgain(address, desired, evidence, options)];
  const isDue = changed.length > 0 || options.resend?.(address) === true;
  const action = wayToChange(options, project, desired, { names, isDue });
  if (action === undefined) return found;
  if (typeof action !== "string") return { ...found, problem: action };
  const off = kindOf(catalogue, desired.kind).file.off === undefined ? [] : switchedOff(desired, live);
  const visible = {
    before: { ...visibleLive(live, evidence.different), ...pick(turnedOff.before, off) },
    after: pick(desired.fields, [...names, ...off]),
  };
  const resets = action === "replace" ? resetFields(kindOf(catalogue, desired.kind), desired.fields, live) : [];
  const subject = { project, resource: desired, live, ...why, ...(resets.length > 0 && { resets }) };
  return { ...found, change: changeFrom(options, subject, action, visible) };
}

function unverifiedIn(
  address: string,
  desired: Desired,
  fields: readonly string[],
  live: Live,
): Pick<ResourceDiff, "unverified"> {
  if (fields.length === 0) return {};
  const reason = whyNotCompared(desired.fields, fields, live);
  return { unverified: { address, fields, ...(reason !== undefined && { reason }) } };
}

/**
 * What cannot be compared and is sent again all the same, of a kind whose updates send only what is named: all of it where
 * that was asked for, else what an update can send.
 */
function sentAgain(
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

/** What nearly every resource is on nearly every run, so that it costs next to nothing. */
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

/** Live resources of one identity: which of them is meant is for a person to say. */
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
  const message = `${isOne ? severalWords(catalogue, namesakes) : caseWords(namesakes)}; keep one of them`;
  return { problem: { severity, rule: "ambiguous", message, place: desired.origin.place(), project } };
}

function diffAbsent(project: string, desired: Desired, live: Live | undefined, options: FullDiffOptions): ResourceDiff {
  if (!live?.active) return options.ledger ? { absent: addressOf(project, desired.kind, desired.key) } : inSync;
  const problem = whyNotRemoved(options, project, live, desired.origin);
  if (problem) return { problem };
  const why = whyRemove(project, live, options);
  return { change: removalFrom(options, { project, resource: desired, live, ...why }) };
}

/** Off is absent, but for what has `active` as a parameter (docs/comparing.md). */
function isOff(catalogue: Catalogue, live: Live): boolean {
  return !live.active && !fieldOf(catalogue, live, "active");
}

/** Fields by what comparing them gives; in order of their names, so that the order of a manifest's keys leaves no trace. */
function sortFields(catalogue: Catalogue, desired: Desired, live: Live): Record<Comparison, string[]> {
  const sorted: Record<Comparison, string[]> = { same: [], different: [], unverified: [] };
  for (const name of Object.keys(desired.fields).sort()) {
    sorted[compareField(catalogue, desired, name, desired.fields[name] ?? null, live.fields[name])].push(name);
  }
  return sorted;
}

/** Live resources of one address that nothing lists. */
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
  const left = whyLeft(project.name, namesakes, origin, options);
  if (left) return [...unmanaged, { problem: left }];
  const resource = { kind: live.kind, key: live.key, fields: {}, origin };
  const why = whyExclude(project.name, live, options);
  return [{ change: removalFrom(options, { project: project.name, resource, live, ...why }) }];
}

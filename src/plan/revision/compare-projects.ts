import equal from "fast-deep-equal";
import type { StorageMigration } from "../../manifest/migrations.ts";
import { addressOf, storageAddress } from "../../model/address.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { catalogueEntry, kindOf } from "../../model/kinds.ts";
import { normalise } from "../../model/normalise.ts";
import { kindWord } from "../../model/owner.ts";
import { policyEffectOf } from "../../model/policy-effect.ts";
import { storageKey } from "../../model/repository-kinds.ts";
import type {
  Desired,
  DesiredProject,
  Fields,
  Kind,
  Origin,
  Place,
  Plain,
  PolicyEffect,
  Resource,
  SecretReference,
  Value,
} from "../../model/types.ts";
import { isAlike, isReference, isScalar, replaceReferences } from "../../model/values.ts";
import { notificationsIn, reroutingNotes } from "../plan.ts";
import { noRerouting, type Rerouting, reroutingOf } from "../routes/audience.ts";
import { decidesRoutes, declaredListeners, receivesEvents } from "../routes/listeners.ts";

/**
 * How the desired state differs: `declare`, listed from now on; `edit`, with other values; `disable`, off from now on;
 * `withdraw`, managed no longer and left on the server as it is.
 */
export const revisionActions = ["declare", "edit", "disable", "withdraw"] as const;

export type RevisionAction = (typeof revisionActions)[number];

/** One resource whose desired state differs. `before` and `after` hold what differs, and all fields where one side has none. */
export interface RevisionChange {
  readonly address: string;
  readonly project: string;
  readonly kind: Kind;
  /** `*` stands for whatever no policy lists (`exclusive`). */
  readonly key: string;
  readonly action: RevisionAction;
  readonly before: Fields | null;
  readonly after: Fields | null;
  readonly policy_effect?: PolicyEffect;
  readonly notes?: readonly string[];
  /** Who will no longer receive which events: those of the notes. */
  readonly lost_notifications?: readonly string[];
  /** From whom to whom events move. */
  readonly moved_notifications?: readonly string[];
  /** In the revision that still has the line: the earlier one for what is withdrawn. */
  readonly source: Place;
}

/** A change whose place is not worked out yet. */
export type DraftChange = Omit<RevisionChange, "source"> & { readonly origin: Origin };

/** The desired state of one project at one revision. */
export interface DesiredSide extends Pick<DesiredProject, "resources" | "exclusive"> {
  /** The literal behind a `manifest:` reference. */
  readonly literal: (reference: string) => string | undefined;
  /** In whose names. */
  readonly catalogue: Catalogue;
}

/** How the desired state of a project differs: by meaning, as plans compare. */
export function comparedProject(project: string, before: DesiredSide, after: DesiredSide): readonly DraftChange[] {
  const was = byIdentity(before.resources);
  const is = byIdentity(after.resources);
  const identities = [...new Set([...was.keys(), ...is.keys()])].sort();
  const changes = identities.map((identity) => changeOf(was.get(identity), is.get(identity), before, after));
  const drafts = [...changes.flatMap((change) => change ?? []), ...exclusiveChanges(before, after)];
  return drafts.map(({ kind, ...draft }) => {
    return { address: addressOf(project, kind, draft.key), project, kind: kindWord(kind), ...draft };
  });
}

type Unaddressed = Omit<DraftChange, "address" | "project">;

function byIdentity(resources: readonly Desired[]): ReadonlyMap<string, Desired> {
  return new Map(resources.map((each) => [each.identity, each]));
}

function changeOf(was: Desired | undefined, is: Desired | undefined, before: DesiredSide, after: DesiredSide) {
  if (!is) return was && withdrawn(was, after);
  if (is.presence === "absent") return was?.presence === "absent" ? undefined : removed(was, is, after);
  if (was?.presence !== "present")
    return made(after, "declare", is, { before: stateOf(after, was), after: is.fields, origin: is.origin });
  return edited(was, is, before, after);
}

/** What a resource comes to that is off: what plans show of a removal. */
function stateOf({ catalogue }: DesiredSide, desired: Desired | undefined): Fields | null {
  if (!desired) return null;
  return desired.presence === "present" ? desired.fields : kindOf(catalogue, desired.kind).removed.after;
}

function withdrawn(was: Desired, after: DesiredSide): Unaddressed {
  const origin = after.exclusive.get(was.kind);
  if (!origin || was.presence === "absent") return untouched(after, was);
  const fields = { before: was.fields, after: kindOf(after.catalogue, was.kind).removed.after };
  const others = ["no longer listed, and exclusive removes what is not"];
  return made(after, "disable", was, {
    ...fields,
    origin,
    rerouting: disableRerouting(after.catalogue, was),
    others,
  });
}

/** What stays as it is on the server makes nothing stricter or laxer. */
function untouched(after: DesiredSide, was: Desired): Unaddressed {
  const { kind, key, origin } = was;
  return { kind, key, action: "withdraw", before: stateOf(after, was), after: null, origin };
}

function removed(was: Desired | undefined, is: Desired, after: DesiredSide): Unaddressed {
  const fields = { before: was?.fields ?? null, after: kindOf(after.catalogue, is.kind).removed.after };
  return made(after, "disable", is, {
    ...fields,
    origin: is.origin,
    rerouting: disableRerouting(after.catalogue, is),
  });
}

function edited(was: Desired, is: Desired, before: DesiredSide, after: DesiredSide): Unaddressed | undefined {
  const names = [...new Set([...Object.keys(was.fields), ...Object.keys(is.fields)])];
  const differing = names.filter((name) => !isSame(was, is, name, { before, after }));
  if (differing.length === 0) return undefined;
  const hidden = differing.some((name) => spelt(was.fields[name]) === spelt(is.fields[name]));
  const others = hidden ? ["a secret literal in the manifest is another"] : [];
  const rerouting = editRerouting(after.catalogue, is, was.fields, is.fields);
  const fields = { before: only(was.fields, differing), after: only(is.fields, differing) };
  return made(after, "edit", is, { ...fields, origin: is.origin, rerouting, others });
}

function isSame(
  earlier: Desired,
  resource: Desired,
  name: string,
  { before, after }: Readonly<Record<"before" | "after", DesiredSide>>,
): boolean {
  const [was, is] = [earlier.fields[name], resource.fields[name]];
  if (was === undefined || is === undefined) return was === is;
  if (was === is && isScalar(was)) return true;
  const meaning = (value: Value, { literal }: DesiredSide) => {
    const visible =
      replaceReferences(value, (reference) => secretMeaning(reference, literal(reference.secret))) ?? null;
    return normalise(after.catalogue, resource, name, visible);
  };
  return isReference(was) === isReference(is) && isAlike(meaning(was, before), meaning(is, after));
}

/** A literal of a manifest by what it says, any other secret by its name. */
function secretMeaning({ secret, version }: SecretReference, literal: string | undefined): Plain {
  return literal === undefined ? { secret, version: version ?? null } : { literal };
}

function spelt(value: Value | undefined): string {
  return isReference(value) ? `${value.secret}\0${value.version ?? ""}` : JSON.stringify(value ?? null);
}

function only(fields: Fields, names: readonly string[]): Fields {
  const kept = names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]] as const]));
  return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
}

interface ChangeParts extends Pick<Unaddressed, "before" | "after" | "origin"> {
  readonly rerouting?: Rerouting;
  /** Notes on other things than events. */
  readonly others?: readonly string[];
}

function made(
  { catalogue }: DesiredSide,
  action: RevisionAction,
  { kind, key }: Resource,
  parts: ChangeParts,
): Unaddressed {
  const { before, after, origin, rerouting = noRerouting, others = [] } = parts;
  const notes = [...reroutingNotes(rerouting), ...others];
  const change = { kind, key, action, before, after };
  const policy_effect = policyEffectOf(change, catalogue);
  return {
    ...change,
    ...(policy_effect && { policy_effect }),
    ...(notes.length > 0 && { notes }),
    ...notificationsIn(rerouting),
    origin,
  };
}

/** `exclusive` is about whatever no policy lists. */
function exclusiveChanges(before: DesiredSide, after: DesiredSide): readonly Unaddressed[] {
  const fields: Fields = { exclusive: true };
  const begun = [...after.exclusive].filter(([kind]) => !before.exclusive.has(kind));
  const ended = [...before.exclusive].filter(([kind]) => !after.exclusive.has(kind));
  return [
    ...begun.map(([kind, origin]): Unaddressed => {
      const notes = ["whatever is live and not listed is removed"];
      return { kind, key: "*", action: "declare", before: null, after: fields, notes, origin };
    }),
    ...ended.map(([kind, origin]): Unaddressed => {
      return { kind, key: "*", action: "withdraw", before: fields, after: null, origin };
    }),
  ];
}

/** Who will receive events no longer where something is off from now on. */
function disableRerouting(catalogue: Catalogue, { kind, key }: Pick<Resource, "kind" | "key">): Rerouting {
  return receivesEvents(catalogueEntry(catalogue, { kind, key }))
    ? { ...noRerouting, lost: [`${key} will receive no events`] }
    : noRerouting;
}

/**
 * Who will receive which events no longer, or in whose place, where fields are others, as far as what is declared tells;
 * what is not declared any more is left as it is.
 */
function editRerouting(
  catalogue: Catalogue,
  { kind, key }: Pick<Resource, "kind" | "key">,
  before: Fields,
  after: Fields,
): Rerouting {
  const spec = catalogueEntry(catalogue, { kind, key });
  if (!spec) return noRerouting;
  const names = Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name]);
  if (!names.some((name) => decidesRoutes(spec, name))) return noRerouting;
  const [was] = listenersOf(catalogue, { kind, key, fields: before });
  const [is] = listenersOf(catalogue, { kind, key, fields: { ...before, ...after } });
  return was && is ? reroutingOf(was, is) : noRerouting;
}

function listenersOf(catalogue: Catalogue, resource: Resource) {
  return declaredListeners([{ ...resource, presence: "present" }], catalogue);
}

interface Migrating {
  readonly migrations: readonly StorageMigration[];
}

/** Storage moves whose declarations differ. */
export function migrationChanges(before: Migrating, after: Migrating): readonly DraftChange[] {
  const [was, is] = [movesOf(before), movesOf(after)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((key) => {
    const [first, second] = [was.get(key), is.get(key)];
    if (equal(first?.fields, second?.fields)) return [];
    const move = second ?? first;
    return move ? [draftOf(key, move, first?.fields ?? null, second?.fields ?? null)] : [];
  });
}

interface DeclaredMove {
  readonly migration: StorageMigration;
  readonly fields: Fields;
}

function movesOf({ migrations }: Migrating): ReadonlyMap<string, DeclaredMove> {
  const moves = migrations.flatMap((migration) => {
    const { from, to, repositories, destinationIsCluster, directFetchReplication } = migration;
    const fields = { to, destinationIsCluster, directFetchReplication };
    return repositories.map((kind) => [storageKey(from, kind), { migration, fields }] as const);
  });
  return new Map(moves);
}

function draftOf(key: string, { migration }: DeclaredMove, before: Fields | null, after: Fields | null): DraftChange {
  const action: RevisionAction = before === null ? "declare" : after === null ? "withdraw" : "edit";
  const origin = { place: () => migration.document.place(["name"]) };
  return { address: storageAddress(key), project: "storage", kind: "storage", key, action, before, after, origin };
}

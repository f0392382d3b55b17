import equal from "fast-deep-equal";
import type { StorageMigration } from "../../manifest/migrations.ts";
import { addressOf, storageAddress } from "../../model/address.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { kindOf } from "../../model/kinds.ts";
import { normalise } from "../../model/normalise.ts";
import { kindWord } from "../../model/owner.ts";
import { defaultFields, effectOfChange } from "../../model/policy-effect.ts";
import { storageKey } from "../../model/repository-kinds.ts";
import type { Desired, DesiredProject, Fields, Origin, Place, Resource, Value } from "../../model/types.ts";
import { isAlike, isReference, isScalar, replaceReferences } from "../../model/values.ts";
import { notificationsIn, type PlannedChange, reroutingNotes } from "../plan.ts";
import { noRerouting, type Rerouting } from "../routes/audience.ts";
import { reroutingBetween } from "../routes/listeners.ts";

/**
 * Actions between revisions: `declare`, newly listed; `edit`, with other values; `disable`, newly off; `withdraw`, no
 * longer managed, but left on the server.
 */
export const revisionActions = ["declare", "edit", "disable", "withdraw"] as const;

export type RevisionAction = (typeof revisionActions)[number];

/** A resource whose desired state differs, with the different fields, or all fields if one side has none. */
export interface RevisionChange
  extends Pick<
    PlannedChange,
    "address" | "project" | "kind" | "policy_effect" | "notes" | "lost_notifications" | "moved_notifications"
  > {
  /** `*` represents all unlisted resources (`exclusive`). */
  readonly key: string;
  readonly action: RevisionAction;
  readonly before: Fields | null;
  readonly after: Fields | null;
  /** In the revision that has the line: the earlier one for withdrawn resources. */
  readonly source: Place;
}

export interface DesiredSide extends Pick<DesiredProject, "resources" | "exclusive"> {
  readonly catalogue: Catalogue;
  /** Literal secrets by their `manifest:` reference. */
  readonly plaintext: ReadonlyMap<string, string>;
}

/** The differences in a project's desired state, by meaning, as plans compare. */
export function compareProject(project: string, before: DesiredSide, after: DesiredSide): readonly RevisionChange[] {
  const byIdentity = ({ resources }: DesiredSide) => new Map(resources.map((each) => [each.identity, each]));
  const [was, is] = [byIdentity(before), byIdentity(after)];
  const identities = [...new Set([...was.keys(), ...is.keys()])].sort();
  const found = identities.flatMap((each) => compareResource(was.get(each), is.get(each), before, after) ?? []);
  return [...found, ...compareExclusive(before, after)].map((each) => toChange(project, each, after.catalogue));
}

interface Difference extends Pick<RevisionChange, "action" | "before" | "after"> {
  readonly resource: Pick<Resource, "kind" | "key">;
  readonly origin: Origin;
  readonly note?: string;
  /** For an edit, the desired resource before it. */
  readonly was?: Desired;
  readonly rerouting?: Rerouting;
}

function compareResource(
  was: Desired | undefined,
  is: Desired | undefined,
  before: DesiredSide,
  after: DesiredSide,
): Difference | undefined {
  if (!is) return was && withoutEntry(was, before, after);
  const sides = { before: was ? desiredFields(was, before) : null, after: desiredFields(is, after) };
  const whole = { resource: is, ...sides, origin: is.origin };
  if (is.presence === "absent") return was?.presence === "absent" ? undefined : { ...whole, action: "disable" };
  return was?.presence === "present" ? compareFields(was, is, before, after) : { ...whole, action: "declare" };
}

/** The desired fields of a resource; for one that should be off, those of a removal. */
function desiredFields({ presence, kind, fields }: Desired, { catalogue }: DesiredSide): Fields | null {
  return presence === "present" ? fields : kindOf(catalogue, kind).removed.after;
}

function withoutEntry(was: Desired, before: DesiredSide, after: DesiredSide): Difference {
  const origin = after.exclusive.get(was.kind);
  const whole = { resource: was, before: desiredFields(was, before) };
  if (!origin || was.presence === "absent") return { ...whole, action: "withdraw", after: null, origin: was.origin };
  const note = "no longer listed, and exclusive removes what is not";
  return { ...whole, action: "disable", after: kindOf(after.catalogue, was.kind).removed.after, origin, note };
}

function compareFields(was: Desired, is: Desired, before: DesiredSide, after: DesiredSide): Difference | undefined {
  const meaning = (value: Value, { plaintext }: DesiredSide, name: string) => {
    const visible = replaceReferences(value, ({ secret, version = null }) => {
      const literal = plaintext.get(secret);
      return literal === undefined ? { secret, version } : { literal };
    });
    return normalise(after.catalogue, is, name, visible ?? null);
  };
  const isSame = (name: string) => {
    const [earlier, later] = [was.fields[name], is.fields[name]];
    if (earlier === undefined || later === undefined) return earlier === later;
    if (earlier === later && isScalar(earlier)) return true;
    if (isReference(earlier) !== isReference(later)) return false;
    return isAlike(meaning(earlier, before, name), meaning(later, after, name));
  };
  const names = Object.keys({ ...was.fields, ...is.fields }).sort();
  const differing = names.filter((name) => !isSame(name));
  if (differing.length === 0) return undefined;
  const pick = (fields: Fields) =>
    Object.fromEntries(differing.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])));
  const isHidden = differing.some((name) => equal(was.fields[name], is.fields[name]));
  return {
    ...{ resource: is, was, action: "edit", before: pick(was.fields), after: pick(is.fields), origin: is.origin },
    // Undeclared fields stay on the server.
    rerouting: reroutingBetween(after.catalogue, is, was.fields, { ...was.fields, ...is.fields }),
    ...(isHidden && { note: "a secret literal in the manifest is another" }),
  };
}

/** Changes of `exclusive`, with the key `*` for all unlisted resources. */
function compareExclusive(before: DesiredSide, after: DesiredSide): readonly Difference[] {
  const fields: Fields = { exclusive: true };
  const only = (one: DesiredSide, other: DesiredSide) =>
    [...one.exclusive]
      .filter(([kind]) => !other.exclusive.has(kind))
      .map(([kind, origin]) => ({ resource: { kind, key: "*" }, origin }));
  const note = "whatever is live and not listed is removed";
  return [
    ...only(after, before).map((each) => ({ ...each, action: "declare" as const, before: null, after: fields, note })),
    ...only(before, after).map((each) => ({ ...each, action: "withdraw" as const, before: fields, after: null })),
  ];
}

function toChange(project: string, difference: Difference, catalogue: Catalogue): RevisionChange {
  const { resource, note, rerouting = noRerouting, action, before, after, was, origin } = difference;
  const { kind, key } = resource;
  const row = catalogue.kinds.get(kind);
  // What no revision declares has the kind's defaults, as far as anybody knows.
  const live = row && was && { kind, key, fields: { ...defaultFields(row.file), ...was.fields }, active: true };
  const sides = { kind, key, before, after, live, declared: after ?? {}, action: was ? "update" : "create" } as const;
  const routes = action === "disable" ? reroutingBetween(catalogue, resource, {}, undefined) : rerouting;
  const notes = [...reroutingNotes(routes), ...(note === undefined ? [] : [note])];
  // Withdrawn resources stay as they are on the server.
  const effect = key === "*" || action === "withdraw" ? undefined : effectOfChange(sides, catalogue);
  const [name] = action === "edit" ? Object.keys(after ?? {}) : [];
  return {
    ...{ address: addressOf(project, kind, key), project, kind: kindWord(kind), key, action, before, after },
    ...(effect && { policy_effect: effect }),
    ...(notes.length > 0 && { notes }),
    ...notificationsIn(routes),
    // The line of the first field that differs, for an edit; else that of the resource.
    source: (name !== undefined && origin.fieldPlace?.(name)) || origin.place(),
  };
}

interface Migrating {
  readonly migrations: readonly StorageMigration[];
}

export function migrationChanges(before: Migrating, after: Migrating): readonly RevisionChange[] {
  const [was, is] = [listMoves(before), listMoves(after)];
  return [...new Map([...was, ...is])].flatMap(([key, { document }]) => {
    const [first = null, second = null] = [was.get(key)?.fields, is.get(key)?.fields];
    if (equal(first, second)) return [];
    const action = first === null ? "declare" : second === null ? "withdraw" : "edit";
    const whole = { address: storageAddress(key), project: "storage", kind: "storage", key };
    return [{ ...whole, action, before: first, after: second, source: document.place(["name"]) }];
  });
}

function listMoves({ migrations }: Migrating) {
  return new Map(
    migrations.flatMap(({ from, to, repositories, destinationIsCluster, directFetchReplication, document }) => {
      const fields: Fields = { to, destinationIsCluster, directFetchReplication };
      return repositories.map((kind) => [storageKey(from, kind), { document, fields }] as const);
    }),
  );
}

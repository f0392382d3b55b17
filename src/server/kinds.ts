import type { JsonObject } from "../base/json.ts";
import { memoized } from "../base/memoize.ts";
import { tierIncludes } from "../model/availability.ts";
import { endpoints } from "../model/endpoints.ts";
import { evaluateKind } from "../model/kind-expressions.ts";
import bundled from "../model/kinds.json" with { type: "json" };
import { legacyStatuses, olderStatuses } from "../model/license-status.ts";
import { type Owner, ownerRecord } from "../model/owner.ts";
import { compareReleases } from "../model/releases.ts";
import { callDetails, type FieldSchema, keyFieldsOf, ownersOf, type ResourceKind } from "../model/resource-kind.ts";
import { isReplacement } from "../model/resource-kind-faults.ts";
import type { Tier } from "../model/types.ts";
import type { Behaviour } from "./behaviour.ts";
import { servedCalls } from "./kind-paths.ts";
import { createdRow, storedFields } from "./kind-rows.ts";
import { checksOf, type ParameterChecks } from "./kind-values.ts";
import { holdsInRelease } from "./release-facts.ts";
import { json, notFound, refused } from "./reply.ts";

/** A kind whose resources a server of some release and tier stores. */
export type ServedKind = ReturnType<typeof servedKind>;

export interface ServedKinds {
  readonly all: readonly ServedKind[];
  /** The kinds whose resource is the project or group itself. */
  readonly owners: Readonly<Record<Owner, readonly ServedKind[]>>;
  /** The kinds whose list is a part of the project or group itself. */
  readonly within: Readonly<Record<Owner, readonly ServedKind[]>>;
}

interface Platform {
  readonly release: string;
  readonly tier: Tier;
  readonly behaviour: Behaviour;
}

/** Bundled and `own` kinds that exist in the release and the tier. Endpoints of the specification take precedence. */
export function servedKinds(platform: Platform, own: readonly ResourceKind[] = []): ServedKinds {
  const isServed = ({ name, needs: { tier, release } = {}, removed }: ResourceKind) =>
    kindQuirks[name] !== undefined || isThere({ tier, introduced: release, removed: removed?.release }, platform);
  const all = allKinds(own)
    .filter(isServed)
    .flatMap((file) =>
      ownersOf(file).flatMap((of) => (hasKind(of, file, platform) ? cachedKind(file)(of, platform) : [])),
    );
  return {
    all,
    owners: ownerRecord((owner) => all.filter(({ of, isOwner }) => isOwner && of === owner)),
    within: ownerRecord((owner) =>
      all.filter(({ of, file }) => of === owner && callDetails(file.calls.list).rows !== undefined),
    ),
  };
}

/** Every kind that can be served in some release and tier. */
export function allKinds(own: readonly ResourceKind[] = []): readonly ResourceKind[] {
  const others = (bundled as unknown as readonly ResourceKind[]).filter(
    (file) => !own.some((each) => isReplacement(each, file)),
  );
  return [...own, ...others].filter(
    ({ under, calls: { list } }) =>
      under === undefined && (typeof list !== "string" || !endpointPaths.has(list.split("?")[0] ?? "")),
  );
}

const endpointPaths: ReadonlySet<string> = new Set(
  Object.values(endpoints).map(({ method, path }) => `${method} ${path}`),
);

/** True unless a fact about deployed servers limits the kind of this owner to other releases. */
function hasKind(of: Owner, { facts }: ResourceKind, { release, behaviour }: Platform): boolean {
  const fact = facts?.[of];
  return fact === undefined || (behaviour.beyondSpec && holdsInRelease(fact, release));
}

/** One for each owner, release and tier: a process may start many servers. */
const cachedKind = memoized((file: ResourceKind) => {
  const known = new Map<string, ServedKind>();
  return (of: Owner, platform: Platform): ServedKind => {
    const name = `${of} ${platform.release} ${platform.tier}`;
    const kind = known.get(name) ?? servedKind(file, of, platform);
    known.set(name, kind);
    return kind;
  };
}, new WeakMap());

function servedKind(file: ResourceKind, of: Owner, platform: Platform) {
  const keys = keyFieldsOf(file);
  const fields = new Map(
    Object.entries(file.fields.properties)
      .filter(([name, { "x-introduced": introduced, "x-removed": removed, "x-tier": tier }]) => {
        return keys.includes(name) || isThere({ introduced, removed, tier }, platform);
      })
      .map(([name, field]) => [name, withServedValues(field, platform)]),
  );
  const calls = servedCalls(file, of, platform.release, fields);
  const stored = storedFields(fields, platform);
  const isOwner = /^GET \/\w+\/:id(\?|$)/.test(calls.show ?? "");
  const isAlways = isOwner || (keys.length === 0 && calls.create === undefined);
  return {
    file,
    of,
    keys,
    calls,
    fields: stored,
    /** The row of a resource with defaults only. */
    initial: isAlways ? createdRow(stored, { params: {}, others: () => [] }) : {},
    checks: checksOf(fields, file.fields.required ?? [], calls.create === undefined),
    /** The checks of the items of fields that calls of their own write. */
    itemChecks: new Map(Array.from(fields).flatMap(([name, field]) => itemChecksOf(name, field))),
    /** True if rows have numbers, by which paths identify them. */
    isNumbered: Object.values(calls).some((call) => call?.includes(":row.id")),
    /** The query in the path of its list. */
    listQuery: Object.fromEntries(new URLSearchParams(calls.list?.split("?")[1])),
    /** Deviations from all other kinds. */
    quirks: kindQuirks[file.name],
    /** True if its resource is the project or group itself. */
    isOwner,
    /** True for a singleton that can only be changed, not created. */
    isAlways,
  };
}

function itemChecksOf(name: string, { items, "x-items": calls }: FieldSchema): readonly [string, ParameterChecks][] {
  if (!calls || !items?.properties) return [];
  return [[name, checksOf(new Map(Object.entries(items.properties)), items.required ?? [], false)]];
}

interface Servers {
  readonly introduced?: string | undefined;
  readonly removed?: string | undefined;
  readonly tier?: Tier | undefined;
}

function isThere({ introduced, removed, tier: needed }: Servers, { release, tier }: Platform): boolean {
  if (introduced !== undefined && compareReleases(release, introduced) < 0) return false;
  if (removed !== undefined && compareReleases(release, removed) >= 0) return false;
  return needed === undefined || tierIncludes(tier, needed);
}

/** A field with the values of its enum that the server takes, at any depth. */
function withServedValues(field: FieldSchema, platform: Platform): FieldSchema {
  const { enum: allowed, "x-values": limits = {}, items, properties } = field;
  const inside = (each: FieldSchema) => withServedValues(each, platform);
  return {
    ...field,
    ...(allowed && { enum: allowed.filter((value) => isThere(limits[String(value)] ?? {}, platform)) }),
    ...(items && { items: inside(items) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, inside(each)])),
    }),
  };
}

export function hasKey(kind: ServedKind, a: JsonObject, b: JsonObject, caseCounts = false): boolean {
  return kind.keys.every((name) => {
    const [text, other] = [a, b].map((row) => partText(kind, row, name));
    return caseCounts ? text === other : isPart(kind, a, name, other ?? "");
  });
}

/** True if a row has this text as a part, or as the field that is read from it. */
export function isPart(kind: ServedKind, row: JsonObject, name: string, expected: string): boolean {
  const text = partText(kind, row, name);
  const isCaseless = kind.file.fields.properties[name]?.["x-case"] === "ignore";
  return isCaseless ? text.toLowerCase() === expected.toLowerCase() : text === expected;
}

function partText({ fields }: ServedKind, row: JsonObject, name: string): string {
  if (name in row) return String(row[name] ?? "");
  const read = fields.find((field) => field.name === name)?.field["x-read"];
  return read === undefined ? "" : String(evaluateKind(read, { row }) ?? "");
}

/** Deviations of licenses from all other kinds. */
const licenses = {
  /** The kind's name in the 403 of a tier that lacks it; such servers do not route other kinds. */
  what: "managed licenses",
  /** The role required for reads. */
  reader: "guest",
  /** Response for missing resources, before parameters are checked. */
  missing: notFound("SoftwareLicensePolicy"),
  taken: json(400, { message: ["Software license has already been taken"] }),
  /** Responses in releases that keep the routes of a removed kind. */
  gone: ({ licensesGone }: Behaviour) => {
    const words = "Bad request - Managed License API endpoint were removed, use license approval policies";
    return licensesGone ? { read: json(200, []), write: refused(400, words) } : undefined;
  },
  read: ({ licenseWords }: Behaviour, raw: JsonObject) => withStatus(raw, statusWords[licenseWords]),
  show: ({ answerWords }: Behaviour, row: JsonObject) => withStatus(row, answerStatuses[answerWords]),
  /** True if keys that differ only in case are different. */
  caseCounts: ({ licenseCaseCounts }: Behaviour) => licenseCaseCounts,
} as const;

const kindQuirks: Readonly<Partial<Record<string, typeof licenses>>> = { licenses };

function withStatus(row: JsonObject, words: ReadonlyMap<string, string>): JsonObject {
  const word = words.get(String(row.approval_status));
  return word === undefined ? row : { ...row, approval_status: word };
}

/** Statuses in requests; servers that know only the legacy words reject others. */
const statusWords: Readonly<Record<Behaviour["licenseWords"], ReadonlyMap<string, string>>> = {
  all: legacyStatuses,
  legacy: new Map([...legacyStatuses, ["allowed", ""], ["denied", ""]]),
  current: new Map(),
};

/** Statuses in responses, by stored status. */
const answerStatuses: Readonly<Record<Behaviour["answerWords"], ReadonlyMap<string, string>>> = {
  legacy: olderStatuses,
  stored: new Map(),
  current: legacyStatuses,
};

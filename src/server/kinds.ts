import type { JsonObject } from "../base/json.ts";
import { memoized } from "../base/memoize.ts";
import { tierIncludes } from "../model/availability.ts";
import { holdsIn } from "../model/dialect.ts";
import { endpoints } from "../model/endpoints.ts";
import type { KindExpression } from "../model/kind-expressions.ts";
import bundled from "../model/kinds.json" with { type: "json" };
import { type Owner, ownerRecord } from "../model/owner.ts";
import { compareReleases } from "../model/releases.ts";
import { type FieldSchema, keyFieldsOf, ownersOf, type ResourceKind } from "../model/resource-kind.ts";
import { isReplacement } from "../model/resource-kind-faults.ts";
import type { Tier } from "../model/types.ts";
import type { Behaviour } from "./behaviour.ts";
import { type KindCalls, servedCalls, servedItemCalls } from "./kind-paths.ts";
import { type KindQuirks, kindQuirks } from "./kind-quirks.ts";
import { compileCached, createdRow, type StoredField, storedFields } from "./kind-rows.ts";
import { checksOf, type ParameterChecks } from "./kind-values.ts";
import { releasesOf } from "./release-facts.ts";

/** A kind whose resources a server of some release and tier stores. */
export interface ServedKind {
  readonly file: ResourceKind;
  readonly of: Owner;
  readonly keys: readonly string[];
  readonly calls: KindCalls;
  readonly fields: readonly StoredField[];
  /** The row of a resource with defaults only. */
  readonly initial: JsonObject;
  readonly checks: ParameterChecks;
  /** The checks of the items of fields that calls of their own write. */
  readonly itemChecks: ReadonlyMap<string, ParameterChecks>;
  readonly answers: readonly OtherAnswer[];
  /** True if rows have numbers, by which paths identify them. */
  readonly isNumbered: boolean;
  /** The query in the path of its list. */
  readonly listQuery: Readonly<Record<string, string>>;
  /** True if an expression reads the rows of all other projects or groups. */
  readonly asksOthers: boolean;
  /** True if a response reads the rows of the groups above. */
  readonly asksAbove: boolean;
  /** True if its resource is the project or group itself. */
  readonly isOwner: boolean;
  readonly quirks: KindQuirks | undefined;
  /** True for a singleton that can only be changed, not created. */
  readonly isAlways: boolean;
}

interface OtherAnswer {
  readonly on: "create" | "update" | "delete";
  readonly when: KindExpression;
  readonly status: number;
  readonly body: KindExpression;
}

export interface ServedKinds {
  readonly all: readonly ServedKind[];
  /** The kinds whose resource is the project or group itself. */
  readonly owners: Readonly<Record<Owner, readonly ServedKind[]>>;
}

interface Platform {
  readonly release: string;
  readonly tier: Tier;
  readonly behaviour: Behaviour;
}

/** Bundled and `own` kinds that exist in the release and the tier. Endpoints of the specification take precedence. */
export function servedKinds(platform: Platform, own: readonly ResourceKind[] = []): ServedKinds {
  const all = allKinds(own)
    .filter((file) => exists(file, platform))
    .flatMap((file) =>
      ownersOf(file).flatMap((of) => (hasKind(of, file, platform) ? cachedKind(file)(of, platform) : [])),
    );
  const owners = all.filter(({ isOwner }) => isOwner);
  const ofOwner = (owner: Owner) => owners.filter(({ of }) => of === owner);
  return {
    all,
    owners: ownerRecord(ofOwner),
  };
}

/** Every kind that can be served in some release and tier. */
export function allKinds(own: readonly ResourceKind[] = []): readonly ResourceKind[] {
  const others = (bundled as unknown as readonly ResourceKind[]).filter(
    (file) => !own.some((each) => isReplacement(each, file)),
  );
  const files = [...own, ...others];
  return files.filter(
    ({ under, calls: { list } }) =>
      under === undefined && (typeof list !== "string" || !endpointPaths.has(list.split("?")[0] ?? "")),
  );
}

const endpointPaths: ReadonlySet<string> = new Set(
  Object.values(endpoints).map(({ method, path }) => `${method} ${path}`),
);

function exists({ name, needs, removed }: ResourceKind, { release, tier }: Platform): boolean {
  if (kindQuirks[name]) return true;
  if (needs?.tier !== undefined && !tierIncludes(tier, needs.tier)) return false;
  if (needs?.release !== undefined && compareReleases(release, needs.release) < 0) return false;
  return removed === undefined || compareReleases(release, removed.release) < 0;
}

/** True unless a fact about deployed servers limits the kind of this owner to other releases. */
function hasKind(of: Owner, { facts }: ResourceKind, { release, behaviour }: Platform): boolean {
  const fact = facts?.[of];
  return fact === undefined || (behaviour.beyondSpec && holdsIn(releasesOf(fact), release));
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

function servedKind(file: ResourceKind, of: Owner, platform: Platform): ServedKind {
  const keys = keyFieldsOf(file);
  const fields = new Map(
    Object.entries(file.fields.properties)
      .filter(([name, field]) => keys.includes(name) || isThere(field, platform))
      .map(([name, field]) => [name, withServedValues(field, platform)]),
  );
  const own = servedCalls(file, of, (release) => compareReleases(platform.release, release) >= 0);
  const calls = { ...own, ...servedItemCalls(file, of, fields) };
  const stored = storedFields(fields, platform);
  const isOwner = /^GET \/\w+\/:id(\?|$)/.test(calls.show ?? "");
  const isAlways = isOwner || (keys.length === 0 && calls.create === undefined);
  return {
    file,
    of,
    keys,
    calls,
    fields: stored,
    initial: isAlways ? createdRow(stored, { params: {}, others: [] }) : {},
    checks: checksOf(fields, file.fields.required ?? [], calls.create === undefined),
    itemChecks: new Map(Array.from(fields).flatMap(([name, field]) => itemChecksOf(name, field))),
    answers: (file.answers ?? []).map(({ on, when, status, body }) => ({
      on,
      when: compileCached(when, answerNames),
      status,
      body: compileCached(body, answerNames),
    })),
    isNumbered: Object.values(own).some((call) => call?.includes(":row.id")),
    listQuery: Object.fromEntries(new URLSearchParams(calls.list?.split("?")[1])),
    asksOthers: Array.from(fields.values(), storeTexts)
      .flat()
      .some((text) => /\bothers\b/.test(text)),
    asksAbove:
      file.keys !== undefined || (file.answers ?? []).some(({ when, body }) => /\babove\b/.test(`${when} ${body}`)),
    quirks: kindQuirks[file.name],
    isOwner,
    isAlways,
  };
}

function itemChecksOf(name: string, { items, "x-items": calls }: FieldSchema): readonly [string, ParameterChecks][] {
  if (!calls || !items?.properties) return [];
  return [[name, checksOf(new Map(Object.entries(items.properties)), items.required ?? [], false)]];
}

function storeTexts({ "x-store": store = {} }: FieldSchema): readonly string[] {
  return typeof store === "string" ? [store] : Object.values(store);
}

/** Variables in expressions of responses: `rows` of the project or group, `above` of the groups above it. */
const answerNames = ["params", "row", "rows", "above"] as const;

function isThere(field: FieldSchema, { release, tier }: Platform): boolean {
  const { "x-introduced": introduced, "x-removed": removed, "x-tier": needed } = field;
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
    ...(allowed && { enum: allowed.filter((value) => isTaken(limits[String(value)], platform)) }),
    ...(items && { items: inside(items) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, inside(each)])),
    }),
  };
}

function isTaken(limit: NonNullable<FieldSchema["x-values"]>[string] | undefined, platform: Platform): boolean {
  if (!limit) return true;
  const { introduced, removed, tier } = limit;
  return isThere(
    {
      ...(introduced !== undefined && { "x-introduced": introduced }),
      ...(removed !== undefined && { "x-removed": removed }),
      ...(tier && { "x-tier": tier }),
    },
    platform,
  );
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
  return read === undefined ? "" : String(compileCached(read, ["row"]).valueOf({ row }) ?? "");
}

import type { JsonObject } from "../base/json.ts";
import { tierIncludes } from "../model/availability.ts";
import { holdsIn } from "../model/dialect.ts";
import type { KindExpression } from "../model/kind-expressions.ts";
import bundled from "../model/kinds.json" with { type: "json" };
import { compareReleases } from "../model/releases.ts";
import { type FieldSchema, keyFieldsOf, ownersOf, type ResourceKind } from "../model/resource-kind.ts";
import type { Tier } from "../model/types.ts";
import type { Behaviour } from "./behaviour.ts";
import { type KindCalls, type KindRouter, kindRouter, servedCalls } from "./kind-paths.ts";
import { type KindQuirks, kindQuirks } from "./kind-quirks.ts";
import { createdRow, expressionOf, type StoredField, storedFields } from "./kind-rows.ts";
import { checksOf, type ParameterChecks } from "./kind-values.ts";
import { releasesOf } from "./release-facts.ts";
import { endpointPaths } from "./routes.ts";

/** Whose resources a kind has. */
export type OwnerKind = ReturnType<typeof ownersOf>[number];

/** A kind whose resources a server of some release and tier keeps. */
export interface ServedKind {
  readonly file: ResourceKind;
  readonly of: OwnerKind;
  readonly keys: readonly string[];
  readonly calls: KindCalls;
  readonly fields: readonly StoredField[];
  /** The row of a resource about which nothing is said. */
  readonly initial: JsonObject;
  readonly checks: ParameterChecks;
  /** Requests that are answered otherwise than asked. */
  readonly answers: readonly OtherAnswer[];
  /** Whether each row has a number: a path names it. */
  readonly isNumbered: boolean;
  /** The query that the path of its list has. */
  readonly listQuery: Readonly<Record<string, string>>;
  /** Whether an expression asks for the rows of all other projects or groups. */
  readonly asksOthers: boolean;
  /** Whether an answer asks for the rows of the groups above. */
  readonly asksAbove: boolean;
  /** Whether its resource is the project or group itself. */
  readonly isOwner: boolean;
  readonly quirks: KindQuirks | undefined;
  /** Whether it exists without a creation: a singleton that can only be changed. */
  readonly isAlways: boolean;
}

interface OtherAnswer {
  readonly on: "create" | "update" | "delete";
  readonly when: KindExpression;
  readonly status: number;
  readonly body: KindExpression;
}

/** The kinds of a server. */
export interface ServedKinds {
  readonly all: readonly ServedKind[];
  /** Those whose resource is the project or group itself. */
  readonly owners: Readonly<Record<OwnerKind, readonly ServedKind[]>>;
  readonly route: KindRouter<ServedKind>;
}

interface Platform {
  readonly release: string;
  readonly tier: Tier;
  readonly behaviour: Behaviour;
}

/** The bundled kinds and `own` ones, as far as the release and the tier have them. Endpoints of the specification stay. */
export function servedKinds(platform: Platform, own: readonly ResourceKind[] = []): ServedKinds {
  const all = allKinds(own)
    .filter((file) => exists(file, platform))
    .flatMap((file) =>
      ownersOf(file).flatMap((of) => (hasKind(of, file, platform) ? servedKind(file, of, platform) : [])),
    );
  const owners = all.filter(({ isOwner }) => isOwner);
  const ofOwner = (owner: OwnerKind) => owners.filter(({ of }) => of === owner);
  return {
    all,
    owners: { project: ofOwner("project"), group: ofOwner("group") },
    route: kindRouter(all, platform.release),
  };
}

/** Every kind that can be served, of any release and tier. */
export function allKinds(own: readonly ResourceKind[] = []): readonly ResourceKind[] {
  const files = [...(bundled as unknown as readonly ResourceKind[]), ...own];
  return files.filter(({ calls }) => typeof calls.list !== "string" || !endpointPaths.has(calls.list));
}

function exists({ name, needs, removed }: ResourceKind, { release, tier }: Platform): boolean {
  if (kindQuirks[name]) return true;
  if (needs?.tier !== undefined && !tierIncludes(tier, needs.tier)) return false;
  if (needs?.release !== undefined && compareReleases(release, needs.release) < 0) return false;
  return removed === undefined || compareReleases(release, removed.release) < 0;
}

/** Projects or groups have some kinds only in the releases of a fact about deployed servers. */
function hasKind(of: OwnerKind, { facts }: ResourceKind, { release, behaviour }: Platform): boolean {
  const fact = facts?.[of];
  return fact === undefined || (behaviour.beyondSpec && holdsIn(releasesOf(fact), release));
}

function servedKind(file: ResourceKind, of: OwnerKind, platform: Platform): ServedKind {
  const keys = keyFieldsOf(file);
  const fields = new Map(
    Object.entries(file.fields.properties).filter(([name, field]) => keys.includes(name) || isThere(field, platform)),
  );
  const calls = servedCalls(file, of, (release) => compareReleases(platform.release, release) >= 0);
  const stored = storedFields(fields);
  const isOwner = /^GET \/\w+\/:id(\?|$)/.test(calls.show ?? "");
  const isAlways = isOwner || (keys.length === 0 && calls.create === undefined);
  return {
    file,
    of,
    keys,
    calls,
    fields: stored,
    initial: isAlways ? createdRow(stored, { params: {}, others: [] }) : {},
    checks: checksOf(fields, file.fields.required ?? []),
    answers: (file.answers ?? []).map(({ on, when, status, body }) => ({
      on,
      when: expressionOf(when, answerNames),
      status,
      body: expressionOf(body, answerNames),
    })),
    isNumbered: Object.values(calls).some((call) => call.includes(":row.id")),
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

function storeTexts({ "x-store": store = {} }: FieldSchema): readonly string[] {
  return typeof store === "string" ? [store] : Object.values(store);
}

/** What expressions of answers know: `rows` are those of the project or group, `above` those of the groups above it. */
const answerNames = ["params", "row", "rows", "above"] as const;

function isThere(field: FieldSchema, { release, tier }: Platform): boolean {
  const { "x-introduced": introduced, "x-removed": removed, "x-tier": needed } = field;
  if (introduced !== undefined && compareReleases(release, introduced) < 0) return false;
  if (removed !== undefined && compareReleases(release, removed) >= 0) return false;
  return needed === undefined || tierIncludes(tier, needed);
}

/** Whether two rows have the same key. */
export function hasKey(kind: ServedKind, a: JsonObject, b: JsonObject, caseCounts = false): boolean {
  return kind.keys.every((name) => {
    const [text, other] = [a, b].map((row) => partText(kind, row, name));
    return caseCounts ? text === other : isPart(kind, a, name, other ?? "");
  });
}

/** Whether a row has a text as a part, or as the field that is read from it. */
export function isPart(kind: ServedKind, row: JsonObject, name: string, expected: string): boolean {
  const text = partText(kind, row, name);
  const isCaseless = kind.file.fields.properties[name]?.["x-case"] === "ignore";
  return isCaseless ? text.toLowerCase() === expected.toLowerCase() : text === expected;
}

function partText({ fields }: ServedKind, row: JsonObject, name: string): string {
  if (name in row) return String(row[name] ?? "");
  const read = fields.find((field) => field.name === name)?.field["x-read"];
  return read === undefined ? "" : String(expressionOf(read, ["row"]).valueOf({ row }) ?? "");
}

import { isObject } from "../base/json.ts";
import { memoized } from "../base/memoize.ts";
import { serverWords, tierIncludes, unavailableBefore } from "../model/availability.ts";
import { wireValue } from "../model/field-meaning.ts";
import { compareReleases } from "../model/releases.ts";
import type { FieldSchema, ResourceKind } from "../model/resource-kind.ts";
import type { Platform, Problem } from "../model/types.ts";
import { isScalar } from "../model/values.ts";
import { pathIn, type WrittenResource } from "./entries.ts";
import type { Path } from "./positions.ts";
import { problemAt } from "./problem.ts";

interface DeclaredField {
  readonly path: Path;
  readonly field: FieldSchema;
  /** A value that not every server takes (`x-values`). */
  readonly value?: string;
}

export function fieldAvailability(written: WrittenResource, platform: Platform): readonly Problem[] {
  const { document, file, entry } = written;
  const subject = entry?.slug ?? file.singular.replaceAll("_", " ");
  return limitedFields(written.fields, written.parameters, []).flatMap((declared) => {
    const { path, field, value } = declared;
    const name = fieldName(path);
    const at = { document, path: pathIn(written, path), of: value === undefined ? "key" : "value" } as const;
    const { tier, release } = explainLacking(subject, declared, platform);
    return [
      ...(field.deprecated
        ? [problemAt("deprecated", `${name}: ${field.deprecationMessage ?? "deprecated"}`, at)]
        : []),
      ...(tier === undefined ? [] : [problemAt("tier", tier, at)]),
      ...(release === undefined ? [] : [{ ...problemAt("release", release, at), ...chooseSeverity(field) }]),
    ];
  });
}

const isLimited: (field: FieldSchema) => boolean = memoized(
  ({ properties = {}, items, ...field }: FieldSchema) =>
    limiting.some((word) => field[word] !== undefined) ||
    Object.values(properties).some(isLimited) ||
    (items !== undefined && isLimited(items)),
  new WeakMap(),
);

const limiting = ["deprecated", "x-tier", "x-introduced", "x-removed", "x-values"] as const;

/** The reason why a server certainly lacks a field of a kind, or a part of its value; undefined if it has it. */
export function missingField(
  file: Pick<ResourceKind, "singular" | "fields">,
  name: string,
  value: unknown,
  platform: Platform,
): string | undefined {
  const reasons = limitedFields(file.fields, { [name]: value }, []).map((declared) => {
    const { tier, release } = explainLacking(file.singular.replaceAll("_", " "), declared, platform);
    return tier ?? (chooseSeverity(declared.field).severity === undefined ? release : undefined);
  });
  return reasons.find((reason) => reason !== undefined);
}

function explainLacking(subject: string, { path, field, value }: DeclaredField, platform: Platform) {
  const name = fieldName(path);
  const what = `${value === undefined ? "" : `${value} as `}${name} of ${subject}`;
  return { tier: outOfTier(field, what, platform), release: outOfRelease(field, what, platform) };
}

function fieldName(path: Path): string {
  return path.filter((part) => typeof part === "string").join(".");
}

function limitedFields(field: FieldSchema, value: unknown, path: Path): readonly DeclaredField[] {
  if (!isLimited(field)) return none;
  if (Array.isArray(value))
    return value.flatMap((each, index) => limitedFields(field.items ?? {}, each, [...path, index]));
  if (!isObject(value)) return limitedValue(field, value, path);
  return Object.keys(value).flatMap((name): readonly DeclaredField[] => {
    const own = field.properties?.[name];
    if (!own || !isLimited(own)) return none;
    const here = [...path, name];
    return [{ path: here, field: own }, ...limitedFields(own, value[name], here)];
  });
}

const none: readonly never[] = [];

function limitedValue(field: FieldSchema, value: unknown, path: Path): readonly DeclaredField[] {
  const { "x-values": limits } = field;
  if (!limits || !isScalar(value)) return none;
  const limit = limits[String(wireValue(field, value))];
  if (!limit) return none;
  const { introduced, removed, tier, source } = limit;
  const servers = {
    ...(introduced !== undefined && { "x-introduced": introduced }),
    ...(removed !== undefined && { "x-removed": removed }),
    ...(tier !== undefined && { "x-tier": tier }),
    "x-source": source,
  };
  return [{ path, field: servers, value: String(value) }];
}

function outOfTier({ "x-tier": tier }: FieldSchema, what: string, platform: Platform): string | undefined {
  if (tier === undefined || tierIncludes(platform.tier, tier)) return undefined;
  return `${what} needs tier ${tier}; the server is ${platform.tier}`;
}

function outOfRelease(field: FieldSchema, what: string, platform: Platform): string | undefined {
  const { "x-introduced": introduced, "x-removed": removed } = field;
  const early = unavailableBefore(`${what} exists`, introduced, platform);
  if (early !== undefined || !removed || compareReleases(platform.release, removed) < 0) return early;
  return `${what} was removed in release ${removed}; ${serverWords(platform)}`;
}

/** The platform may have had a field before a public client or a published document had it. */
function chooseSeverity({ "x-source": source = "" }: FieldSchema): Partial<Pick<Problem, "severity">> {
  return /^(?:go-gitlab|gitbeaker|terraform-provider|OpenAPI)/.test(source) ? { severity: "warning" } : {};
}

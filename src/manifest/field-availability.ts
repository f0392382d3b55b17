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

/** A field, or a value of one (`x-values`), that not every server takes. */
interface LimitedField {
  readonly path: Path;
  readonly value?: string;
  readonly deprecated?: string | undefined;
  readonly limit: Limit;
}

type ValueLimit = NonNullable<FieldSchema["x-values"]>[string];

type Limit = { readonly [Word in keyof ValueLimit]?: ValueLimit[Word] | undefined };

export function fieldAvailability(written: WrittenResource, platform: Platform): readonly Problem[] {
  const { document, file, entry } = written;
  const subject = entry?.slug ?? file.singular.replaceAll("_", " ");
  return limitedFields(written.fields, written.parameters, []).flatMap((limited) => {
    const { path, value, deprecated } = limited;
    const at = { document, path: pathIn(written, path), of: value === undefined ? "key" : "value" } as const;
    const { tier, release, isCertain } = explainLacking(subject, limited, platform);
    return [
      ...(deprecated === undefined ? [] : [problemAt("deprecated", `${fieldName(path)}: ${deprecated}`, at)]),
      ...(tier === undefined ? [] : [problemAt("tier", tier, at)]),
      ...(release === undefined
        ? []
        : [{ ...problemAt("release", release, at), ...(!isCertain && { severity: "warning" as const }) }]),
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
  const reasons = limitedFields(file.fields, { [name]: value }, []).map((limited) => {
    const { tier, release, isCertain } = explainLacking(file.singular.replaceAll("_", " "), limited, platform);
    return tier ?? (isCertain ? release : undefined);
  });
  return reasons.find((reason) => reason !== undefined);
}

function explainLacking(subject: string, { path, value, limit }: LimitedField, platform: Platform) {
  const { tier, introduced, removed, source = "" } = limit;
  const what = `${value === undefined ? "" : `${value} as `}${fieldName(path)} of ${subject}`;
  const isGone = removed !== undefined && compareReleases(platform.release, removed) >= 0;
  const late = isGone ? `${what} was removed in release ${removed}; ${serverWords(platform)}` : undefined;
  return {
    tier:
      tier === undefined || tierIncludes(platform.tier, tier)
        ? undefined
        : `${what} needs tier ${tier}; the server is ${platform.tier}`,
    release: unavailableBefore(`${what} exists`, introduced, platform) ?? late,
    // The platform may have had a field before a public client or a published document had it.
    isCertain: !/^(?:go-gitlab|gitbeaker|terraform-provider|OpenAPI)/.test(source),
  };
}

function fieldName(path: Path): string {
  return path.filter((part) => typeof part === "string").join(".");
}

function limitedFields(field: FieldSchema, value: unknown, path: Path): readonly LimitedField[] {
  if (!isLimited(field)) return none;
  if (Array.isArray(value))
    return value.flatMap((each, index) => limitedFields(field.items ?? {}, each, [...path, index]));
  if (!isObject(value)) {
    const limit = isScalar(value) ? field["x-values"]?.[String(wireValue(field, value))] : undefined;
    return limit ? [{ path, value: String(value), limit }] : none;
  }
  return Object.keys(value).flatMap((name): readonly LimitedField[] => {
    const own = field.properties?.[name];
    if (!own || !isLimited(own)) return none;
    const here = [...path, name];
    const { "x-tier": tier, "x-introduced": introduced, "x-removed": removed, "x-source": source } = own;
    const deprecated = own.deprecated ? (own.deprecationMessage ?? "deprecated") : undefined;
    const limit = { tier, introduced, removed, source };
    return [{ path: here, deprecated, limit }, ...limitedFields(own, value[name], here)];
  });
}

const none: readonly never[] = [];

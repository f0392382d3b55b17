import schema from "../../schemas/resource-kind.schema.json" with { type: "json" };
import { isObject } from "../base/json.ts";
import { compile } from "../base/schema.ts";
import type { ObservedQuirk } from "./dialect.ts";
import type { RouteColumn } from "./events.ts";
import type { Owner } from "./owner.ts";
import type { Plain, Scalar, Tier } from "./types.ts";

export interface ResourceKind {
  readonly name: string;
  readonly singular: string;
  readonly title?: string;
  readonly description?: string;
  readonly of: Owner | readonly Owner[];
  readonly key?: string | readonly string[];
  /** The key of a policy below which its section lies: its resources are never removed. */
  readonly under?: "create";
  readonly where?: string;
  readonly kept?: string;
  readonly only?: string;
  /**
   * The key of a policy with resources to disable. Such a kind has `active` in its rows, and a removal sets it to
   * false.
   */
  readonly off?: string;
  readonly whole?: boolean;
  /** The schema of the possible resources by key, with their own fields; `fields` has the common ones. */
  readonly keys?: "integrations.schema.json";
  readonly calls: Readonly<Partial<Record<CallName, WrittenCall>>>;
  readonly body?: "form" | "json";
  readonly needs?: {
    readonly role?: KindRole;
    readonly read?: KindRole;
    /** The status for lack of the role or the license, where it is not 403. */
    readonly denial?: 401;
    readonly archived?: "unreadable";
    readonly tier?: Tier;
    readonly release?: string;
    readonly permission?: string;
  };
  readonly facts?: Readonly<Partial<Record<Owner, string>>>;
  readonly removed?: { readonly release: string; readonly instead?: string };
  readonly replace?: boolean;
  /** Names of kinds whose resources are written before, and deleted after, those of this kind. */
  readonly after?: readonly string[];
  readonly loosened?: string;
  readonly tightened?: string;
  readonly imported?: boolean;
  readonly sources?: readonly string[];
  readonly irreversible?: Partial<Readonly<Record<"create" | "update" | "delete" | "replace", string>>>;
  readonly notes?: readonly string[];
  readonly unique?: boolean;
  readonly byKey?: boolean;
  readonly answers?: readonly {
    readonly on: "create" | "update" | "delete";
    readonly when: string;
    readonly status: number;
    readonly body: string;
  }[];
  readonly fields: FieldSchema & { readonly properties: Readonly<Record<string, FieldSchema>> };
}

type KindRole = "guest" | "reporter" | "developer" | "maintainer" | "owner" | "admin";

export type CallName = "list" | "show" | "create" | "update" | "delete";

type WrittenCall = string | (CallDetails & { readonly call: string });

/**
 * `release`: the first release with the call. `returns: nothing`: the response has no row. `sends`:
 * parameters of a creation besides the fields, as expressions. `before`: a request that is
 * sent first; `stores`: its effect on a row of the embedded server. Of a list, `rows`: the part of the response that is
 * the list; `none`: the status of an empty list.
 */
interface CallDetails {
  readonly release?: string;
  readonly returns?: "nothing";
  readonly sends?: Readonly<Record<string, string>>;
  readonly before?: string;
  readonly stores?: Readonly<Record<string, Scalar>>;
  readonly rows?: string;
  readonly none?: 404;
}

export interface FieldSchema {
  readonly description?: string;
  readonly type?: FieldType | readonly FieldType[];
  readonly enum?: readonly Scalar[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly default?: Plain;
  readonly deprecated?: boolean;
  readonly deprecationMessage?: string;
  readonly writeOnly?: boolean;
  readonly items?: FieldSchema;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly additionalProperties?: boolean | FieldSchema;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly "x-read"?: string;
  readonly "x-store"?: string | Readonly<Record<string, string>>;
  readonly "x-send"?: string | Readonly<Record<string, string>>;
  readonly "x-send-as"?: string;
  readonly "x-lookup"?: string;
  readonly "x-field"?: string;
  /** The fields with the user and the password that are sent as part of the URL. */
  readonly "x-credentials"?: readonly [user: string, password: string];
  readonly "x-set"?: boolean;
  readonly "x-words"?: Readonly<Record<string, Scalar>>;
  /** The servers that know a value. */
  readonly "x-values"?: Readonly<
    Record<
      string,
      { readonly introduced?: string; readonly removed?: string; readonly tier?: Tier; readonly source: string }
    >
  >;
  readonly "x-case"?: "ignore";
  /** Calls for the items of a list; without `create` and `update`, the calls of the resource carry them. */
  readonly "x-items"?: {
    readonly key: string;
    readonly create?: string;
    readonly update?: string;
    readonly delete: string;
  };
  /** True, or an expression of `row`, `tier` and `release`, if the server takes it only at creation. */
  readonly "x-immutable"?: boolean | string;
  readonly "x-keep"?: boolean;
  readonly "x-strict"?: Strictness;
  /** The release from which requests find a resource by this part of its key. */
  readonly "x-filtered"?: string;
  /** false: only `show` returns it. */
  readonly "x-listed"?: boolean;
  readonly "x-returned"?: boolean;
  /** Sibling fields that make it a secret while they are true. */
  readonly "x-secret-with"?: readonly string[];
  /** Required forms: the first one without `with`, or whose sibling field `with` is true, applies. */
  readonly "x-secret-forms"?: readonly {
    readonly with?: string;
    readonly pattern: string;
    readonly expected: string;
  }[];
  /** The usual value of new resources if instances differ; an import leaves it out. */
  readonly "x-usual"?: Plain;
  /** Each resource has its own value: an import leaves it out. */
  readonly "x-own"?: boolean;
  readonly "x-tier"?: Tier;
  /** The schemes of its URLs; true: http and https. */
  readonly "x-url"?: boolean | readonly string[];
  readonly "x-host"?: boolean;
  /** `top`: a field of the row, such as `id` and `active`; `properties`: a field of its `properties`. */
  readonly "x-level"?: "top" | "properties";
  readonly "x-list"?: "comma" | "whitespace";
  readonly "x-route"?: RouteColumn;
  readonly "x-observed"?: readonly ObservedQuirk[];
  readonly "x-observed-fallback"?: string;
  readonly "x-introduced"?: string;
  readonly "x-removed"?: string;
  readonly "x-source"?: string;
  readonly "x-expected"?: string;
  readonly maxProperties?: number;
  readonly "x-instead"?: Readonly<Record<string, string>>;
  readonly "x-legacy"?: string;
}

/** The values of a field that are stricter than others; a list names them all, from loose to strict. */
export type Strictness =
  | boolean
  | "more"
  | "less"
  | "limit"
  | "sooner"
  | "set"
  | "allowed"
  | "scope"
  | "access"
  | readonly Plain[];

export type FieldType = "string" | "integer" | "number" | "boolean" | "array" | "object" | "null";

export const resourceKindShape = compile(schema);

/** The schemas directly within a field. */
export function partsOf({ items, properties = {}, additionalProperties: others }: FieldSchema): readonly FieldSchema[] {
  return [
    ...(items ? [items] : []),
    ...Object.values(properties),
    ...(isObject(others) ? [others as FieldSchema] : []),
  ];
}

/** True if a test holds for a field, or for a schema at any depth within it. */
export function holdsWithin(field: FieldSchema, test: (field: FieldSchema) => boolean): boolean {
  return test(field) || partsOf(field).some((each) => holdsWithin(each, test));
}

export function ownersOf({ of }: ResourceKind): readonly Owner[] {
  return typeof of === "string" ? [of] : of;
}

/** The section of a policy that lists its resources; below another key with a dot: `create.projects`. */
export function sectionOf({ name, under }: ResourceKind): string {
  return under === undefined ? name : `${under}.${name}`;
}

export function keyFieldsOf({ key = [] }: ResourceKind): readonly string[] {
  return typeof key === "string" ? [key] : key;
}

/** True if a project or group has exactly one resource of the kind, without a key. */
export function isSingleton({ key }: ResourceKind): boolean {
  return key === undefined;
}

export function writtenCall(call: WrittenCall): { readonly method: string; readonly path: string } {
  const [method = "", path = ""] = (typeof call === "string" ? call : call.call).split(" ");
  return { method, path };
}

/** The call for an owner: paths of projects and groups differ in their first segment. */
export function callOfOwner(kind: ResourceKind, call: WrittenCall, owner: Owner): ReturnType<typeof writtenCall> {
  const { method, path } = writtenCall(call);
  if (ownersOf(kind).length < 2 || owner === "instance") return { method, path };
  return { method, path: path.replace(/^\/(?:projects|groups)\//, `/${owner}s/`) };
}

/** The details of a kind's call besides its method and path. */
export function callDetails(call: WrittenCall | undefined): CallDetails {
  return typeof call === "object" ? call : {};
}

export function sendsOwner({ calls }: ResourceKind): boolean {
  return Object.values(callDetails(calls.create).sends ?? {}).includes("owner");
}

/** The owner that a resource of the kind becomes; undefined if it only belongs to one. */
export function createdOwner({ under, calls: { create } }: ResourceKind): "project" | "group" | undefined {
  if (under === undefined || create === undefined) return undefined;
  return writtenCall(create).path === "/projects" ? "project" : "group";
}

/** The names in a path: `id`, a field, or `row.FIELD`. */
export function namesInPath(path: string): readonly string[] {
  return Array.from(path.matchAll(/:((?:row\.)?\w+)/g), ([, name = ""]) => name);
}

/**
 * The key of a resource in policies and addresses: its fields joined by `@`. Trailing fields with their default are
 * left out, and an `@` in any but the last field is `%40`.
 */
export function keyTextOf(kind: ResourceKind, values: Readonly<Record<string, unknown>>): string {
  const parts = keyFieldsOf(kind).map((name) => [name, String(values[name] ?? defaultOf(kind, name) ?? "")] as const);
  const end = parts.length - 1;
  const last = parts.findLastIndex(([name, text], index) => index === 0 || text !== String(defaultOf(kind, name)));
  return (
    parts
      .slice(0, last + 1)
      // Encodes only `@` and existing escapes of `@` and `%`.
      .map(([, text], index) => (index < end ? text.replace(/%(?=40|25)/g, "%25").replaceAll("@", "%40") : text))
      .join("@")
  );
}

/** The fields of a key, with defaults for omitted ones. All but the last end at the first `@`. */
export function keyValuesOf(kind: ResourceKind, text: string): Readonly<Record<string, string>> {
  const names = keyFieldsOf(kind);
  const parts = text.split("@");
  const last = names.length - 1;
  const texts = [...parts.slice(0, last), ...(parts.length > last ? [parts.slice(last).join("@")] : [])];
  return Object.fromEntries(
    names.map((name, index) => {
      const text = texts[index];
      if (text === undefined) return [name, String(defaultOf(kind, name) ?? "")];
      return [name, index < last ? text.replace(/%40|%25(?=40|25)/g, (code) => (code === "%40" ? "@" : "%")) : text];
    }),
  );
}

function defaultOf({ fields }: ResourceKind, name: string): Plain | undefined {
  return fields.properties[name]?.default;
}

/** Groups of fields that exclude each other, the simplest first. */
export function alternativesIn(fields: FieldSchema): readonly (readonly [string, ...string[]])[] {
  const { allOf = [] } = fields as { readonly allOf?: readonly { readonly not?: FieldSchema }[] };
  return allOf.flatMap(({ not }) => {
    const [first, ...others] = not?.required ?? [];
    return first === undefined ? [] : [[first, ...others] as const];
  });
}

/** The fields that the simplest possible field of their group rules out. */
export function excludedNames(fields: FieldSchema, isPossible: (name: string) => boolean): ReadonlySet<string> {
  const excluded = alternativesIn(fields).flatMap((group) => {
    const chosen = group.find(isPossible);
    return chosen === undefined ? [] : group.filter((name) => name !== chosen);
  });
  return new Set(excluded);
}

import schema from "../../schemas/manifest.schema.json" with { type: "json" };
import { grouped } from "../base/grouped.ts";
import { valueAtPath } from "../base/json.ts";
import { memoized } from "../base/memoize.ts";
import { compile, type SchemaCheck, type SchemaFault } from "../base/schema.ts";
import { version } from "../base/version.ts";
import { type Catalogue, catalogueOf } from "../model/catalogue.ts";
import { sectionShapes } from "../model/kind-schema.ts";
import type { Owner } from "../model/owner.ts";
import { policyProperties } from "../model/schemas.ts";
import type { Problem } from "../model/types.ts";
import type { Document } from "./document.ts";
import { ownerOfPolicy } from "./policy-text.ts";
import type { Path } from "./positions.ts";
import { commentHint, problemAt } from "./problem.ts";

export const documentKinds = ["Workspace", "Policy", "Rule", "Test", "StorageMigration"] as const;

export type DocumentKind = (typeof documentKinds)[number];

export const apiVersion = "evenkeel/v1";

/** A hint for a document of another version of the manifests; empty for any other value. */
export function versionHint(written: unknown): string {
  const [whole, number] = /^evenkeel\/v(\d{1,9})[a-z\d.]{0,9}$/i.exec(typeof written === "string" ? written : "") ?? [];
  if (whole === undefined || whole === apiVersion) return "";
  return `; evenkeel ${version} does not read ${whole}${Number(number) > 1 ? ", a later release may" : ""}`;
}

export interface Shaped<Text> {
  readonly text: Partial<Text>;
  readonly problems: readonly Problem[];
}

/**
 * Validates a document with the schema of its kind in `schemas/manifest.schema.json`. Of resources it only checks that
 * they are mappings. Problems of `apiVersion` are reported when the kind is read.
 */
export function shape<Text>(document: Document, kind: DocumentKind, known: Known = {}): Shaped<Text> {
  if (kind !== "Policy") return shapeBy(checkOf(kind), document);
  const { catalogue = catalogueOf(), faultyKinds } = known;
  return shapeBy(policyCheck(catalogue)(ownerOfPolicy(document.value)), document, faultyKinds, true);
}

/** The known sections of policies. Those of faulty kinds are not checked, because the kind itself is reported. */
interface Known {
  readonly catalogue?: Catalogue;
  readonly faultyKinds?: ReadonlySet<string>;
}

/** Keys of a policy that declare no resources, and need a value. */
export const policyHeads: ReadonlySet<string> = new Set([
  ...["kind", "name", "instance", "projects", "groups", "where", "archived"],
  ...["priority", "enforce", "until", "reason"],
]);

/** `allowsEmpty`: true if a section without a value declares nothing. */
export function shapeBy<Text>(
  check: SchemaCheck,
  document: Document,
  unchecked?: ReadonlySet<string>,
  allowsEmpty = false,
): Shaped<Text> {
  const all = check(document.value);
  if (all.length === 0) return { text: document.value as Text, problems: [] };
  const faults = all.filter(({ path }) => path[0] !== "apiVersion");
  const isEmptySection = ({ rule, path }: SchemaFault) =>
    rule === "wrong-type" &&
    path.length === 1 &&
    !policyHeads.has(String(path[0])) &&
    valueAtPath(document.value, path) === null;
  const text = without(
    document.value,
    faults.map(({ path }) => path),
  );
  const namedBy = ({ rule, path }: SchemaFault) =>
    String(rule === "unknown-key" ? path.at(-1) : valueAtPath(document.value, path));
  const reported = faults.filter((fault) => !unchecked?.has(namedBy(fault)) && !(allowsEmpty && isEmptySection(fault)));
  const problems = reported.map(({ rule, message, path }) => {
    const of = rule.endsWith("-key") ? "key" : "value";
    const hint = of === "value" ? commentHint(document, path, valueAtPath(document.value, path)) : "";
    return problemAt(rule, `${message}${hint}`, { document, path, of });
  });
  return { text: text as Partial<Text>, problems };
}

// The catalogue checks integrations individually, with one problem per mistake.
const integrationsOnly = {
  $id: "integrations.schema.json",
  type: "object",
  "x-expected": "a mapping from slugs to parameters",
  additionalProperties: { type: "object", "x-expected": "a mapping of parameters" },
  definitions: { slug: { type: "string", "x-expected": "a slug" } },
};

type ShapeSchema = readonly [schema: object, references: readonly object[]];

export function documentShape(kind: DocumentKind): ShapeSchema {
  return shapeSchema(schema.definitions[kind]);
}

export function policyShape(catalogue: Catalogue, owner: Owner): ShapeSchema {
  return shapeSchema({ ...schema.definitions.Policy, properties: policyProperties(sectionShapes(catalogue, owner)) });
}

function shapeSchema(definition: object): ShapeSchema {
  return [{ $id: schema.$id, definitions: schema.definitions, ...definition }, [integrationsOnly]];
}

const checkOf = memoized((kind: DocumentKind): SchemaCheck => compile(...documentShape(kind)));

const policyCheck = memoized(
  (catalogue: Catalogue) => memoized((owner: Owner): SchemaCheck => compile(...policyShape(catalogue, owner))),
  new WeakMap(),
);

/** Copies a value without the parts at these paths. Lists keep holes, so that indices remain valid. */
function without(value: unknown, paths: readonly Path[]): unknown {
  const byKey = grouped(paths, ([first]) => (first === undefined ? undefined : String(first)));
  if (byKey.size === 0 || typeof value !== "object" || value === null) return value;
  // Without a prototype, so that every key is safe.
  const copy: Record<string, unknown> = Array.isArray(value) ? [] : Object.create(null);
  for (const [key, child] of Object.entries(value)) {
    const below = (byKey.get(key) ?? []).map((path) => path.slice(1));
    if (below.every(({ length }) => length > 0)) copy[key] = without(child, below);
  }
  return copy;
}

/** The valid items of a list with their original indices. */
export function listed<T>(
  list: readonly (T | undefined)[] | undefined,
): readonly (readonly [item: T, index: number])[] {
  return (list ?? []).flatMap((item, index) => (item === undefined ? [] : [[item, index] as const]));
}

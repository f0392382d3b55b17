import { isObject, type JsonObject } from "../base/json.ts";
import { memoized } from "../base/memoize.ts";
import { impliedFields } from "../model/catalogue.ts";
import { catalogueEntry, identityOf, kindOf, type PolicyKind } from "../model/kinds.ts";
import { isSingleton, keyTextOf, type ResourceKind } from "../model/resource-kind.ts";
import type { Desired, Fields, Kind, Problem, Scalar } from "../model/types.ts";
import { isScalar } from "../model/values.ts";
import { type Declaration, DeclaredEntry, type From, type PolicyEntry } from "./entries.ts";
import { keysIn, kindsNamedIn, type PolicyText, sectionIn } from "./policy-text.ts";
import type { Path } from "./positions.ts";
import { problemAt } from "./problem.ts";
import { type Declared, declareResource } from "./resource-fields.ts";
import { listed } from "./shape.ts";
import { isTemplate } from "./template.ts";
import type { Workspace } from "./workspace.ts";
import { keyFieldValues } from "./written-resource.ts";

/** The resources of a policy, and their problems. */
export interface Entries {
  readonly entries: readonly PolicyEntry[];
  readonly problems: readonly Problem[];
  readonly plaintext: Declared["plaintext"];
}

/** All resources that a policy declares, by kind. */
export function readEntries(from: From, text: Partial<PolicyText>, workspace: Workspace): Entries {
  const into: Collected = { entries: [], problems: [], plaintext: [] };
  const { kinds: rows } = kindsNamedIn(from.catalogue, from.of, text);
  for (const row of rows) addDeclared(into, from, row, sectionIn(text, row.section), workspace);
  for (const row of rows) for (const entry of absentEntries(from, row, text)) into.entries.push(entry);
  return into;
}

/** The resources and problems of a policy so far. */
interface Collected extends Entries {
  readonly entries: PolicyEntry[];
  readonly problems: Problem[];
  readonly plaintext: Entries["plaintext"][number][];
}

function addDeclared(
  into: Collected,
  from: From,
  row: PolicyKind,
  values: JsonObject | undefined,
  workspace: Workspace,
): void {
  if (values === undefined) return;
  if (isSingleton(kindOf(from.catalogue, row.kind).file)) {
    addResource(into, from, row, "", [row.section], values, workspace);
    return;
  }
  const known = bareResources(workspace)(row.kind);
  for (const key of selectListed(from, row, Object.keys(values))) {
    const value = values[key];
    const path = [row.section, key];
    const byKey = isScalar(value) ? known(value) : undefined;
    const resource = byKey?.get(key);
    if (resource) into.entries.push(new DeclaredEntry(from, path, resource));
    else {
      const bare = addResource(into, from, row, key, path, value, workspace);
      if (bare) byKey?.set(key, bare);
    }
  }
}

/**
 * Valid resources declared by one literal, such as the status of a license, by value and key: thousands of policies
 * repeat the same few.
 */
const bareResources = memoized(
  (_workspace: Workspace) => memoized((_kind: Kind) => memoized((_value: Scalar) => new Map<string, Desired>())),
  new WeakMap(),
);

/** Keys that the catalogue knows; unknown ones are reported separately. */
function selectListed({ catalogue }: From, { kind }: PolicyKind, keys: readonly string[]): readonly string[] {
  const known = kindOf(catalogue, kind).keys;
  return known ? keys.filter((key) => known.has(key)) : keys;
}

/**
 * Adds a resource by its fields, or by its only value. Returns the declaration if a valid literal has the same meaning
 * everywhere, to be cached; else undefined.
 */
function addResource(
  into: Collected,
  from: From,
  { kind }: PolicyKind,
  text: string,
  path: Path,
  value: unknown,
  workspace: Workspace,
): Desired | undefined {
  const { file, keys: catalogued } = kindOf(from.catalogue, kind);
  const { only } = file;
  const isBare = only !== undefined && !isObject(value);
  const entry = catalogued?.get(text);
  const keys = entry ? {} : keyFieldValues(file, text);
  const { inherit, ...parameters } = isBare ? { [only]: value, inherit: undefined } : (value as JsonObject);
  if (inherit !== undefined) into.problems.push(...inheritProblems(from, file, path, inherit));
  const inherits = inherit === true && !isSingleton(file);
  const written = {
    document: from.document,
    path,
    file,
    entry,
    fields: entry?.fields ?? file.fields,
    platform: workspace.server,
    keys,
    parameters,
    inherits,
    bare: isBare ? only : undefined,
  };
  const { fields, templates, problems, plaintext } = declareResource(written, workspace);
  for (const problem of problems) into.problems.push(problem);
  for (const each of plaintext) into.plaintext.push(each);
  if (isBare && Object.keys(fields).length === 0) return undefined;
  const all = entry?.parameters.has("active") && !inherits ? { ...impliedFields(entry), ...fields } : fields;
  const resource = createResource(from, kind, entry?.slug ?? keyTextOf(file, keys), all);
  const isSettled = isBare && templates.length === 0 && !isTemplate(text);
  const read = new DeclaredEntry(from, path, resource, templates, isSettled ? undefined : written);
  into.entries.push(read);
  return isSettled && problems.length === 0 && plaintext.length === 0 ? read.desired : undefined;
}

/** `inherit` must be true, and is redundant for a singleton. */
function inheritProblems({ document }: From, file: ResourceKind, path: Path, inherit: unknown): readonly Problem[] {
  const at = { document, path: [...path, "inherit"] };
  if (isSingleton(file)) {
    const message = `${file.name} needs no inherit: each field that a policy lacks is that of the next policy anyway`;
    return [problemAt("unknown-key", message, { ...at, of: "key" })];
  }
  if (inherit === true) return [];
  return [problemAt("wrong-value", "expected true; without inherit, an entry stands alone", at)];
}

function createResource(
  { catalogue }: From,
  kind: Kind,
  key: string,
  fields: Fields,
  presence: Desired["presence"] = "present",
): Declaration {
  return { kind, key, fields, identity: identityOf(catalogue, { kind, key }), presence };
}

function absentEntries(
  from: From,
  { kind, section, off }: PolicyKind,
  text: Partial<PolicyText>,
): readonly PolicyEntry[] {
  const absent = (key: string, path: Path) =>
    new DeclaredEntry(from, path, createResource(from, kind, key, {}, "absent"));
  if (off !== undefined)
    return listed(keysIn(text, off))
      .filter(([key]) => catalogueEntry(from.catalogue, { kind, key }))
      .map(([key, index]) => absent(key, [off, index]));
  const { file } = kindOf(from.catalogue, kind);
  const keys = text.absent?.[section];
  if (keys === undefined) return [];
  if (keys === true) return [absent("", ["absent", section])];
  return listed(keys).map(([text, index]) => {
    const key = keyTextOf(file, keyFieldValues(file, text));
    return absent(key, ["absent", section, index]);
  });
}

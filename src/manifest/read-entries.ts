import { isObject, type JsonObject } from "../base/json.ts";
import { memoized } from "../base/memoize.ts";
import { impliedFields } from "../model/catalogue.ts";
import { catalogueEntry, kindOf, type PolicyKind } from "../model/kinds.ts";
import { isSingleton, keyTextOf } from "../model/resource-kind.ts";
import type { Desired, Kind, Problem, Scalar } from "../model/types.ts";
import { isScalar } from "../model/values.ts";
import { DeclaredEntry, type From, type PolicyEntry } from "./entries.ts";
import { keysIn, kindsNamedIn, type PolicyText, sectionIn } from "./policy-text.ts";
import type { Path } from "./positions.ts";
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
  const entries: PolicyEntry[] = [];
  const problems: Problem[] = [];
  const plaintext: Entries["plaintext"][number][] = [];
  const { kinds: rows } = kindsNamedIn(from.catalogue, from.of, text);
  for (const row of rows) {
    for (const read of declaredEntries(from, row, text, workspace)) {
      if (read instanceof DeclaredEntry) entries.push(read);
      else {
        if (read.entry) entries.push(read.entry);
        problems.push(...read.problems);
        plaintext.push(...read.plaintext);
      }
    }
  }
  for (const row of rows) entries.push(...absentEntries(from, row, text));
  return { entries, problems, plaintext };
}

interface ReadEntry extends Pick<Declared, "problems" | "plaintext"> {
  /** Undefined where nothing is known of the one value that stands for a resource. */
  readonly entry: PolicyEntry | undefined;
}

function declaredEntries(
  from: From,
  row: PolicyKind,
  text: Partial<PolicyText>,
  workspace: Workspace,
): readonly (DeclaredEntry | ReadEntry)[] {
  const { file } = kindOf(from.catalogue, row.kind);
  const values = sectionIn(text, row.section);
  if (values === undefined) return none;
  if (isSingleton(file)) return [resourceEntry(from, row, "", [row.section], values, workspace)];
  const known = bareResources(workspace)(row.kind);
  return listedKeys(from, row, Object.keys(values)).map((key) => {
    const value = values[key];
    const path = [row.section, key];
    const byKey = isScalar(value) ? known(value) : undefined;
    const resource = byKey?.get(key);
    if (resource) return new DeclaredEntry(from, path, resource);
    const read = resourceEntry(from, row, key, path, value, workspace);
    const isClean = read.problems.length === 0 && read.plaintext.length === 0;
    if (isClean && read.entry && !read.entry.written) byKey?.set(key, read.entry.desired);
    return read;
  });
}

/**
 * Valid resources that one literal stands for, such as the status of a license, by value and key: thousands of policies
 * repeat the same few.
 */
const bareResources = memoized(
  (_workspace: Workspace) => memoized((_kind: Kind) => memoized((_value: Scalar) => new Map<string, Desired>())),
  new WeakMap(),
);

/** The keys that a resource can have: one that the catalogue does not know is a problem of its own. */
function listedKeys({ catalogue }: From, { kind }: PolicyKind, keys: readonly string[]): readonly string[] {
  const known = kindOf(catalogue, kind).keys;
  return known ? keys.filter((key) => known.has(key)) : keys;
}

/** A resource: its fields, or the one value that stands for them. */
function resourceEntry(
  from: From,
  { kind }: PolicyKind,
  text: string,
  path: Path,
  value: unknown,
  workspace: Workspace,
): ReadEntry {
  const { file, keys: catalogued } = kindOf(from.catalogue, kind);
  const { only } = file;
  const isBare = only !== undefined && !isObject(value);
  const entry = catalogued?.get(text);
  const keys = entry ? {} : keyFieldValues(file, text.trim());
  const parameters = isBare ? { [only]: value } : (value as JsonObject);
  const written = {
    document: from.document,
    path,
    file,
    entry,
    fields: entry?.fields ?? file.fields,
    platform: workspace.server,
    keys,
    parameters,
    bare: isBare ? only : undefined,
  };
  const { fields, templates, problems, plaintext } = declareResource(written, workspace);
  const all = entry?.parameters.has("active") ? { ...impliedFields(entry), ...fields } : fields;
  const resource = { kind, key: entry?.slug ?? keyTextOf(file, keys), fields: all };
  const rest = isBare && templates.length === 0 && !isTemplate(text) ? {} : { templates, written };
  const isLost = isBare && Object.keys(fields).length === 0;
  return { problems, plaintext, entry: isLost ? undefined : new DeclaredEntry(from, path, resource, rest) };
}

const absent = { presence: "absent" } as const;

function absentEntries(
  from: From,
  { kind, section, off }: PolicyKind,
  text: Partial<PolicyText>,
): readonly PolicyEntry[] {
  if (off !== undefined)
    return listed(keysIn(text, off))
      .filter(([key]) => catalogueEntry(from.catalogue, { kind, key }))
      .map(([key, index]) => new DeclaredEntry(from, [off, index], { kind, key, fields: {} }, absent));
  const { file } = kindOf(from.catalogue, kind);
  const keys = text.absent?.[section];
  if (keys === undefined) return [];
  if (keys === true) return [new DeclaredEntry(from, ["absent", section], { kind, key: "", fields: {} }, absent)];
  return listed(keys).map(([text, index]) => {
    const key = keyTextOf(file, keyFieldValues(file, text.trim()));
    return new DeclaredEntry(from, ["absent", section, index], { kind, key, fields: {} }, absent);
  });
}

const none: readonly never[] = [];

import { isObject, valueAtPath } from "../base/json.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { kindOf, type PolicyKind } from "../model/kinds.ts";
import { kindWord, type Owner } from "../model/owner.ts";
import { isSingleton, keyFieldsOf, keyTextOf, keyValuesOf, type ResourceKind } from "../model/resource-kind.ts";
import type { Kind, Problem } from "../model/types.ts";
import type { Document } from "./document.ts";
import { type KindAsFile, kindsNamedIn, ownerOfPolicy, type PolicyText, sectionPath } from "./policy-text.ts";
import type { Path } from "./positions.ts";
import { problemAt, type Rule, rules } from "./problem.ts";
import { listed } from "./shape.ts";
import type { Workspace } from "./workspace.ts";

export interface ShapedPolicy {
  readonly document: Document;
  readonly text: Partial<PolicyText>;
  readonly workspace: Workspace;
}

export interface Checkable extends ShapedPolicy {
  readonly catalogue: Catalogue;
  readonly of: Owner;
  readonly kinds: readonly PolicyKind[];
  readonly files: readonly KindAsFile[];
}

export function toCheckable({ document, text, workspace }: ShapedPolicy): Checkable {
  const { catalogue } = workspace;
  const { value } = document;
  const of = ownerOfPolicy(value);
  return { document, text, workspace, catalogue, of, ...kindsNamedIn(catalogue, of, isObject(value) ? value : {}) };
}

/** The keys of a section, even if their values are invalid: a wrong value does not hide a wrong key. */
export function writtenKeys({ document: { value } }: Checkable, section: string): readonly string[] {
  const written = valueAtPath(value, sectionPath(section));
  return isObject(written) ? Object.keys(written) : [];
}

function listKeyed({ catalogue, ...policy }: Checkable, { kind, section, file }: KindAsFile) {
  const identify = identifier(catalogue, kind, file);
  const keys = isSingleton(file)
    ? writtenKeys({ ...policy, catalogue }, section).length > 0
      ? [{ key: section, path: sectionPath(section), identity: identify("") }]
      : []
    : writtenKeys({ ...policy, catalogue }, section).map((key) => ({
        key,
        path: [...sectionPath(section), key],
        identity: identify(key),
      }));
  return { identify, keys };
}

function identifier(catalogue: Catalogue, kind: Kind, file: ResourceKind): (text: string) => string {
  const { identity } = kindOf(catalogue, kind);
  if (keyFieldsOf(file).length === 1) return identity;
  return (text) => identity(keyTextOf(file, keyValuesOf(file, text)));
}

export function absentUndeclared(policy: Checkable): readonly Problem[] {
  const { document, text, files } = policy;
  if (text.absent === undefined) return [];
  return files.flatMap((row) => {
    const gone = text.absent?.[row.section];
    if (gone === undefined) return [];
    const { identify, keys } = listKeyed(policy, row);
    const declared = new Set(keys.map(({ identity }) => identity));
    const absent: readonly (readonly [key: string, path: Path])[] =
      gone === true
        ? [["", ["absent", row.section]]]
        : listed(gone).map(([key, index]) => [key, ["absent", row.section, index]]);
    return absent
      .filter(([key]) => declared.has(identify(key)))
      .map(([key, path]) =>
        problemAt("contradiction", `${key || row.section} is declared above and absent here`, { document, path }),
      );
  });
}

/** Duplicate resources, even if their keys are spelled differently. */
export function distinctKeys(policy: Checkable): readonly Problem[] {
  const { document, catalogue, files } = policy;
  return files.flatMap(({ kind, section, file }) => {
    const keys = isSingleton(file) ? [] : writtenKeys(policy, section);
    if (keys.length < 2) return [];
    return sameKeys(keys, identifier(catalogue, kind, file)).map(([key, other]) => {
      const message = `${key} and ${other} are the same ${file.singular.replaceAll("_", " ")}${describeSameness(key, other)}`;
      return problemAt(duplicateRule(kind), message, { document, path: [...sectionPath(section), key], of: "key" });
    });
  });
}

function sameKeys(keys: readonly string[], identify: (key: string) => string): readonly [string, string][] {
  const first = new Map<string, string>();
  const same: [string, string][] = [];
  for (const key of keys) {
    const identity = identify(key);
    const other = first.get(identity);
    if (other === undefined) first.set(identity, key);
    else same.push([key, other]);
  }
  return same;
}

function describeSameness(key: string, other: string): string {
  return key.toLowerCase() === other.toLowerCase() ? ": case is ignored" : "";
}

/** The rule for duplicates: some kinds have their own, from before there was a common one. */
function duplicateRule(kind: Kind): Rule {
  const own = `duplicate-${kindWord(kind)}`;
  return own in rules ? (own as Rule) : "duplicate-resource";
}

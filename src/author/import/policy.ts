import { Document, type Node, Pair, Scalar, YAMLMap, YAMLSeq } from "yaml";
import { grouped } from "../../base/grouped.ts";
import { isObject } from "../../base/json.ts";
import { printable } from "../../base/printable.ts";
import { selectorKeys } from "../../manifest/policy-text.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { kindOf, policyKinds, sectionNameOf } from "../../model/kinds.ts";
import { bareName, idIn, isId, type Owner, ownerOfName } from "../../model/owner.ts";
import { isSingleton } from "../../model/resource-kind.ts";
import type { Kind, Live, Plain, Project, Scalar as Value } from "../../model/types.ts";
import { isList, isScalar } from "../../model/values.ts";
import { asciiEscapes, scalarOf } from "../format/edit.ts";

export interface FoundProject {
  readonly project: Project;
  /** Active resources of the project itself. */
  readonly live: readonly Live[];
  /** Resources that were not read, are disabled, or are inherited from the group. */
  readonly others: readonly Pick<Live, "kind" | "key" | "inherited">[];
  readonly unread: readonly string[];
  /** Resources that fields of others name by ID. */
  readonly named?: readonly Live[];
}

/**
 * The value that a policy will declare for one parameter: the server's value, text with an interpolation, or a blank
 * that the user has to fill in. The `reference` of a blank is set once all blanks are known.
 */
export type ImportedValue =
  | { readonly form: "value"; readonly value: Plain }
  | { readonly form: "template"; readonly text: string }
  | { readonly form: "items"; readonly items: readonly ImportedItem[] }
  | Blank;

/** An item of a list, some of whose properties are secrets. */
export type ImportedItem = Readonly<Record<string, Plain | Blank>>;

/** A secret reference for any value that the server does not report. */
export interface Blank {
  readonly form: "blank";
  readonly why: string;
  readonly reference: string;
  /** Blanks with the same number have the same value. */
  readonly same?: number;
}

export function isBlank(value: Plain | Blank): value is Blank {
  return isObject(value) && value.form === "blank";
}

export function blanksIn(stated: ImportedValue): readonly Blank[] {
  if (stated.form === "items") return stated.items.flatMap((item) => Object.values(item).filter(isBlank));
  return stated.form === "blank" ? [stated] : [];
}

export interface ImportedEntry {
  readonly kind: Kind;
  readonly key: string;
  readonly fields: ReadonlyMap<string, ImportedValue>;
  /** Reported fields that are omitted as defaults, as a policy can declare them. */
  readonly defaults?: ReadonlyMap<string, ImportedValue>;
  /** A message for each thing that could not be read or declared. */
  readonly remarks: readonly string[];
}

export interface ImportedProject {
  readonly project: Project;
  readonly entries: readonly ImportedEntry[];
  readonly remarks: readonly string[];
}

export interface Draft {
  /** Path in the folder of policies. */
  readonly file: string;
  readonly name: string;
  readonly projects: readonly (string | number)[];
  readonly except: readonly (string | number)[];
  readonly priority?: number;
  /** The last day on which it applies. */
  readonly until?: string;
  readonly reason?: string;
  /** Comments at the top. */
  readonly heading: readonly string[];
  readonly entries: readonly ImportedEntry[];
  readonly disabled?: readonly string[];
  readonly absent?: readonly Pick<ImportedEntry, "kind" | "key">[];
  /** Sections in which unlisted resources have to be absent. */
  readonly exclusive?: readonly string[];
  /** Comments at the end about omitted values. */
  readonly remarks: readonly string[];
}

/** The manifest of a draft. `schema` is the path of its JSON Schema, relative to the file. */
export function policyText(draft: Draft, schema: string, catalogue: Catalogue): string {
  return policyFileText([draft], schema, catalogue);
}

/** Like {@link policyText}, with one document for each draft. */
export function policyFileText(drafts: readonly Draft[], schema: string, catalogue: Catalogue): string {
  return `# ${printable(`yaml-language-server: $schema=${schema}`)}\n${drafts.map((draft) => documentText(draft, catalogue)).join("---\n")}`;
}

function documentText(draft: Draft, catalogue: Catalogue): string {
  const { name, projects, except, priority, until, reason, entries, disabled = [] } = draft;
  const { absent = [], exclusive = [] } = draft;
  const root = new YAMLMap();
  const add = (key: string, value: unknown) => root.items.push(new Pair(new Scalar(key), value));
  add("apiVersion", new Scalar("evenkeel/v1"));
  add("kind", new Scalar("Policy"));
  add("name", scalarOf(name));
  const owner = ownerOfDraft(draft);
  add(selectorKeys[owner], owner === "instance" ? new Scalar(true) : toList(projects.map(bareSelector)));
  if (except.length > 0) add("except", toList(except.map(bareSelector)));
  if (priority !== undefined) add("priority", new Scalar(priority));
  if (until !== undefined) add("until", scalarOf(until));
  if (reason !== undefined) add("reason", scalarOf(reason));
  for (const { kind, section, only } of policyKinds(catalogue, owner)) {
    const listed = entries.filter((entry) => entry.kind === kind);
    if (listed.length > 0) add(section, isSingle(kind, catalogue) ? toSingleton(listed) : toSection(listed, only));
  }
  if (disabled.length > 0) add("disabled", toList(disabled));
  if (absent.length > 0) add("absent", toAbsent(absent, catalogue));
  if (exclusive.length > 0) add("exclusive", toList(exclusive));
  const document = new Document(root);
  document.comment = toComment(draft.remarks);
  const heading = draft.heading.map((line) => `# ${printable(line)}\n`).join("");
  const text = asciiEscapes(document.toString({ lineWidth: 0, blockQuote: false }));
  return heading + text.replace(/^(projects|groups|except|disabled|exclusive): \[ (.*) \]$/gm, "$1: [$2]");
}

/** The owner of the selected projects or groups, or the instance. */
export function ownerOfDraft({ projects }: Pick<Draft, "projects">): Owner {
  return ownerOfName(String(projects[0]));
}

/** Without the slash of a group; an ID as a number. */
function bareSelector(selector: string | number): string | number {
  if (typeof selector === "number" || ownerOfName(selector) === "project") return selector;
  const bare = bareName(selector);
  return isId(bare) ? idIn(bare) : bare;
}

/** True if each project has one resource of the kind, which a policy declares without a key. */
function isSingle(kind: Kind, catalogue: Catalogue): boolean {
  const { file } = kindOf(catalogue, kind);
  return file !== undefined && isSingleton(file);
}

function toSingleton([first, ...others]: readonly ImportedEntry[]): YAMLMap {
  const map = toParameters({
    kind: "",
    key: "",
    remarks: [],
    fields: new Map([first, ...others].flatMap((each) => [...(each?.fields ?? [])])),
  });
  map.commentBefore = toComment(first?.remarks ?? []);
  return map;
}

function toAbsent(absent: NonNullable<Draft["absent"]>, catalogue: Catalogue): YAMLMap {
  const map = new YAMLMap();
  map.items = [...grouped(absent, ({ kind }) => sectionNameOf(catalogue, kind))].map(
    ([section, each]) => new Pair(new Scalar(section), toList(each.map(({ key }) => literal(key)))),
  );
  return map;
}

/** A longer list has one selector on each line. */
const longestLine = 90;

function toList(selectors: readonly (string | number)[]): YAMLSeq {
  const list = new YAMLSeq();
  list.items = selectors.map(scalarOf);
  list.flow = selectors.join(", ").length < longestLine;
  return list;
}

function toSection(entries: readonly ImportedEntry[], only: string | undefined): YAMLMap {
  const map = new YAMLMap();
  map.items = entries.map((entry) => new Pair(toKey(entry), entryNode(entry, only)));
  return map;
}

export function entryNode(entry: ImportedEntry, only: string | undefined): Node {
  const value = entry.fields.get(only ?? "");
  return value ? toNode(value) : toParameters(entry);
}

function toParameters({ fields }: ImportedEntry): YAMLMap {
  const parameters = new YAMLMap();
  parameters.items = [...fields].map(([name, stated]) => new Pair(new Scalar(name), toNode(stated)));
  return parameters;
}

function toKey({ key, remarks }: ImportedEntry): Scalar {
  const node = scalarOf(literal(key));
  node.commentBefore = toComment(remarks);
  return node;
}

function toNode(stated: ImportedValue): Node {
  if (stated.form === "value") return plainNode(stated.value);
  if (stated.form === "template") return scalarOf(stated.text);
  if (stated.form === "items") return itemsNode(stated.items);
  const reference = referenceNode(stated);
  reference.comment = ` ${stated.why}`;
  return reference;
}

function referenceNode({ reference }: Blank): YAMLMap {
  const node = new YAMLMap();
  node.flow = true;
  node.items = [new Pair(new Scalar("secret"), new Scalar(reference))];
  return node;
}

function itemsNode(items: readonly ImportedItem[]): YAMLSeq {
  const list = new YAMLSeq();
  list.items = items.map((item) => {
    const node = new YAMLMap();
    node.items = Object.entries(item).map(
      ([name, value]) => new Pair(new Scalar(name), isBlank(value) ? referenceNode(value) : plainNode(value)),
    );
    node.flow = true;
    return node;
  });
  return list;
}

/** A value as a node, its texts escaped. A short list or mapping is on one line. */
export function plainNode(value: Plain): Node {
  if (isScalar(value)) return scalarOf(literal(value));
  const node = isList(value) ? new YAMLSeq() : new YAMLMap();
  node.items = isList(value)
    ? value.map(plainNode)
    : Object.entries(value).map(([name, each]) => new Pair(scalarOf(name), plainNode(each)));
  node.flow = JSON.stringify(value).length < longestLine;
  return node;
}

/** Escapes a literal value: `$${` is `${` (docs/manifests.md). */
export function literal<Each extends Value>(value: Each): Each | string {
  return typeof value === "string" ? value.replaceAll("${", () => "$${") : value;
}

function toComment(remarks: readonly string[]): string | null {
  return remarks.length > 0 ? remarks.map((remark) => ` ${printable(remark)}`).join("\n") : null;
}

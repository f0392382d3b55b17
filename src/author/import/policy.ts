import { Document, isMap, isSeq, type Node, Pair, Scalar, YAMLMap } from "yaml";
import { grouped } from "../../base/grouped.ts";
import { printable } from "../../base/printable.ts";
import { selectorKeys } from "../../manifest/policy-text.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { kindOf, policyKinds, sectionNameOf } from "../../model/kinds.ts";
import { bareName, idIn, isId, type Owner, ownerOfName } from "../../model/owner.ts";
import { isSingleton } from "../../model/resource-kind.ts";
import type { Kind, Live, Plain, Project, Value } from "../../model/types.ts";
import { isReference, referencesWithin } from "../../model/values.ts";
import { asciiEscapes, scalarOf, toNode } from "../format/edit.ts";

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

/** A reference for any value that the server does not report. It is empty until all blanks are known. */
export type Blank = {
  readonly secret: string;
  readonly [blankWhy]: string;
  /** Blanks with the same number have the same value. */
  readonly [blankNumber]?: number | undefined;
};

// Symbols, because a reference with further keys would be a mapping.
const blankWhy = Symbol("why a value has to be filled in");
export const blankNumber = Symbol("the number of an equal value");

export function blank(why: string, number?: number): Blank {
  return { secret: "", [blankWhy]: `set this: ${why}`, [blankNumber]: number };
}

export function isBlank(value: Value): value is Blank {
  return isReference(value) && blankWhy in value;
}

export interface ImportedEntry {
  readonly kind: Kind;
  readonly key: string;
  /** Values, of which {@link withReferences} makes those of manifests: with references, and texts escaped. */
  readonly fields: ReadonlyMap<string, Value>;
  /** Reported fields that are omitted as defaults, as a policy can declare them. */
  readonly defaults?: ReadonlyMap<string, Value>;
  /** A message for each thing that could not be read or declared. */
  readonly remarks: readonly string[];
}

export interface ImportedProject {
  readonly project: Project;
  readonly entries: readonly ImportedEntry[];
  readonly remarks: readonly string[];
  /** Further parts of its policy. */
  readonly more?: Partial<Draft>;
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

/** One document for each draft. `schema` is the path of the JSON Schema of manifests, relative to the file. */
export function policyFileText(drafts: readonly Draft[], schema: string, catalogue: Catalogue): string {
  return `# ${printable(`yaml-language-server: $schema=${schema}`)}\n${drafts.map((draft) => documentText(draft, catalogue)).join("---\n")}`;
}

function documentText(draft: Draft, catalogue: Catalogue): string {
  const { name, projects, except, priority, until, reason, entries, disabled = [] } = draft;
  const { absent = [], exclusive = [] } = draft;
  const owner = ownerOfDraft(draft);
  const sections = policyKinds(catalogue, owner).flatMap(({ kind, section, only }): [string, Node][] => {
    const listed = entries.filter((entry) => entry.kind === kind);
    if (listed.length === 0) return [];
    if (!isSingleton(kindOf(catalogue, kind).file)) return [[section, toSection(listed, only)]];
    const singleton = toParameters(listed.flatMap(({ fields }) => [...fields]));
    singleton.commentBefore = toComment(listed[0]?.remarks ?? []);
    return [[section, singleton]];
  });
  const absentKeys = [...grouped(absent, ({ kind }) => sectionNameOf(catalogue, kind))].map(
    ([section, each]) => [section, toNode(each.map(({ key }) => literal(key)))] as const,
  );
  const root = toMap([
    ["apiVersion", new Scalar("evenkeel/v1")],
    ["kind", new Scalar("Policy")],
    ["name", scalarOf(name)],
    [selectorKeys[owner], owner === "instance" ? new Scalar(true) : toNode(projects.map(bareSelector))],
    ...listIf("except", except.map(bareSelector)),
    ...Object.entries({ priority, until, reason }).flatMap(([key, value]): [string, Node][] =>
      value === undefined ? [] : [[key, scalarOf(value)]],
    ),
    ...sections,
    ...listIf("disabled", disabled),
    ...(absentKeys.length > 0 ? [["absent", toMap(absentKeys)] as const] : []),
    ...listIf("exclusive", exclusive),
  ]);
  const document = new Document(root);
  document.comment = toComment(draft.remarks);
  const heading = draft.heading.map((line) => `# ${printable(line)}\n`).join("");
  const text = asciiEscapes(document.toString({ lineWidth: 0, blockQuote: false }));
  return heading + text.replace(/^(projects|groups|except|disabled|exclusive): \[ (.*) \]$/gm, "$1: [$2]");
}

function listIf(key: string, items: readonly (string | number)[]): readonly (readonly [string, Node])[] {
  return items.length > 0 ? [[key, toNode(items)]] : [];
}

function toMap(pairs: readonly (readonly [key: string | Scalar, value: Node])[]): YAMLMap {
  const map = new YAMLMap();
  map.items = pairs.map(([key, value]) => new Pair(typeof key === "string" ? scalarOf(key) : key, value));
  return map;
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

function toSection(entries: readonly ImportedEntry[], only: string | undefined): YAMLMap {
  return toMap(
    entries.map((entry) => {
      const key = scalarOf(literal(entry.key));
      key.commentBefore = toComment(entry.remarks);
      return [key, entryNode(entry, only)];
    }),
  );
}

export function entryNode({ fields }: ImportedEntry, only: string | undefined): Node {
  const value = fields.get(only ?? "");
  return value === undefined ? toParameters([...fields]) : valueNode(value);
}

function toParameters(fields: readonly (readonly [string, Value])[]): YAMLMap {
  return toMap(fields.map(([name, value]) => [name, valueNode(value)]));
}

/** References are on one line, and so are the items of a list with references. */
function valueNode(value: Value): Node {
  const node = toNode(value as Plain);
  if (referencesWithin(value).length === 0) return node;
  for (const each of isSeq(node) ? node.items : [node]) if (isMap(each)) each.flow = true;
  if (isSeq(node)) node.flow = false;
  if (isBlank(value)) node.comment = ` ${value[blankWhy]}`;
  return node;
}

/** Escapes a literal value: `$${` is `${` (docs/manifests.md). */
export function literal<Each extends Plain>(value: Each): Each | string {
  return typeof value === "string" ? value.replaceAll("${", () => "$${") : value;
}

function toComment(remarks: readonly string[]): string | null {
  return remarks.length > 0 ? remarks.map((remark) => ` ${printable(remark)}`).join("\n") : null;
}

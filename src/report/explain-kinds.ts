import { didYouMean } from "../base/nearest.ts";
import { paragraphs } from "../base/text-format.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { type FieldSchema, keyFieldsOf, ownersOf, type ResourceKind } from "../model/resource-kind.ts";
import type { Unexplained } from "./explain-json.ts";
import { fieldFacts, fieldPurpose, fieldValues, kindExample, kindLimits } from "./kind-facts.ts";
import type { Palette } from "./terminal.ts";
import { columns, factLines } from "./terminal.ts";

/** A kind as `explain --report json` gives it (docs/running.md). */
export interface ExplainedKind {
  readonly section: string;
  /** The word in addresses. */
  readonly kind: string;
  readonly of: readonly string[];
  /** None for a singleton. */
  readonly key: readonly string[];
  readonly tier: string;
  readonly role: string | null;
  readonly introduced: string | null;
  readonly removed: string | null;
  readonly fields: readonly ExplainedField[];
}

interface ExplainedField {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly secret: boolean;
  readonly immutable: boolean;
  readonly default: unknown;
  readonly enum: readonly unknown[] | null;
}

/** The kinds that are files, in the order of the catalogue. One of projects and groups is listed once. */
export function kindFiles({ kinds }: Catalogue): readonly ResourceKind[] {
  return [...new Set([...kinds.values()].flatMap(({ file }) => file ?? []))];
}

/** All kinds in a table. */
export function kindListText(catalogue: Catalogue, palette: Palette): string {
  const rows = kindFiles(catalogue).map((kind) => {
    const { name, singular, title = "", needs: { tier = "free", release } = {}, removed } = kind;
    const available = [release ? `from ${release}` : "", removed ? `before ${removed.release}` : ""].filter(Boolean);
    return [name, singular, ownersOf(kind).join(", "), keyFieldsOf(kind).join("@"), tier, available.join(", "), title];
  });
  return columns(["section", "kind", "of", "key", "tier", "available", "title"], rows, palette);
}

interface SelectedKind {
  readonly kind: ResourceKind;
  /** The name of a field. */
  readonly field: string | undefined;
}

/** What `SECTION`, `KIND`, `SECTION.FIELD` or `KIND.FIELD` names; none where no kind has such a name. */
export function kindsNamed(catalogue: Catalogue, selection: string): readonly SelectedKind[] | Unexplained {
  const dot = selection.indexOf(".");
  const [word, field] = dot < 0 ? [selection, undefined] : [selection.slice(0, dot), selection.slice(dot + 1)];
  const those = kindFiles(catalogue).filter(({ name, singular }) => name === word || singular === word);
  if (field === undefined || those.length === 0) return those.map((kind) => ({ kind, field }));
  const having = those.filter(({ fields }) => Object.hasOwn(fields.properties, field));
  if (having.length > 0) return having.map((kind) => ({ kind, field }));
  const known = those.flatMap(({ fields }) => Object.keys(fields.properties));
  return { unknown: `${word} has no field ${JSON.stringify(field)}${didYouMean(field, known)}` };
}

/** Kinds, or one field of each, for people. */
export function kindsText(selected: readonly SelectedKind[], palette: Palette): string {
  return selected.map((each) => (each.field === undefined ? kindText : fieldText)(each, palette)).join("\n\n");
}

function kindText({ kind }: SelectedKind, palette: Palette): string {
  const { name, title = "", description, notes = [] } = kind;
  const rows = Object.entries(kind.fields.properties).map(([field, schema]) => [
    field,
    fieldValues(schema, unmarked),
    fieldFacts(kind, field).join(", "),
  ]);
  return paragraphs([
    paragraph(`${palette.strong(name)}  ${title}${ownerWords(kind)}`.trimEnd(), description),
    kindLimits(kind).join(" "),
    columns(["field", "takes", "notes"], rows, palette),
    notes.map((note) => `- ${note}`).join("\n"),
    `${palette.faint("In a policy:")}\n\n${kindExample(kind).join("\n")}`,
  ]);
}

/** A heading and what stands below it, which a workspace's own kinds need not have. */
function paragraph(heading: string, text: string | undefined): string {
  return text ? `${heading}\n${text}` : heading;
}

const unmarked = (text: string) => text;

function ownerWords(kind: ResourceKind): string {
  return ownersOf(kind).includes("project") ? "" : " of groups";
}

function fieldText({ kind, field = "" }: SelectedKind, palette: Palette): string {
  const schema = kind.fields.properties[field] ?? {};
  const facts = [
    ["takes", fieldValues(schema, unmarked)],
    ["notes", fieldFacts(kind, field).join(", ")],
  ] as const;
  const heading = `${palette.strong(`${kind.name}.${field}`)}${ownerWords(kind)}`;
  return paragraphs([paragraph(heading, fieldPurpose(schema)), factLines(facts, palette)]);
}

/** Kinds for scripts. */
export function kindsJson(selected: readonly SelectedKind[]): readonly ExplainedKind[] {
  return selected.map(({ kind, field }) => {
    const { name, singular, needs = {}, removed, fields } = kind;
    const named = Object.entries(fields.properties).filter(([each]) => field === undefined || each === field);
    return {
      section: name,
      kind: singular,
      of: ownersOf(kind),
      key: keyFieldsOf(kind),
      tier: needs.tier ?? "free",
      role: needs.role ?? null,
      introduced: needs.release ?? null,
      removed: removed?.release ?? null,
      fields: named.map(([each, schema]) => fieldJson(kind, each, schema)),
    };
  });
}

function fieldJson({ fields }: ResourceKind, name: string, schema: FieldSchema): ExplainedField {
  return {
    name,
    type: [schema.type ?? []].flat().join("|"),
    required: fields.required?.includes(name) ?? false,
    secret: schema.writeOnly ?? false,
    immutable: schema["x-immutable"] ?? false,
    default: schema.default ?? null,
    enum: schema.enum ?? null,
  };
}

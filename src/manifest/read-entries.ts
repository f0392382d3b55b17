import { isObject, type JsonObject } from "../base/json.ts";
import { hasActiveParameter, impliedFields } from "../model/catalogue.ts";
import { integrationOf, kindOf, type PolicyKind } from "../model/kinds.ts";
import { isSingleton, keyTextOf, type ResourceKind } from "../model/resource-kind.ts";
import type { Kind, Problem } from "../model/types.ts";
import { DeclaredEntry, type From, type PolicyEntry } from "./entries.ts";
import { listed } from "./listed.ts";
import { type Declared, declare, type WrittenIntegration } from "./parameters.ts";
import { kindsNamedIn } from "./policy-kinds.ts";
import { keysIn, type PolicyText, sectionIn } from "./policy-text.ts";
import type { Path } from "./positions.ts";
import { declareResource } from "./resource-fields.ts";
import { settledIn } from "./settled.ts";
import { isTemplate } from "./template.ts";
import type { Workspace } from "./workspace.ts";
import { keyFieldValues } from "./written-resource.ts";

/** What reading the resources of a policy comes to. */
export interface Entries {
  /** Entries with parameters or with interpolations, apart from those that are settled. */
  readonly declared: readonly PolicyEntry[];
  /**
   * Creates all entries, apart from settled ones that are written in another policy too, if one is given. Called on demand,
   * because validation rarely needs them.
   */
  readonly entries: (other?: Partial<PolicyText>) => readonly PolicyEntry[];
  /** The kinds that entries are of, which are known without them. */
  readonly kinds: () => readonly Kind[];
  readonly problems: readonly Problem[];
  readonly plaintext: Declared["plaintext"];
}

/** All resources that a policy declares, by kind. */
export function readEntries(from: From, text: Partial<PolicyText>, workspace: Workspace): Entries {
  const { kinds: rows } = kindsNamedIn(from.catalogue, from.of, text);
  const read = rows.flatMap((row) => declaredEntries(from, row, text, workspace));
  const absent = () => rows.flatMap((row) => absentEntries(from, row, text));
  const isOpen = ({ desired: { key } }: PolicyEntry) => isTemplate(key);
  const open = text.absent === undefined ? [] : absent().filter(isOpen);
  const declared = [...read.flatMap(({ entry }) => entry ?? []), ...open];
  return {
    declared,
    entries: (other = {}) => [
      ...declared,
      ...rows.flatMap((row) => settledEntries(from, row, text, workspace, other)),
      ...absent().filter((entry) => !isOpen(entry)),
    ],
    kinds: () => [
      ...declared.map(({ desired }) => desired.kind),
      ...rows.filter((row) => hasSettled(row, text, workspace)).map(({ kind }) => kind),
      ...absent().map(({ desired }) => desired.kind),
    ],
    problems: read.flatMap(({ problems }) => problems),
    plaintext: read.flatMap(({ plaintext }) => plaintext),
  };
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
): readonly ReadEntry[] {
  const { file } = kindOf(from.catalogue, row.kind);
  const values = sectionIn(text, row.section);
  if (values === undefined) return none;
  if (!file) return Object.entries(values).flatMap((each) => integrationEntry(from, row, each, workspace));
  if (isSingleton(file)) return [resourceEntry(from, { ...row, file }, "", [row.section], values, workspace)];
  const settled = settledIn(workspace)(row.kind);
  if (settled.isSettled(values)) return none;
  const found: ReadEntry[] = [];
  for (const key of Object.keys(values)) {
    const value = values[key];
    if (settled.of(key, value)) continue;
    const entry = resourceEntry(from, { ...row, file }, key, [row.section, key], value, workspace);
    if (!settled.settle(key, value, entry)) found.push(entry);
  }
  if (found.length === 0) settled.settleAll(values);
  return found;
}

function settledEntries(
  from: From,
  row: PolicyKind,
  text: Partial<PolicyText>,
  workspace: Workspace,
  other: Partial<PolicyText>,
): readonly PolicyEntry[] {
  const settled = settledIn(workspace)(row.kind);
  if (settled.isEmpty) return none;
  const values = sectionIn(text, row.section) ?? {};
  const others = sectionIn(other, row.section) ?? {};
  if (values === others) return none;
  const found: PolicyEntry[] = [];
  for (const key of Object.keys(values)) {
    const value = values[key];
    if (value === others[key]) continue;
    const resource = settled.of(key, value);
    if (resource) found.push(new DeclaredEntry(from, [row.section, key], resource));
  }
  return found;
}

function hasSettled(row: PolicyKind, text: Partial<PolicyText>, workspace: Workspace): boolean {
  const values = sectionIn(text, row.section) ?? {};
  const settled = settledIn(workspace)(row.kind);
  return !settled.isEmpty && Object.keys(values).some((key) => settled.of(key, values[key]));
}

function integrationEntry(
  from: From,
  { kind, section }: PolicyKind,
  [key, value]: readonly [string, unknown],
  workspace: Workspace,
): readonly ReadEntry[] {
  const { document, catalogue } = from;
  const integration = integrationOf(catalogue, { kind, key });
  if (!integration) return [];
  const path = [section, key];
  const parameters = value as WrittenIntegration["parameters"];
  const written = { document, path, integration, platform: workspace.server, parameters };
  const { fields, templates, problems, plaintext } = declare(written, workspace);
  const resource = {
    kind,
    key,
    fields: hasActiveParameter(integration) ? { ...impliedFields(integration), ...fields } : fields,
  };
  return [{ problems, plaintext, entry: new DeclaredEntry(from, path, resource, { templates, written }) }];
}

/** A resource of a kind that is a file: its fields, or the one value that stands for them. */
function resourceEntry(
  from: From,
  { kind, file }: { readonly kind: Kind; readonly file: ResourceKind },
  text: string,
  path: Path,
  value: unknown,
  workspace: Workspace,
): ReadEntry {
  const { only } = file;
  const isBare = only !== undefined && !isObject(value);
  const keys = keyFieldValues(file, text.trim());
  const parameters = isBare ? { [only]: value } : (value as JsonObject);
  const written = { document: from.document, path, file, keys, parameters, ...(isBare && { bare: only }) };
  const { fields, templates, problems, plaintext } = declareResource(written, workspace);
  const resource = { kind, key: keyTextOf(file, keys), fields };
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
      .filter(([key]) => integrationOf(from.catalogue, { kind, key }))
      .map(([key, index]) => new DeclaredEntry(from, [off, index], { kind, key, fields: {} }, absent));
  const { file } = kindOf(from.catalogue, kind);
  const keys = text.absent?.[section];
  if (!file || keys === undefined) return [];
  if (keys === true) return [new DeclaredEntry(from, ["absent", section], { kind, key: "", fields: {} }, absent)];
  return listed(keys).map(([text, index]) => {
    const key = keyTextOf(file, keyFieldValues(file, text.trim()));
    return new DeclaredEntry(from, ["absent", section, index], { kind, key, fields: {} }, absent);
  });
}

const none: readonly never[] = [];

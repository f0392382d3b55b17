import { type Catalogue, impliedFields } from "../model/catalogue.ts";
import { identityOf, integrationOf, kindOf, type PolicyKind, policyKinds } from "../model/kinds.ts";
import type { Desired, Origin, Problem, Resource, Scalar } from "../model/types.ts";
import type { Document } from "./document.ts";
import { listed } from "./listed.ts";
import { type Declared, declare, type WrittenIntegration } from "./parameters.ts";
import { keysIn, type PolicyText, sectionIn } from "./policy-text.ts";
import type { Path } from "./positions.ts";
import type { Workspace } from "./workspace.ts";

/** Where something stands in a policy. */
export interface Stated extends Origin {
  readonly policy: string;
  readonly document: Document;
  readonly path: Path;
}

/** What one policy says of one resource: what layers compete for. */
export interface PolicyEntry extends Stated {
  /** What it asks for; the fields named in `templates` are still to be interpolated. */
  readonly desired: Desired;
  readonly templates: readonly string[];
  /** Undefined for what is disabled, and where a policy gives one value. */
  readonly written: WrittenIntegration | undefined;
}

interface Entries {
  readonly entries: readonly PolicyEntry[];
  readonly problems: readonly Problem[];
  readonly plaintext: Declared["plaintext"];
}

type From = { readonly document: Document; readonly policy: string; readonly reason?: string; readonly until?: string };

/** Everything that a policy says of resources, kind by kind. */
export function readEntries(from: From, text: Partial<PolicyText>, workspace: Workspace): Entries {
  const { catalogue } = workspace;
  const said = policyKinds(catalogue).flatMap((row): Said[] =>
    Object.entries(sectionIn(text, row.section)).flatMap(([key, value]) =>
      row.only === undefined
        ? (parametersEntry(from, row, key, value, workspace) ?? [])
        : valueEntry(from, row, key, value, catalogue),
    ),
  );
  const absent = policyKinds(catalogue).flatMap((row) => absentEntries(from, row, text, catalogue));
  return {
    entries: [...said.map(({ entry }) => entry), ...absent],
    problems: said.flatMap(({ problems = [] }) => problems),
    plaintext: said.flatMap(({ plaintext = [] }) => plaintext),
  };
}

interface Said extends Partial<Pick<Declared, "problems" | "plaintext">> {
  readonly entry: PolicyEntry;
}

function parametersEntry(
  from: From,
  { kind, section }: PolicyKind,
  key: string,
  value: unknown,
  workspace: Workspace,
): Said | undefined {
  const integration = integrationOf(workspace.catalogue, { kind, key });
  if (!integration) return undefined;
  const path = [section, key];
  const parameters = value as WrittenIntegration["parameters"];
  const written = { document: from.document, path, integration, platform: workspace.server, parameters };
  const { fields, templates, ...rest } = declare(written, workspace);
  const resource = { kind, key, fields: { ...impliedFields(integration), ...fields } };
  return { ...rest, entry: entryOf(workspace.catalogue, from, path, resource, { templates, written }) };
}

function valueEntry(
  from: From,
  { kind, section, only = "" }: PolicyKind,
  key: string,
  value: unknown,
  catalogue: Catalogue,
): Said {
  const fields = { [only]: kindOf(catalogue, kind).normalise(value as Scalar) };
  return { entry: entryOf(catalogue, from, [section, key], { kind, key: key.trim(), fields }) };
}

function absentEntries(
  from: From,
  { kind, off }: PolicyKind,
  text: Partial<PolicyText>,
  catalogue: Catalogue,
): readonly PolicyEntry[] {
  return listed(off === undefined ? undefined : keysIn(text, off))
    .filter(([key]) => integrationOf(catalogue, { kind, key }))
    .map(([key, index]) =>
      entryOf(catalogue, from, [off ?? "", index], { kind, key, fields: {} }, { presence: "absent" }),
    );
}

interface Rest {
  readonly presence?: Desired["presence"];
  readonly templates?: readonly string[];
  readonly written?: WrittenIntegration;
}

function entryOf(catalogue: Catalogue, from: From, path: Path, resource: Resource, rest: Rest = {}): PolicyEntry {
  const { presence = "present", templates = none, written } = rest;
  const { document, policy, reason, until } = from;
  const why = { ...(reason && { reason }), ...(until && { until }) };
  const { place } = stated(document, policy, path);
  const origin = { place, policy, file: document.file, ...why };
  return {
    document,
    policy,
    path,
    place,
    desired: { ...resource, identity: identityOf(catalogue, resource), presence, origin },
    templates,
    written,
  };
}

const none: readonly string[] = [];

/** Something at a path of a policy: its origin is the key there, or the item of a list. */
export function stated(document: Document, policy: string, path: Path): Stated {
  return { document, policy, path, place: () => document.place(path, "key") };
}

import { type Catalogue, impliedFields } from "../model/catalogue.ts";
import { identityOf, integrationOf, kindOf, type PolicyKind, policyKinds } from "../model/kinds.ts";
import type { Owner } from "../model/owner.ts";
import type { Desired, Origin, Place, Problem, Resource, Scalar } from "../model/types.ts";
import type { Document } from "./document.ts";
import { listed } from "./listed.ts";
import { type Declared, declare, type WrittenIntegration } from "./parameters.ts";
import { keysIn, type PolicyText, sectionIn } from "./policy-text.ts";
import type { Path } from "./positions.ts";
import type { Workspace } from "./workspace.ts";

/** The location of a line in a policy. */
export interface Stated extends Origin {
  readonly policy: string;
  readonly document: Document;
  readonly path: Path;
}

/** One policy's declaration of one resource. The most specific layer's entry takes effect. */
export interface PolicyEntry extends Stated {
  /** The declared state; the fields named in `templates` are not interpolated yet. */
  readonly desired: Desired;
  readonly templates: readonly string[];
  /** Undefined for disabled resources, and for kinds with a single value. */
  readonly written: WrittenIntegration | undefined;
}

interface Entries {
  /** Entries with parameters. */
  readonly declared: readonly PolicyEntry[];
  /** Creates all entries. Called on demand, because validation rarely needs them. */
  readonly entries: () => readonly PolicyEntry[];
  readonly problems: readonly Problem[];
  readonly plaintext: Declared["plaintext"];
}

interface From {
  readonly document: Document;
  readonly policy: string;
  readonly of: Owner;
  readonly catalogue: Catalogue;
  readonly reason?: string;
  readonly until?: string;
}

/** All resources that a policy declares, by kind. */
export function readEntries(from: From, text: Partial<PolicyText>, workspace: Workspace): Entries {
  const rows = policyKinds(from.catalogue, from.of);
  const checked = rows.flatMap((row) => (row.only === undefined ? parameterEntries(from, row, text, workspace) : []));
  const declared = checked.map(({ entry }) => entry);
  return {
    declared,
    entries: () => [
      ...rows.flatMap((row) =>
        row.only === undefined
          ? declared.filter(({ desired }) => desired.kind === row.kind)
          : valueEntries(from, row, text),
      ),
      ...rows.flatMap((row) => absentEntries(from, row, text)),
    ],
    problems: checked.flatMap(({ problems }) => problems),
    plaintext: checked.flatMap(({ plaintext }) => plaintext),
  };
}

interface Said extends Pick<Declared, "problems" | "plaintext"> {
  readonly entry: PolicyEntry;
}

function parameterEntries(
  from: From,
  { kind, section }: PolicyKind,
  text: Partial<PolicyText>,
  workspace: Workspace,
): readonly Said[] {
  const { document, catalogue } = from;
  return Object.entries(sectionIn(text, section)).flatMap(([key, value]): Said[] => {
    const integration = integrationOf(catalogue, { kind, key });
    if (!integration) return [];
    const path = [section, key];
    const parameters = value as WrittenIntegration["parameters"];
    const written = { document, path, integration, platform: workspace.server, parameters };
    const { fields, templates, problems, plaintext } = declare(written, workspace);
    const resource = { kind, key, fields: { ...impliedFields(integration), ...fields } };
    return [{ problems, plaintext, entry: new Entry(from, path, resource, { templates, written }) }];
  });
}

function valueEntries(from: From, { kind, section, only = "" }: PolicyKind, text: Partial<PolicyText>): PolicyEntry[] {
  const { normalise } = kindOf(from.catalogue, kind);
  return Object.entries(sectionIn(text, section)).map(([key, value]) => {
    const fields = { [only]: normalise(value as Scalar) };
    return new Entry(from, [section, key], { kind, key: key.trim(), fields });
  });
}

function absentEntries(from: From, { kind, off }: PolicyKind, text: Partial<PolicyText>): readonly PolicyEntry[] {
  return listed(off === undefined ? undefined : keysIn(text, off))
    .filter(([key]) => integrationOf(from.catalogue, { kind, key }))
    .map(([key, index]) => new Entry(from, [off ?? "", index], { kind, key, fields: {} }, { presence: "absent" }));
}

interface Rest {
  readonly presence?: Desired["presence"];
  readonly templates?: readonly string[];
  readonly written?: WrittenIntegration;
}

/** Also the origin of its resource, which saves an object for each of many entries. */
class Entry implements PolicyEntry {
  readonly #from: From;
  readonly path: Path;
  readonly desired: Desired;
  readonly templates: readonly string[];
  readonly written: WrittenIntegration | undefined;

  constructor(from: From, path: Path, { kind, key, fields }: Resource, rest: Rest = {}) {
    const { presence = "present", templates = none, written } = rest;
    this.#from = from;
    this.path = path;
    const identity = identityOf(from.catalogue, { kind, key });
    this.desired = { kind, key, fields, identity, presence, origin: this };
    this.templates = templates;
    this.written = written;
  }

  get document() {
    return this.#from.document;
  }

  get policy() {
    return this.#from.policy;
  }

  get file() {
    return this.#from.document.file;
  }

  get reason() {
    return this.#from.reason;
  }

  get until() {
    return this.#from.until;
  }

  get place(): () => Place {
    return () => this.document.place(this.path, "key");
  }

  get fieldPlace(): (name: string) => Place {
    return (name) => this.document.place([...this.path, name], "key");
  }
}

const none: readonly string[] = [];

/** A line at a path of a policy. Its position is that of the key, or of the list item. */
export function stated(document: Document, policy: string, path: Path): Stated {
  return { document, policy, path, place: () => document.place(path, "key") };
}

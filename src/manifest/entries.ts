import type { JsonObject } from "../base/json.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { typesOf } from "../model/field-meaning.ts";
import type { Integration } from "../model/integration.ts";
import { identityOf, kindOf } from "../model/kinds.ts";
import type { Owner } from "../model/owner.ts";
import { keyTextOf, keyValuesOf, type ResourceKind } from "../model/resource-kind.ts";
import type { Desired, Fields, Origin, Place, Platform, Value } from "../model/types.ts";
import type { Document } from "./document.ts";
import type { Path } from "./positions.ts";

export interface Stated extends Origin {
  readonly policy: string;
  readonly document: Document;
  readonly path: Path;
}

/** The line that sets a field. */
export function lineOfField(entry: PolicyEntry, name: string): Stated {
  const { policy, document, path, written } = entry.setBy?.get(name) ?? entry;
  return stated(document, policy, written ? pathIn(written, [name]) : [...path, name]);
}

export interface From {
  readonly document: Document;
  readonly policy: string;
  readonly of: Owner;
  readonly catalogue: Catalogue;
  readonly reason?: string;
  readonly until?: string;
}

export type Declaration = Omit<Desired, "origin">;

/** A resource in a policy. It is also the origin of its resource, which saves an object for each of many entries. */
export class PolicyEntry implements Stated {
  readonly #from: From;
  readonly #section: Path;
  readonly #key: string | number | undefined;
  /** The declared state; the fields named in `templates` are not interpolated yet. */
  readonly desired: Desired;
  readonly templates: readonly string[];
  /** Undefined for absent resources, and if their value was already validated. */
  readonly written: WrittenResource | undefined;
  /** For a singleton, or with `inherit: true`: entries that set its fields; undefined if all fields are its own. */
  readonly setBy: ReadonlyMap<string, PolicyEntry> | undefined;

  constructor(
    from: From,
    at: readonly [section: Path, key?: string | number | undefined],
    { kind, key, fields, identity, presence }: Declaration,
    templates: readonly string[] = none,
    written?: WrittenResource,
    setBy?: ReadonlyMap<string, PolicyEntry>,
  ) {
    this.#from = from;
    [this.#section, this.#key] = at;
    this.desired = { kind, key, fields, identity, presence, origin: this };
    this.templates = templates;
    this.written = written;
    this.setBy = setBy;
  }

  /** The entry in effect where several layers set its fields. */
  merged(setBy: ReadonlyMap<string, PolicyEntry>): PolicyEntry {
    const known = Object.keys(this.written?.fields.properties ?? {});
    const names = [...new Set([...known.filter((name) => setBy.has(name)), ...setBy.keys()])];
    const from = (name: string) => setBy.get(name) ?? this;
    const fields = Object.fromEntries(names.map((name) => [name, from(name).desired.fields[name] as Value]));
    return this.#with(
      fields,
      names.filter((name) => from(name).templates.includes(name)),
      setBy,
    );
  }

  /** This entry without a field; undefined if it has no other. */
  without(name: string): PolicyEntry | undefined {
    const { [name]: _, ...fields } = this.desired.fields;
    if (Object.keys(fields).length === 0) return undefined;
    return this.#with(
      fields,
      this.templates.filter((each) => each !== name),
    );
  }

  #with(fields: Fields, templates: readonly string[], setBy?: ReadonlyMap<string, PolicyEntry>): PolicyEntry {
    const at = [this.#section, this.#key] as const;
    return new PolicyEntry(this.#from, at, { ...this.desired, fields }, templates, this.written, setBy);
  }

  keyed(text: string) {
    const { kind } = this.desired;
    const { catalogue } = this.#from;
    const { file } = kindOf(catalogue, kind);
    const keys = keyFieldValues(file, text);
    const key = keyTextOf(file, keys);
    return { key, keys, identity: identityOf(catalogue, { kind, key }) };
  }

  get path(): Path {
    return this.#key === undefined ? this.#section : [...this.#section, this.#key];
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
    return (name) => lineOfField(this, name).place();
  }

  get fieldPolicy(): ((name: string) => string) | undefined {
    const { setBy } = this;
    return setBy && ((name) => (setBy.get(name) ?? this).policy);
  }
}

const none: readonly never[] = [];

/** A line at a path of a policy. Its position is that of the key, or of the list item. */
export function stated(document: Document, policy: string, path: Path): Stated {
  return { document, policy, path, place: () => document.place(path, "key") };
}

export interface WrittenResource {
  readonly document: Document;
  readonly path: Path;
  readonly file: ResourceKind;
  readonly entry: Integration | undefined;
  readonly fields: ResourceKind["fields"];
  readonly platform: Platform;
  /** Fields in its key, which need not be repeated. */
  readonly keys: JsonObject;
  readonly parameters: JsonObject;
  /** True if fields that it lacks are those of the next entry in order of precedence (`inherit: true`). */
  readonly inherits: boolean;
  readonly bare: string | undefined;
}

export function pathIn({ path, bare }: Pick<WrittenResource, "path" | "bare">, [top, ...below]: Path): Path {
  if (top === undefined) return path;
  return top === bare ? [...path, ...below] : [...path, top, ...below];
}

/** The fields in a key, in the types of the kind. */
export function keyFieldValues(file: ResourceKind, text: string): JsonObject {
  const typed = (name: string, part: string) => {
    const types = typesOf(file.fields.properties[name] ?? {});
    return !types.includes("string") && /^-?\d{1,15}$/.test(part) ? Number(part) : part;
  };
  return Object.fromEntries(Object.entries(keyValuesOf(file, text)).map(([name, part]) => [name, typed(name, part)]));
}

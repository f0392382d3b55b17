import schema from "../../schemas/seed.schema.json" with { type: "json" };
import type { JsonObject } from "../base/json.ts";
import { orElse } from "../base/nearest.ts";
import { compile } from "../base/schema.ts";
import { type Catalogue, catalogueOf } from "../model/catalogue.ts";
import { type Fault, parseChecked } from "../model/checked-yaml.ts";
import { type NamedOwner, type Owner, pluralOwner } from "../model/owner.ts";
import { ownersOf, type ResourceKind } from "../model/resource-kind.ts";
import type { Problem } from "../model/types.ts";
import type { SeedDeployment } from "./deployments.ts";
import { allKinds } from "./kinds.ts";
import { laterFlags } from "./release-facts.ts";
import type { Repository, Role, Scope } from "./state.ts";

/** The initial data of a server (docs/embedded-server.md), as in `schemas/seed.schema.json`. */
export interface Seed {
  readonly projects?: readonly SeedProject[];
  /** Storages besides those of projects, and whether they are clusters. */
  readonly storages?: readonly (string | { readonly name: string; readonly cluster?: boolean })[];
  readonly snippets?: readonly SeedRepository[];
  readonly groups?: readonly SeedGroup[];
  /** Rows of the instance. */
  readonly instance?: SeedRows;
  /** Users without a token, by name or with an ID. */
  readonly users?: readonly (string | { readonly id?: number; readonly username: string; readonly name?: string })[];
  readonly tokens?: readonly {
    readonly token: string;
    readonly role: Role;
    readonly scopes?: readonly Scope[];
    readonly expires_at?: string;
  }[];
  readonly features?: Readonly<Record<string, boolean>>;
  /** Duration of a storage move in milliseconds. */
  readonly move_duration?: number;
}

type SeedRepository = Partial<
  Pick<Repository, "id" | "path" | "name" | "repository_storage" | "fail_moves" | "leave_copy">
>;

/** Rows by kind name: parameters of a creation, or parts of rows as in responses. */
type SeedRows = Readonly<Record<string, readonly JsonObject[] | JsonObject>>;

export interface SeedGroup extends SeedRepository {
  readonly audit_events?: readonly JsonObject[] | null;
  /**
   * Values as in responses: any scalar, including those that a PUT would reject. `active` defaults as in a PUT. Projects
   * inherit those of their group.
   */
  readonly integrations?: Readonly<Record<string, Readonly<Record<string, string | number | boolean | null>> | null>>;
  readonly resources?: SeedRows;
}

type OfProjects =
  | "default_branch"
  | "former_paths"
  | "archived"
  | "topics"
  | "marked_for_deletion_on"
  | "last_activity_at"
  | "merge_requests";

export interface SeedProject extends SeedGroup, Pick<Repository, OfProjects> {
  readonly path: string;
  /** `none`: its requests are forbidden. `stranger`: the same, but the project is public and listed to everyone. */
  readonly access?: "full" | "none" | "stranger";
  /** False: the server behaves as if it did not exist. */
  readonly visible?: boolean;
  readonly licenses?: Readonly<Record<string, string>>;
  readonly deployments?: readonly SeedDeployment[];
}

export type ParsedSeed = { readonly seed: Seed } | { readonly problems: readonly Problem[] };

const checkSeed = compile(schema);

/** Reads a seed from YAML or JSON. Every mistake is a problem with its location in `file`. */
export function parseSeed(
  text: string,
  file = "seed",
  catalogue: Catalogue = catalogueOf(),
  kinds: readonly ResourceKind[] = [],
): ParsedSeed {
  const faults = (seed: Seed) => furtherFaults(seed, catalogue, kinds);
  const parsed = parseChecked<Seed>(text, file, { rule: "seed", shape: checkSeed, empty: {}, faults });
  return "value" in parsed ? { seed: parsed.value } : parsed;
}

/** The errors in a seed that is part of another document. */
export function seedFaults(value: unknown, catalogue: Catalogue, kinds: readonly ResourceKind[]): readonly Fault[] {
  const shapeless = checkSeed(value);
  return shapeless.length > 0 ? shapeless : furtherFaults(value as Seed, catalogue, kinds);
}

/** Errors that the schema does not find: duplicates, and unknown kinds, parameters and values. */
function furtherFaults(seed: Seed, catalogue: Catalogue, own: readonly ResourceKind[]): readonly Fault[] {
  const kinds = allKinds(own).filter(({ keys }) => !keys);
  const ownerFaults = (of: NamedOwner) => (owner: SeedGroup, index: number) => {
    const path = [`${of}s`, index];
    const integrations = Object.entries(owner.integrations ?? {});
    return [
      ...integrations.flatMap(([slug, values]) =>
        nameFaults(slug, values ?? {}, [...path, "integrations", slug], catalogue),
      ),
      ...rowFaults(of, owner.resources, [...path, "resources"], kinds),
    ];
  };
  const projects = seed.projects ?? [];
  return [
    ...findDuplicates(projects, "id"),
    ...findDuplicates(projects, "path"),
    ...projects.flatMap(projectFaults),
    ...projects.flatMap(ownerFaults("project")),
    ...(seed.groups ?? []).flatMap(ownerFaults("group")),
    ...rowFaults("instance", seed.instance, ["instance"], kinds),
  ];
}

function rowFaults(of: Owner, rows: SeedRows = {}, path: Fault["path"], kinds: readonly ResourceKind[]): Fault[] {
  const names = kinds.filter((kind) => ownersOf(kind).includes(of)).map(({ name }) => name);
  const unknown = Object.keys(rows).filter((name) => !names.includes(name));
  return unknown.map((name) => ({
    rule: "unknown-key",
    path: [...path, name],
    message: `unknown kind ${name} of ${pluralOwner(of)}${orElse(name, names)}`,
  }));
}

function findDuplicates(projects: readonly SeedProject[], word: "id" | "path"): Fault[] {
  const seen = new Set<string>();
  return projects.flatMap((project, index) => {
    const value = project[word]?.toString().toLowerCase();
    const isNew = value === undefined || seen.size < seen.add(value).size;
    return isNew ? [] : [{ path: ["projects", index, word], message: `${word} ${value} is given twice` }];
  });
}

function projectFaults({ path, deployments }: SeedProject, index: number): Fault[] {
  const times = (deployments ?? []).flatMap((deployment, number) =>
    (["created_at", "updated_at", "finished_at"] as const)
      .filter((name) => Number.isNaN(Date.parse(deployment[name] ?? "2000-01-01")))
      .map((name) => ({
        path: ["projects", index, "deployments", number, name],
        message: "expected a time in ISO 8601",
      })),
  );
  if (!/^\d+$/.test(path)) return times;
  return [{ path: ["projects", index, "path"], message: "a path of only digits would be read as an ID" }, ...times];
}

/** Slugs outside the catalogue are accepted: deployed servers have some, and clients must tolerate them. */
function nameFaults(slug: string, values: JsonObject, path: Fault["path"], catalogue: Catalogue): Fault[] {
  const { integrations, listedFlags, foreignNames, dialect } = catalogue;
  const other = foreignNames.get(slug);
  if (other)
    return [
      { path, message: `${slug} is a name of dialect ${other.dialect}; in dialect ${dialect} it is ${other.name}` },
    ];
  const integration = integrations.get(slug);
  if (!integration) return [];
  const fields = ["active", "inherited", "created_at", "updated_at"];
  const known = new Set([...integration.parameters.keys(), ...listedFlags, ...laterFlags, ...fields]);
  return Object.keys(values)
    .filter((name) => !known.has(name))
    .map((name) => ({
      rule: "unknown-key",
      path: [...path, name],
      message: `unknown parameter ${name} of ${slug}${orElse(name, [...known])}`,
    }));
}

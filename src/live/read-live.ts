import type { Reader } from "../client/client.ts";
import { CallFailed } from "../client/failure.ts";
import { isRow } from "../model/answer-shape.ts";
import { hasActiveParameter, integrations, parameter } from "../model/catalogue.ts";
import { call } from "../model/endpoints.ts";
import { isReference, normalise } from "../model/normalise.ts";
import type { Desired, DesiredProject, Fields, Live, Project, Resource, Scalar, Value } from "../model/types.ts";

export { isRow };

type Row = Readonly<Record<string, unknown>>;

/** A row of a list whose shape was checked. */
interface Listed extends Row {
  readonly slug: string;
}

/** Whether a declared integration may be taken to be as declared, since its `updated_at` stands still. */
export type Trusts = (project: string, desired: Desired, updatedAt: unknown) => boolean;

const never: Trusts = () => false;

/**
 * What the server has of one project, as far as policies speak of it (contract 7): the integrations list, one GET for
 * each declared integration whose parameters the list does not show, the license list. Secrets are dropped on reading.
 * @throws CallFailed where the project cannot be read.
 */
export async function readLive(reader: Reader, desired: DesiredProject, trusts: Trusts = never): Promise<Live[]> {
  const readers = [...desired.kinds].map((kind) => readKind[kind](reader, desired, trusts));
  return (await Promise.all(readers)).flat();
}

const readKind = { integration: readIntegrations, license: readLicenses, storage: async () => [] };

/** All projects that the token can see, under their full paths. */
export async function readProjects(reader: Reader): Promise<Project[]> {
  const rows = (await reader.list(call("listProjects", {}))) as readonly Row[];
  return rows.flatMap(({ id, path_with_namespace: path }) =>
    typeof id === "number" && typeof path === "string" ? [{ id, path, name: path }] : [],
  );
}

/**
 * All that the server tells of the active integrations of a project that `wanted` asks for, but for secrets; those that
 * the catalogue does not know are left out. @throws CallFailed where the project cannot be read.
 */
export async function readActive(
  reader: Reader,
  project: Project,
  wanted: (slug: string) => boolean,
): Promise<readonly Live[]> {
  return (await readHoldings(reader, project, wanted)).integrations;
}

/** The active integrations of a project, and what is listed beside them. */
export interface Holdings {
  readonly integrations: readonly Live[];
  /** Slugs that were not wanted, that the catalogue does not know, or that are listed and nevertheless not shown. */
  readonly others: readonly string[];
}

/** As {@link readActive}, with the slugs of what was left out. @throws CallFailed where the project cannot be read. */
export async function readHoldings(
  reader: Reader,
  project: Project,
  wanted: (slug: string) => boolean,
): Promise<Holdings> {
  const rows = (await reader.list(call("listIntegrations", { id: project.name }))) as readonly Listed[];
  const listed = rows.map((row) => ({ slug: row.slug, row }));
  const read = await Promise.all(
    listed.map(({ slug, row }) => (wanted(slug) ? readWhole(reader, project, slug, row) : undefined)),
  );
  const integrations = read.flatMap((live) => live ?? []);
  const others = listed.flatMap(({ slug }, index) => (read[index] ? [] : [slug]));
  return { integrations, others };
}

async function readWhole(reader: Reader, project: Project, slug: string, row: Row): Promise<Live | undefined> {
  const known = integrations.get(slug);
  if (!known) return undefined;
  const fields = Object.fromEntries([...known.parameters.keys()].map((name) => [name, null]));
  return readIntegration(reader, project, { key: slug, fields }, row);
}

async function readIntegrations(reader: Reader, desired: DesiredProject, trusts: Trusts): Promise<Live[]> {
  const { project, resources } = desired;
  const rows = (await reader.list(call("listIntegrations", { id: project.name }))) as readonly Listed[];
  const listed = new Map(rows.map((row) => [row.slug, row]));
  const declared = resources.filter(({ kind, presence }) => kind === "integration" && presence === "present");
  const readOne = (one: Desired) => {
    const row = listed.get(one.key);
    if (row && trusts(project.name, one, row.updated_at)) return asDeclared(one, row);
    return readIntegration(reader, project, one, row);
  };
  const read = await Promise.all(declared.map(readOne));
  const names = new Set(declared.map(({ key }) => key));
  const others = [...listed].filter(([slug]) => !names.has(slug)).map(([slug, row]) => integrationOf(slug, row, {}));
  return [...read.flatMap((live) => live ?? []), ...others];
}

async function readIntegration(
  reader: Reader,
  project: Project,
  { key: slug, fields }: Pick<Desired, "key" | "fields">,
  row: Row | undefined,
): Promise<Live | undefined> {
  if (!row && !hasActiveParameter(slug)) return undefined;
  if (row && Object.keys(fields).every((name) => parameter(slug, name)?.level === "top" && name in row)) {
    return integrationOf(slug, row, fields);
  }
  const single = await readSingle(reader, project, slug);
  return single && integrationOf(slug, single, fields);
}

function asDeclared({ key, fields }: Desired, row: Row): Live {
  const { fields: reported, ...live } = integrationOf(key, row, fields);
  const plain = Object.entries(fields).filter(([name, value]) => !isReference(value) && !parameter(key, name)?.secret);
  return { ...live, fields: { ...Object.fromEntries(plain), ...reported } };
}

async function readSingle(reader: Reader, project: Project, slug: string): Promise<Row | undefined> {
  try {
    return (await reader.get(call("getIntegration", { id: project.name, slug }))).body as Row;
  } catch (error) {
    if (error instanceof CallFailed && error.saysGone) return undefined;
    throw error;
  }
}

function integrationOf(slug: string, row: Row, declared: Fields): Live {
  const updatedAt = typeof row.updated_at === "string" ? { updatedAt: row.updated_at } : {};
  const fields = reportedFields({ kind: "integration", key: slug, fields: declared }, row);
  return { kind: "integration", key: slug, fields, active: row.active !== false, ...updatedAt };
}

/** The declared fields of a resource that a response reports, but for secrets: those are dropped on reading. */
export function reportedFields({ kind, key, fields }: Resource, row: Row): Fields {
  const properties = isRow(row.properties) ? row.properties : {};
  const reported: Record<string, Value> = {};
  for (const [name, value] of Object.entries(fields)) {
    const column = kind === "integration" ? parameter(key, name) : undefined;
    if (column?.secret || isReference(value)) continue;
    const found = (column?.level === "properties" ? properties : row)[name];
    if (isScalar(found)) reported[name] = found;
  }
  return reported;
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

/** The managed licenses of a project. @throws CallFailed where they cannot be read. */
export async function readLicenses(reader: Reader, { project }: Pick<DesiredProject, "project">): Promise<Live[]> {
  const rows = (await reader.list(call("listLicenses", { id: project.name }))) as readonly LicenseRow[];
  return rows.map(licenseOf);
}

interface LicenseRow {
  readonly id: number;
  readonly name: string;
  readonly approval_status: string;
}

function licenseOf({ id, name, approval_status: status }: LicenseRow): Live {
  const approval = normalise("license", name, "approval_status", status);
  return { kind: "license", key: name, id, active: true, fields: { approval_status: approval } };
}

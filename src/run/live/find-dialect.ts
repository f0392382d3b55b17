import { isObject, type JsonObject } from "../../base/json.ts";
import { firstFew } from "../../base/text-format.ts";
import type { Reader } from "../../client/client.ts";
import { CallFailed } from "../../client/failure.ts";
import { call, NamesNothing } from "../../model/call.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { dialectOfSlugs, otherDialectOf, tellingSlugs } from "../../model/dialect-evidence.ts";
import { dialects } from "../../model/dialects.ts";
import { integrationReads } from "../../model/kinds.ts";
import type { Call, Platform, Project } from "../../model/types.ts";
import { readSomeProjects } from "./owner-list.ts";

export interface FoundDialect {
  readonly dialect: string;
  readonly because: string;
}

/** Maximum number of projects whose integrations are listed: one integration suffices, and most projects have some. */
const mostProjects = 20;

/**
 * Detects the names that a server uses in a few reads: by the integrations of its projects, else by the names that it
 * accepts, else by a route that only one dialect has. Undefined if that is inconclusive. @throws CallFailed if it ends
 * the run.
 */
export async function findDialect(reader: Reader): Promise<FoundDialect | undefined> {
  // Every server lists projects, even without permissions.
  const projects = (await unlessRefused(() => readSomeProjects(reader, mostProjects), 404)) ?? [];
  const found = (await detectByRows(reader, projects)) ?? (await detectByName(reader, projects));
  if (found) return found;
  const named = [...dialects].find(([, { facts }]) => facts.some(({ id }) => id === "metadata-route"));
  const answer = named && (await unlessRefused(() => reader.get(call("getMetadata", {}))));
  return named && answer && { dialect: named[0], because: "it answers GET /metadata" };
}

async function detectByRows(reader: Reader, projects: readonly Project[]): Promise<FoundDialect | undefined> {
  for (const { name } of projects) {
    const list = await unlessRefused(() => reader.get(call(integrationReads("project").list, { id: name })));
    const rows = Array.isArray(list?.body) ? list.body.filter(isObject) : [];
    const found = dialectOfSlugs(rows.map(({ slug }) => String(slug)));
    if (found) return { dialect: found.dialect, because: `${name} has ${firstFew(found.slugs)}` };
  }
  return undefined;
}

/** Servers reject unknown names of integrations, configured or not. */
async function detectByName(reader: Reader, projects: readonly Project[]): Promise<FoundDialect | undefined> {
  for (const { name } of projects) {
    const known: FoundDialect[] = [];
    for (const dialect of dialects.keys()) {
      const [slug = ""] = tellingSlugs(dialect);
      const answer = await knowsSlug(reader, name, slug);
      if (answer === undefined) break;
      if (answer) known.push({ dialect, because: `it has an integration named ${slug}` });
    }
    if (known.length === 1) return known[0];
  }
  return undefined;
}

/** Undefined if it cannot be read. */
async function knowsSlug(reader: Reader, id: string, slug: string): Promise<boolean | undefined> {
  try {
    await reader.get(call(integrationReads("project").show, { id, slug }));
    return true;
  } catch (error) {
    if (error instanceof NamesNothing) return undefined;
    if (!(error instanceof CallFailed) || error.endsRun) throw error;
    if (error.status === 400) return false;
    return error.saysGone ? true : undefined;
  }
}

/** Undefined if the server refuses. @throws CallFailed if it ends the run, or has the status `fatal`. */
async function unlessRefused<Result>(read: () => Promise<Result>, fatal?: number): Promise<Result | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof NamesNothing) return undefined;
    if (!(error instanceof CallFailed) || error.endsRun) throw error;
    if (fatal !== undefined && error.status === fatal) throw error;
    return undefined;
  }
}

/**
 * Ends the run if a list of integrations is in the names of another dialect: nothing would match, and all declared
 * integrations would seem to be missing. @throws CallFailed.
 */
export function refuseOtherDialect(catalogue: Catalogue, { method, path }: Call, rows: readonly JsonObject[]): void {
  const other = otherDialectOf(
    catalogue,
    rows.map(({ slug }) => String(slug)),
  );
  if (!other) return;
  const names = `lists ${firstFew(other.slugs)}, in the names of dialect ${other.dialect}`;
  const remedy = `set server.dialect: ${other.dialect} in evenkeel.yaml, and use its names in the manifests, which evenkeel explain lists`;
  const what = `${names}, and the workspace uses dialect ${catalogue.dialect}: ${remedy}`;
  throw new CallFailed({ method, path, url: path, kind: "dialect", what, status: 200, endsRun: true, attempts: 1 });
}

/**
 * The release that the server reports, such as `17.9.1`; undefined if it reports none, whatever the response. Not
 * counted in plans. @throws CallFailed if it ends the run: a rejected token, an unreachable server.
 */
export async function readRelease(reader: Reader): Promise<string | undefined> {
  const answer = await unlessRefused(() => reader.get(call("getVersion", {})));
  const version = isObject(answer?.body) ? String(answer.body.version) : "";
  // `17.9.1-ee` is release 17.9.1.
  return /^(\d{1,4}\.\d{1,4}(?:\.\d{1,4})?)(?![\d.])/.exec(version)?.[1];
}

/** The platform with the release that the server reports, if none was configured. @throws as {@link readRelease}. */
export async function platformAt<Known extends Platform>(reader: Reader, platform: Known): Promise<Known> {
  const release = platform.isReleaseAssumed ? await readRelease(reader) : undefined;
  return release === undefined ? platform : { ...platform, release, isReleaseAssumed: false };
}

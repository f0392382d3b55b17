import { createHash } from "node:crypto";
import { UserError } from "../../base/exit.ts";
import { grouped } from "../../base/grouped.ts";
import { isObject, parsedJson } from "../../base/json.ts";
import { addressParts } from "../../model/address.ts";
import type { OverrideCount } from "../../plan/overrides.ts";
import { getText, type Readable } from "../state.ts";
import { addCounts, type ProjectSnapshot, type SeenException, type SyncStatusCounts } from "./snapshot.ts";

/** Number of documents: enough that one of 100,000 projects is read quickly, and few for a small fleet. */
const shardCount = 64;

/** The name of the document with a project, by its path in any case. */
export function shardNameOf(project: string): string {
  const [byte = 0] = createHash("sha256").update(project.toLowerCase()).digest();
  return shardName(byte % shardCount);
}

export const shardNames = Array.from({ length: shardCount }, (_, index) => shardName(index));

function shardName(index: number): string {
  return index.toString(16).padStart(2, "0");
}

export const fleetIndex = "fleet";

export interface FleetIndex {
  readonly server: string;
  /** The last run over everything that policies select; null before the first. */
  readonly whole: { readonly run: string; readonly at: string } | null;
  readonly exceptions: readonly SeenException[];
  readonly overrides?: readonly OverrideCount[];
  readonly counts: Readonly<Record<string, SyncStatusCounts>>;
}

/** Undefined before the first run, and if the document is damaged. @throws UserError if a newer version wrote it. */
export async function readFleetIndex(state: Readable): Promise<FleetIndex | undefined> {
  const content = parseDocument(await getText(state, "snapshots", fleetIndex));
  const { server, whole, exceptions, overrides, counts } = content;
  if (typeof server !== "string" || !isObject(counts) || !Array.isArray(exceptions)) return undefined;
  return {
    ...{ server, whole: isObject(whole) ? whole : null, exceptions, counts },
    ...(Array.isArray(overrides) && { overrides }),
  } as FleetIndex;
}

export function fleetCounts(fleet: Pick<FleetIndex, "counts"> | undefined): SyncStatusCounts {
  return addCounts(Object.values(fleet?.counts ?? {}));
}

export async function countSnapshots(state: Readable): Promise<number> {
  return Object.values(fleetCounts(await readFleetIndex(state))).reduce((sum, count) => sum + count, 0);
}

/** The snapshot of a project, by its path in any case; undefined if no run saw it. */
export async function readSnapshot(state: Readable, path: string): Promise<ProjectSnapshot | undefined> {
  const wanted = path.toLowerCase();
  const projects = await readShard(state, shardNameOf(path));
  return projects.find(({ project }) => project.toLowerCase() === wanted);
}

export async function readShard(state: Readable, name: string): Promise<readonly ProjectSnapshot[]> {
  return parseShard(await getText(state, "snapshots", name));
}

/** Times since which resources differ, ISO 8601 by address; resources without a known difference are missing. */
export async function differsSince(
  state: Readable,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const [name, own] of grouped(addresses, (address) => shardNameOf(addressParts(address)[0]))) {
    const wanted = new Map(own.map((address) => [address.toLowerCase(), address]));
    for (const { project, differences } of await readShard(state, name)) {
      for (const { rest, since } of differences) {
        const address = wanted.get(`${project}:${rest}`.toLowerCase());
        if (address !== undefined) found.set(address, since);
      }
    }
  }
  return found;
}

const format = 2;

export function documentText(content: FleetIndex | { readonly projects: readonly ProjectSnapshot[] }): string {
  return JSON.stringify({ format, ...content });
}

export function parseShard(text: string | undefined): readonly ProjectSnapshot[] {
  const { projects } = parseDocument(text);
  return Array.isArray(projects) ? projects : [];
}

/** Empty if the text is damaged: the next run writes it again. @throws UserError if a newer version wrote it. */
function parseDocument(text: string | undefined): Readonly<Record<string, unknown>> {
  const read = parsedJson(text ?? "");
  if (!isObject(read) || typeof read.format !== "number") return {};
  if (read.format <= format) return read;
  throw new UserError(
    `the state has snapshots of format ${read.format}, and this version of evenkeel knows ${format}; upgrade evenkeel`,
  );
}

import { catalogueOf } from "../model/catalogue.ts";
import { neededRoles } from "../model/command-access.ts";
import { type Endpoint, endpoints } from "../model/endpoints.ts";
import { type RepositoryKindRow, repositoryKinds } from "../model/repository-kinds.ts";
import type { Tier } from "../model/types.ts";
import type { CallFailed } from "./failure.ts";

/**
 * A failed call's own sentence and what to do about it: where the URL and the token come from, if they may be wrong; where the server says 403, which scope, role and tier it takes to be let in; where it
 * says that the project has another path now, what to do.
 */
export function explained(failure: CallFailed): string {
  const needed =
    wrongPath(failure) ?? neededFor(failure) ?? renamed(failure) ?? wrongToken(failure) ?? wrongServer(failure);
  const said = needed ? `${failure.message}; ${needed}` : failure.message;
  const list = failure.method === "GET" ? lists[failure.path] : undefined;
  return list === undefined ? said : `${list} could not be read: ${said}`;
}

/** Lists that everything else of a run needs, by their paths. */
const lists: Readonly<Record<string, string>> = {
  [endpoints.listProjects.path]: "the list of projects",
  [endpoints.listGroups.path]: "the list of groups",
};

function wrongToken({ status, facts: { tokenName } }: CallFailed): string | undefined {
  if (status !== 401 || tokenName === undefined) return undefined;
  return `it comes from ${tokenName}: it may have expired, or belong to another server; evenkeel whoami checks a new one`;
}

/** A host that does not exist, or on which nothing listens. */
function wrongServer({ url, facts: { setting, what } }: CallFailed): string | undefined {
  const isHost = /^was not sent: (?:host not found|the host name|the connection was refused|the connection timed out)/;
  if (setting === undefined || !isHost.test(what)) return undefined;
  return `check the address ${new URL(url).host}, which comes from ${setting}`;
}

/** A path before that of the API is rare: of a server below a path, or of a page that was copied from a browser. */
function wrongPath({ url, kind, unknownRoute, facts: { setting } }: CallFailed): string | undefined {
  if (setting === undefined || !(kind === "html" || unknownRoute)) return undefined;
  const { origin, pathname } = new URL(url);
  const [prefix] = pathname.split("/api/v4/");
  if (!prefix || prefix === pathname) return undefined;
  return `${setting} has the path ${prefix}: if that is a group, a project or a page, leave it out: ${origin}`;
}

/** Servers redirect reads to a project's new path, and reject writes. */
function renamed({ status, serverMessage = "" }: CallFailed): string | undefined {
  if (status !== 405 || !/\bmoved projects?\b/i.test(serverMessage)) return undefined;
  return "the project was renamed or moved: name it by its new path, or by its ID";
}

/** What a call needs that was answered 403, in words: the same for all calls that lack the same. Undefined for any other failure. */
function neededFor(failure: CallFailed): string | undefined {
  const { status, method, path, url, serverMessage = "", facts } = failure;
  if (status === 404 && (failure.saysGone || failure.unknownRoute)) return neededByKind(failure);
  if (status !== 403) return undefined;
  if (serverMessage.includes("insufficient_scope")) return `the token needs the scope ${scopeOf(method)}`;
  if (new URL(url).searchParams.has(storageFilter)) {
    return "listing projects by storage needs an administrator's token";
  }
  const segments = path.split("/").map(decodeURIComponent);
  const move = moves.get(segments.at(-1) ?? "");
  if (move) return neededToMove(move);
  const { called, dialect } = facts;
  const needs = endpointOf(method, path)?.needs ?? called?.role;
  if (!needs) return undefined;
  const where = path.startsWith("/groups/") ? "group" : "project";
  const role = hasOwnReason(serverMessage)
    ? undefined
    : `the token needs the role ${neededRoles[needs].words} in this ${where}`;
  const tier = tierOfIntegration(dialect, segments) ?? (called && inTier(called.list ?? called.section, called.tier));
  return role && tier ? `${role}, and ${tier}` : (role ?? tier);
}

/** True if a refusal would be the same for everything in the project: it is missing or was moved, or the token lacks a role. */
export function concernsProject({ status, movedTo, serverMessage = "" }: CallFailed): boolean {
  if (movedTo !== undefined) return true;
  if (status === 404) return /^(?:404 )?(?:project|group) not found/i.test(serverMessage);
  return status === 403 && (serverMessage.includes("insufficient_scope") || !hasOwnReason(serverMessage));
}

/** Whether a 403 says more than that it is one: an address that is not allowed, or an archived project, is no matter of roles. */
function hasOwnReason(message: string): boolean {
  return !/^(?:403 )?(?:forbidden|access denied|unauthori[sz]ed|insufficient permissions?)?[.!]?$/i.test(
    message.trim(),
  );
}

/** What a server must have to know the resources of a kind at all: a licence or a release that lacks them is answered 404. */
function neededByKind({ method, facts: { called } }: CallFailed): string | undefined {
  if (!called || !(method === "GET" || method === "POST")) return undefined;
  const { section, tier = "free", release } = called;
  const needs = [
    ...(tier === "free" ? [] : [`tier ${tier}`]),
    ...(release === undefined ? [] : [`release ${release}`]),
  ];
  if (needs.length === 0) return undefined;
  return `${section} ${section.endsWith("s") ? "need" : "needs"} ${needs.join(" and ")}`;
}

const storageFilter = "repository_storage";

function scopeOf(method: CallFailed["method"]): string {
  return method === "GET" ? "read_api" : "api";
}

const patterns = Object.values(endpoints).map((endpoint) => {
  return { endpoint, pattern: new RegExp(`^${endpoint.path.replace(/:\w+/g, "[^/]+")}$`) };
});

function endpointOf(method: string, path: string): Endpoint | undefined {
  return patterns.find(({ endpoint, pattern }) => endpoint.method === method && pattern.test(path))?.endpoint;
}

/** Endpoints of storages by the last segment of their path (docs/api.md#repository-storage-moves). */
const moves: ReadonlyMap<string, RepositoryKindRow> = new Map(
  Object.values(repositoryKinds).map((row) => [endpoints[row.schedule].path.slice(1), row]),
);

function neededToMove({ one, tier }: RepositoryKindRow): string {
  const token = `${one} storage moves need an administrator's token`;
  return tier === "free" ? token : `${token}, and tier ${tier}`;
}

/** Known by its key. */
function tierOfIntegration(dialect: string | undefined, segments: readonly string[]): string | undefined {
  const known = catalogueOf(dialect).integrations.get(segments.at(-1) ?? "");
  return known && inTier(known.slug, known.tier);
}

function inTier(what: string, tier: Tier = "free"): string | undefined {
  return tier === "free" ? undefined : `${what} needs tier ${tier}`;
}

import { catalogueOf } from "../model/catalogue.ts";
import { neededRoles } from "../model/command-access.ts";
import { type Endpoint, endpoints } from "../model/endpoints.ts";
import { type RepositoryKindRow, repositoryKinds } from "../model/repository-kinds.ts";
import type { Tier } from "../model/types.ts";
import type { CallFailed } from "./failure.ts";

/** A failed call's sentence, with advice on its setting, or on the scope, role and tier that it needs. */
export function explainCallFailure(failure: CallFailed): string {
  const advice =
    adviseOnPath(failure) ??
    describeRequirements(failure) ??
    adviseOnMovedProject(failure) ??
    adviseOnToken(failure) ??
    adviseOnServer(failure);
  const said = advice ? `${failure.message}; ${advice}` : failure.message;
  const list = failure.method === "GET" ? lists[failure.path] : undefined;
  return list === undefined ? said : `${list} could not be read: ${said}`;
}

const lists: Readonly<Record<string, string>> = {
  [endpoints.listProjects.path]: "the list of projects",
  [endpoints.listGroups.path]: "the list of groups",
};

function adviseOnToken({ status, facts: { tokenName } }: CallFailed): string | undefined {
  if (status !== 401 || tokenName === undefined) return undefined;
  return `it comes from ${tokenName}: it may have expired, or belong to another server; evenkeel whoami checks a new one`;
}

function adviseOnServer({ url, facts: { setting, what } }: CallFailed): string | undefined {
  const isHost = /^was not sent: (?:host not found|the host name|the connection was refused|the connection timed out)/;
  if (setting === undefined || !isHost.test(what)) return undefined;
  return `check the address ${new URL(url).host}, which comes from ${setting}`;
}

/** The URL may contain a path copied from a browser. */
function adviseOnPath({ url, kind, unknownRoute, facts: { setting } }: CallFailed): string | undefined {
  if (setting === undefined || !(kind === "html" || unknownRoute)) return undefined;
  const { origin, pathname } = new URL(url);
  const [prefix] = pathname.split("/api/v4/");
  if (!prefix || prefix === pathname) return undefined;
  return `${setting} has the path ${prefix}: if that is a group, a project or a page, leave it out: ${origin}`;
}

/** Servers redirect reads to a project's new path, and reject writes. */
function adviseOnMovedProject({ status, serverMessage = "" }: CallFailed): string | undefined {
  if (status !== 405 || !/\bmoved projects?\b/i.test(serverMessage)) return undefined;
  return "the project was renamed or moved: name it by its new path, or by its ID";
}

/** Requirements of a call that was denied, in words that are equal for equal requirements. */
function describeRequirements(failure: CallFailed): string | undefined {
  const { status, method, path, url, serverMessage = "", facts } = failure;
  if (status === 404 && (failure.saysGone || failure.unknownRoute)) return describeKindRequirements(failure);
  if (status === undefined || (status !== 403 && status !== facts.called?.denial)) return undefined;
  if (serverMessage.includes("insufficient_granular_scope")) return describePermission(failure);
  if (serverMessage.includes("insufficient_scope")) return `the token needs the scope ${requiredScope(method)}`;
  if (new URL(url).searchParams.has(storageFilter)) {
    return "listing projects by storage needs an administrator's token";
  }
  const segments = path.split("/").map(decodeURIComponent);
  const move = moves.get(segments.at(-1) ?? "");
  if (move) return describeMoveRequirements(move);
  const { called, dialect } = facts;
  const needs = findEndpoint(method, path)?.needs ?? called?.role;
  if (!needs) return undefined;
  const [, where] = /^\/(project|group)s\//.exec(path) ?? [];
  const role = hasOwnReason(serverMessage)
    ? undefined
    : `the token needs the role ${neededRoles[needs].words}${where ? ` in this ${where}` : ""}`;
  const tier =
    findIntegrationTier(dialect, segments) ?? (called && formatTier(called.list ?? called.section, called.tier));
  return role && tier ? `${role}, and ${tier}` : (role ?? tier);
}

/** The permission that a fine-grained token lacks, such as `Webhook: Update`; the server's message may name it too. */
function describePermission({ method, facts: { called } }: CallFailed): string {
  const permission = called?.permission;
  if (permission === undefined) return "the token is a fine-grained one: grant it this permission";
  return `grant the fine-grained token the permission ${permission}: ${permittedActions[method]}`;
}

const permittedActions: Readonly<Record<CallFailed["method"], string>> = {
  GET: "Read",
  POST: "Create",
  PUT: "Update",
  PATCH: "Update",
  DELETE: "Delete",
};

/** True if a refusal would be the same for everything in the project: it is missing or was moved, or the token lacks a role. */
export function concernsProject({ status, movedTo, serverMessage = "" }: CallFailed): boolean {
  if (movedTo !== undefined) return true;
  if (status === 404) return /^(?:404 )?(?:project|group) not found/i.test(serverMessage);
  return status === 403 && (serverMessage.includes("insufficient_scope") || !hasOwnReason(serverMessage));
}

/** True if a 403 has a specific reason, such as a blocked address or an archived project: roles do not matter then. */
function hasOwnReason(message: string): boolean {
  return !/^(?:40[13] )?(?:forbidden|access denied|unauthori[sz]ed|insufficient permissions?)?[.!]?$/i.test(
    message.trim(),
  );
}

/** Requirements of a kind: servers whose licence or release lacks it return 404. */
function describeKindRequirements({ method, facts: { called } }: CallFailed): string | undefined {
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

function requiredScope(method: CallFailed["method"]): string {
  return method === "GET" ? "read_api" : "api";
}

const patterns = Object.values(endpoints).map((endpoint) => {
  return { endpoint, pattern: new RegExp(`^${endpoint.path.replace(/:\w+/g, "[^/]+")}$`) };
});

function findEndpoint(method: string, path: string): Endpoint | undefined {
  return patterns.find(({ endpoint, pattern }) => endpoint.method === method && pattern.test(path))?.endpoint;
}

/** Endpoints of storages by the last segment of their path (docs/api.md#repository-storage-moves). */
const moves: ReadonlyMap<string, RepositoryKindRow> = new Map(
  Object.values(repositoryKinds).map((row) => [endpoints[row.schedule].path.slice(1), row]),
);

function describeMoveRequirements({ one, tier }: RepositoryKindRow): string {
  const token = `${one} storage moves need an administrator's token`;
  return tier === "free" ? token : `${token}, and tier ${tier}`;
}

function findIntegrationTier(dialect: string | undefined, segments: readonly string[]): string | undefined {
  const integration = catalogueOf(dialect).integrations.get(segments.at(-1) ?? "");
  return integration && formatTier(integration.slug, integration.tier);
}

function formatTier(what: string, tier: Tier = "free"): string | undefined {
  return tier === "free" ? undefined : `${what} needs tier ${tier}`;
}

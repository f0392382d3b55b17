import { onError } from "../../base/exit.ts";
import { isObject } from "../../base/json.ts";
import type { Reader } from "../../client/client.ts";
import { explainCallFailure } from "../../client/explain-failure.ts";
import { CallFailed } from "../../client/failure.ts";
import { call } from "../../model/call.ts";
import { type CommandAccess, commandAccess, neededRoles, planAccess } from "../../model/command-access.ts";
import { type EndpointName, ownerCalls } from "../../model/endpoints.ts";
import { integrationReads } from "../../model/kinds.ts";
import { ownerName, ownerOfName } from "../../model/owner.ts";

/** The token's user and permissions, as far as the server returns them; null if it does not. */
export interface TokenAccess {
  readonly user: { readonly username: string; readonly name: string | null; readonly isAdministrator: boolean } | null;
  /** `api` includes `read_api`. */
  readonly scopes: readonly string[] | null;
  /** The token's name and expiry date, if it has them. */
  readonly token: { readonly name: string | null; readonly expiresAt: string | null } | null;
  /** Only if a project was requested. */
  readonly project?: ProjectAccess;
  /** Every row of {@link commandAccess}. */
  readonly commands: readonly Allowance[];
  /** Facts that the server did not return, one sentence each. */
  readonly unknown: readonly string[];
}

/** The permissions of the token's user in one project or group. */
export interface ProjectAccess {
  readonly path: string;
  /** Null if the server does not return it; 0: not a member. */
  readonly level: number | null;
  /** True if the first read of `plan` succeeds, else the reason. */
  readonly readable: true | string;
}

/** A command's access for the token; null if unknown. */
export interface Allowance {
  readonly row: CommandAccess;
  readonly allowed: boolean | null;
  /** Missing scopes and roles, in words. */
  readonly missing: readonly string[];
}

/**
 * Reads the token's user and permissions, with two to four requests. @throws CallFailed if the token is rejected or the
 * server does not respond.
 */
export async function readTokenAccess(reader: Reader, project?: string): Promise<TokenAccess> {
  const single = project === undefined ? undefined : ownerCalls[ownerOfName(project)]?.one;
  const asked = {
    user: await readRow(reader, "getUser"),
    token: await readRow(reader, "getToken"),
    ...(single && project !== undefined && { project: await readRow(reader, single, { id: project }) }),
  };
  const { username, name, is_admin } = asked.user.row ?? {};
  const user =
    typeof username === "string" ? { username, name: stringOrNull(name), isAdministrator: is_admin === true } : null;
  const scopes = parseScopes(asked.token.row);
  const readable = project === undefined ? undefined : await checkReadable(reader, project);
  const inProject = readable && { path: project ?? "", ...parseProject(asked.project?.row), readable };
  const known = { user, scopes, ...(inProject && { project: inProject }) };
  return {
    ...known,
    token: parseToken(asked.token.row),
    commands: commandAccess.map((row) => computeAllowance(row, known)),
    unknown: [
      ...(scopes?.includes(fineGrained) ? [unlistedPermissions] : []),
      ...Object.values(asked).flatMap(({ why }) => why ?? []),
    ],
  };
}

/** The only scope of a fine-grained token, whatever it may do. */
export const fineGrained = "granular";

const unlistedPermissions =
  "the server does not list the permissions of a fine-grained token; it names the missing one when it refuses a request";

/** Name, expiry and scopes of the connection's token, if the server describes it. A plan does not count the request. */
export async function readTokenDetails(
  reader: Reader,
): Promise<(NonNullable<TokenAccess["token"]> & Pick<TokenAccess, "scopes">) | null> {
  const answer = await reader.get(call("getToken", {})).catch(onError(CallFailed, () => undefined));
  const row = isObject(answer?.body) ? answer.body : undefined;
  const token = parseToken(row);
  return token && { ...token, scopes: parseScopes(row) };
}

/** False only if `plan` certainly cannot read with this token. */
export function canPlan({ commands, project }: TokenAccess): boolean {
  if (project) return project.readable === true;
  return commands.find(({ row }) => row === planAccess)?.allowed !== false;
}

type Row = Readonly<Record<string, unknown>>;

async function readRow(
  reader: Reader,
  name: EndpointName,
  segments = {},
): Promise<{ readonly row?: Row; readonly why?: string }> {
  try {
    const { body } = await reader.get(call(name, segments));
    return isObject(body) ? { row: body } : {};
  } catch (error) {
    return { why: toRefusal(error).message };
  }
}

/** A refusal by the API itself means that the fact is unknown; other errors are rethrown. */
function toRefusal(error: unknown): CallFailed {
  if (!(error instanceof CallFailed) || error.endsRun || error.kind === "unauthorized") throw error;
  if (error.kind !== "status" && error.kind !== "html" && error.kind !== "shape") throw error;
  return error;
}

async function checkReadable(reader: Reader, project: string): Promise<true | string> {
  try {
    await reader.get(call(integrationReads(ownerOfName(project)).list, { id: project }));
    return true;
  } catch (error) {
    const failure = toRefusal(error);
    // Servers before 17.9 have no integrations of groups: other reads of a plan depend on its policies.
    return ownerOfName(project) === "group" && failure.unknownRoute ? true : explainCallFailure(failure);
  }
}

function parseScopes(row: Row | undefined): readonly string[] | null {
  return Array.isArray(row?.scopes) ? row.scopes.filter((scope) => typeof scope === "string") : null;
}

function parseToken(row: Row | undefined): TokenAccess["token"] {
  return row ? { name: stringOrNull(row.name), expiresAt: stringOrNull(row.expires_at) } : null;
}

function stringOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** The path, and the access level: the higher one of own and inherited membership. */
function parseProject(row: Row | undefined): Pick<ProjectAccess, "level"> & Partial<ProjectAccess> {
  const group = stringOrNull(row?.full_path);
  const path = group === null ? stringOrNull(row?.path_with_namespace) : ownerName("group", group);
  const permissions = isObject(row?.permissions) ? Object.values(row.permissions) : null;
  const levels = permissions?.map((each) => (isObject(each) ? Number(each.access_level) || 0 : 0));
  return { ...(path && { path }), level: levels ? Math.max(0, ...levels) : null };
}

type Known = Pick<TokenAccess, "user" | "scopes" | "project">;

function computeAllowance(row: CommandAccess, known: Known): Allowance {
  const { scopes } = known;
  const hasScope =
    scopes === null || scopes.includes(fineGrained) ? null : scopes.includes("api") || scopes.includes(row.scope);
  const parts = [
    { has: hasScope, words: `scope ${row.scope}` },
    { has: hasRole(row, known), words: row.role ? `role ${neededRoles[row.role].words}` : "" },
  ];
  const missing = parts.filter(({ has }) => has === false).map(({ words }) => words);
  const isUnknown = parts.some(({ has }) => has === null);
  return { row, allowed: missing.length > 0 ? false : isUnknown ? null : true, missing };
}

function hasRole(row: CommandAccess, { user, project }: Known): boolean | null {
  const { role } = row;
  if (!role || user?.isAdministrator || (row === planAccess && project?.readable === true)) return true;
  if (role === "administrator") return user && false;
  return project?.level == null ? null : project.level >= neededRoles[role].level;
}

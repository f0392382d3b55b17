import { isObject } from "../../base/json.ts";
import type { Reader } from "../../client/client.ts";
import { explainCallFailure } from "../../client/explain-failure.ts";
import { CallFailed } from "../../client/failure.ts";
import { call } from "../../model/call.ts";
import { type CommandAccess, commandAccess, neededRoles, planAccess } from "../../model/command-access.ts";
import { integrationReads } from "../../model/kinds.ts";
import { ownerName, ownerOfName } from "../../model/owner.ts";

/** Whose token it is and what it may do, as far as the server tells; null where it does not. */
export interface TokenAccess {
  readonly user: TokenUser | null;
  /** `api` includes `read_api`. */
  readonly scopes: readonly string[] | null;
  /** The token's name and the day on which it expires, where it has them. */
  readonly token: { readonly name: string | null; readonly expiresAt: string | null } | null;
  /** Only where a project was asked for. */
  readonly project?: ProjectAccess;
  /** Every row of {@link commandAccess}. */
  readonly commands: readonly Allowance[];
  /** What the server did not tell, a sentence each. */
  readonly unknown: readonly string[];
}

interface TokenUser {
  readonly username: string;
  readonly name: string | null;
  readonly isAdministrator: boolean;
}

/** What the token's user may do in one project, or in one group. */
export interface ProjectAccess {
  readonly path: string;
  /** Null where the server does not say; 0: no member. */
  readonly level: number | null;
  /** Whether what `plan` reads first could be read; if not, why. */
  readonly readable: true | string;
}

/** Whether the token may do what commands need: null where that is not known. */
export interface Allowance {
  readonly row: CommandAccess;
  readonly allowed: boolean | null;
  /** In words. */
  readonly missing: readonly string[];
}

/** Asks the server who the token is, in two to four reads. @throws CallFailed if the token is rejected or the server does not answer. */
export async function readTokenAccess(reader: Reader, project?: string): Promise<TokenAccess> {
  const asked = {
    user: await told(reader, "getUser", {}),
    token: await told(reader, "getToken", {}),
    ...(project !== undefined && { project: await told(reader, singles[ownerOfName(project)], { id: project }) }),
  };
  const user = userIn(asked.user.row);
  const scopes = scopesIn(asked.token.row);
  const readable = project === undefined ? undefined : await readableBy(reader, project);
  const inProject = readable && { path: project ?? "", ...projectIn(asked.project?.row), readable };
  const known = { user, scopes, ...(inProject && { project: inProject }) };
  return {
    ...known,
    token: tokenIn(asked.token.row),
    commands: commandAccess.map((row) => allowanceOf(row, known)),
    unknown: [
      ...(scopes?.includes(fineGrained) ? [unlistedPermissions] : []),
      ...Object.values(asked).flatMap(({ why }) => why ?? []),
    ],
  };
}

/** The only scope of a fine-grained token, whatever it may do. */
const fineGrained = "granular";

const unlistedPermissions =
  "the server does not list the permissions of a fine-grained token; it names the missing one when it refuses a request";

/** The token of the connection, if the server describes it. A plan does not count the request. */
export async function readTokenDetails(reader: Reader): Promise<TokenAccess["token"]> {
  try {
    const { body } = await reader.get(call("getToken", {}));
    return tokenIn(isObject(body) ? body : undefined);
  } catch (error) {
    if (error instanceof CallFailed) return null;
    throw error;
  }
}

const singles = { project: "getProject", group: "getGroup" } as const;

/** Whether `plan` can read with this token: false only where that is certain. */
export function canPlan({ commands, project }: TokenAccess): boolean {
  if (project) return project.readable === true;
  return commands.find(({ row }) => row === planAccess)?.allowed !== false;
}

type Row = Readonly<Record<string, unknown>>;

interface Told {
  readonly row?: Row;
  readonly why?: string;
}

async function told(
  reader: Reader,
  name: "getUser" | "getToken" | "getProject" | "getGroup",
  segments: Record<string, string>,
): Promise<Told> {
  try {
    const { body } = await reader.get(call(name, segments));
    return isObject(body) ? { row: body } : {};
  } catch (error) {
    return { why: unansweredBy(error).message };
  }
}

/** The API's own no, which says that something is unknown; anything else is thrown on. */
function unansweredBy(error: unknown): CallFailed {
  if (!(error instanceof CallFailed) || error.endsRun || error.kind === "unauthorized") throw error;
  if (error.kind !== "status" && error.kind !== "html" && error.kind !== "shape") throw error;
  return error;
}

async function readableBy(reader: Reader, project: string): Promise<true | string> {
  try {
    await reader.get(call(integrationReads(ownerOfName(project)).list, { id: project }));
    return true;
  } catch (error) {
    const failure = unansweredBy(error);
    // Servers before 17.9 have no integrations of groups: what else a plan reads there depends on its policies.
    return ownerOfName(project) === "group" && failure.unknownRoute ? true : explainCallFailure(failure);
  }
}

function userIn(row: Row | undefined): TokenUser | null {
  if (typeof row?.username !== "string") return null;
  return { username: row.username, name: stringOrNull(row.name), isAdministrator: row.is_admin === true };
}

function scopesIn(row: Row | undefined): readonly string[] | null {
  return Array.isArray(row?.scopes) ? row.scopes.filter((scope) => typeof scope === "string") : null;
}

function tokenIn(row: Row | undefined): TokenAccess["token"] {
  return row ? { name: stringOrNull(row.name), expiresAt: stringOrNull(row.expires_at) } : null;
}

function stringOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** A member by itself or of the project's group: the higher of both counts. */
function projectIn(row: Row | undefined): Pick<ProjectAccess, "level"> & Partial<ProjectAccess> {
  const group = stringOrNull(row?.full_path);
  const path = group === null ? stringOrNull(row?.path_with_namespace) : ownerName("group", group);
  const permissions = isObject(row?.permissions) ? Object.values(row.permissions) : null;
  const levels = permissions?.map((each) => (isObject(each) ? Number(each.access_level) || 0 : 0));
  return { ...(path && { path }), level: levels ? Math.max(0, ...levels) : null };
}

type Known = Pick<TokenAccess, "user" | "scopes" | "project">;

function allowanceOf(row: CommandAccess, known: Known): Allowance {
  const parts = [
    { has: hasScope(row, known), words: `scope ${row.scope}` },
    { has: hasRole(row, known), words: row.role ? `role ${neededRoles[row.role].words}` : "" },
  ];
  const missing = parts.filter(({ has }) => has === false).map(({ words }) => words);
  const isUnknown = parts.some(({ has }) => has === null);
  return { row, allowed: missing.length > 0 ? false : isUnknown ? null : true, missing };
}

function hasScope({ scope }: CommandAccess, { scopes }: Known): boolean | null {
  if (scopes === null || scopes.includes(fineGrained)) return null;
  return scopes.includes("api") || scopes.includes(scope);
}

function hasRole(row: CommandAccess, { user, project }: Known): boolean | null {
  const { role } = row;
  if (!role || user?.isAdministrator || (row === planAccess && project?.readable === true)) return true;
  if (role === "administrator") return user && false;
  return project?.level == null ? null : project.level >= neededRoles[role].level;
}

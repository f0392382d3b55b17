import { printable } from "../base/printable.ts";
import type { Allowance, ProjectAccess, TokenAccess } from "../live/token-access.ts";
import { accessLevels, type CommandAccess, neededRoles } from "../model/command-access.ts";
import type { Palette } from "./palette.ts";

/** Who the token is, what each command needs, and what is missing. */
export function whoamiText(access: TokenAccess, palette: Palette): string {
  const { project, commands, unknown } = access;
  const lines = [
    palette.strong(printable(userText(access))),
    ...[tokenText(access), ...(project ? [projectText(project)] : [])].map((line) => `  ${printable(line)}`),
    "",
    ...commands.map(allowanceText),
    ...(project ? [] : ["", "The role in a project is known with --project."]),
    ...unknown.map((why) => printable(`unknown: ${why}`)),
  ];
  return lines.join("\n");
}

function userText({ user }: TokenAccess): string {
  if (!user) return "The server does not report the owner of this token";
  const name = user.name === null || user.name === user.username ? "" : ` (${user.name})`;
  return `${user.username}${name}${user.isAdministrator ? ", administrator" : ""}`;
}

function tokenText({ token, scopes }: TokenAccess): string {
  const parts = [
    token?.name ?? "",
    scopes ? `scopes ${scopes.join(", ") || "none"}` : "scopes unknown",
    token?.expiresAt ? `expires ${token.expiresAt}` : "",
  ];
  return `token    ${parts.filter(Boolean).join(", ")}`;
}

function projectText({ path, level, readable }: ProjectAccess): string {
  const can = readable === true ? "can be read" : `cannot be read: ${readable}`;
  return `project  ${path}: ${roleOf(level) ?? "role unknown"}, ${can}`;
}

function roleOf(level: number | null): string | undefined {
  if (level === null) return undefined;
  return accessLevels.find(([least]) => level >= least)?.[1] ?? "not a member";
}

function allowanceText({ row, allowed, missing }: Allowance): string {
  const mark = allowed === null ? "?  " : allowed ? "yes" : "no ";
  const lacks = missing.length > 0 ? `; missing: ${missing.join(", ")}` : "";
  return `${mark}  ${row.commands.join(", ")}: ${needsText(row)}${lacks}`;
}

/** `Maintainer or Owner of each project, scope read_api`. */
function needsText({ role, of, scope }: CommandAccess): string {
  const who = role ? `${neededRoles[role].words}${of ? ` of ${of}` : ""}` : "any role";
  return `${who}, scope ${scope}`;
}

/** The same for scripts; null for what the server does not tell. */
export function whoamiJson({ user, token, scopes, project, commands, unknown }: TokenAccess): string {
  const shown = {
    user: user && { username: user.username, name: user.name, administrator: user.isAdministrator },
    token: { name: token?.name ?? null, scopes, expires_at: token?.expiresAt ?? null },
    project: project
      ? {
          path: project.path,
          role: roleOf(project.level) ?? null,
          access_level: project.level,
          readable: project.readable === true,
          ...(project.readable !== true && { error: project.readable }),
        }
      : null,
    commands: commands.map(({ row: { commands, role = null, scope }, allowed, missing }) => {
      return { commands, role, scope, allowed, missing };
    }),
    unknown,
  };
  return JSON.stringify(shown, null, 2);
}

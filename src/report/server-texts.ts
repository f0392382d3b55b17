import { isObject, type JsonObject } from "../base/json.ts";
import { printable } from "../base/printable.ts";
import { firstFew } from "../base/text-format.ts";
import { accessLevels, neededRoles } from "../model/command-access.ts";
import type { Route, UnknownRoute } from "../plan/routes/routes.ts";
import type { Allowance, ProjectAccess, TokenAccess } from "../run/live/token-access.ts";
import type { Remainder } from "../run/storage/storage-view.ts";
import { columns, factLines, type Palette } from "./terminal.ts";

/** A heading, and the paths of values in a row. A path may begin with a sign to print, and list alternatives. */
type Column = readonly [heading: string, ...paths: string[]];

const deploymentColumns: readonly Column[] = [
  ["ID", "id"],
  ["IID", "iid"],
  ["STATUS", "status"],
  ["ENVIRONMENT", "environment.name"],
  ["REF", "ref"],
  ["SHA", "sha"],
  ["CREATED", "created_at"],
  ["UPDATED", "updated_at"],
  ["BY", "user.username"],
  ["JOB", "deployable.name"],
];

export function deploymentsText(rows: readonly JsonObject[], palette: Palette): string {
  const short = rows.map((row) => ({ ...row, sha: text(row.sha).slice(0, 8) }));
  return rows.length > 0 ? table(deploymentColumns, short, palette) : "No deployments match.";
}

const mergeRequestColumns: readonly Column[] = [
  ["MERGE REQUEST", "!iid"],
  ["TITLE", "title"],
  ["AUTHOR", "author.username|author.name"],
  ["MERGED", "merged_at"],
  ["URL", "web_url"],
];

export function mergeRequestsText(rows: readonly JsonObject[], palette: Palette): string {
  return rows.length > 0 ? table(mergeRequestColumns, rows, palette) : "No merge requests are recorded for it.";
}

function table(all: readonly Column[], rows: readonly JsonObject[], palette: Palette): string {
  const headings = all.map(([heading]) => heading);
  const cells = rows.map((row) => all.map((column) => readCell(row, column)));
  return columns(headings, cells, palette);
}

const deploymentLines: readonly Column[] = [
  ["environment", "environment.name", "environment.external_url"],
  ["ref", "ref"],
  ["sha", "sha"],
  ["created", "created_at"],
  ["updated", "updated_at"],
  ["by", "user.name", "@user.username"],
  ["job", "#deployable.id", "deployable.name", "deployable.stage", "deployable.status"],
  ["commit", "deployable.commit.short_id", "deployable.commit.title", "deployable.commit.author_name"],
  ["pipeline", "#deployable.pipeline.id", "deployable.pipeline.status", "deployable.pipeline.web_url"],
];

export function deploymentText(row: JsonObject, palette: Palette): string {
  const lines = deploymentLines.map((column) => [column[0], readCell(row, column)] as const);
  const title = `Deployment ${text(row.id)} (iid ${text(row.iid)}): ${text(row.status) || "status unknown"}`;
  return `${palette.strong(printable(title))}\n${factLines(lines, palette)}`;
}

function readCell(row: JsonObject, [, ...paths]: Column): string {
  const at = (value: unknown, name: string) => (isObject(value) ? value[name] : undefined);
  const parts = paths.map((path) => {
    const [, sign = "", names = ""] = /^([!@#]?)(.*)$/.exec(path) ?? [];
    const value = names
      .split("|")
      .map((each) => text(each.split(".").reduce(at, row as unknown)))
      .find(Boolean);
    return value ? `${sign}${value}` : "";
  });
  return printable(parts.filter(Boolean).join("  "));
}

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

export function statusText(storage: string, kinds: readonly Remainder[], palette: Palette): string {
  const width = Math.max(...kinds.map(({ kind }) => kind.length));
  const lines = kinds.map((each) => `  ${each.kind.padEnd(width)}  ${printable(countText(each))}`);
  return [palette.strong(printable(`Left on ${storage}`)), ...lines].join("\n");
}

function countText({ kind, left, moving, failed, names }: Remainder): string {
  if (left === null) return `unknown: the server does not list the moves of ${kind}`;
  const details = [moving ? `${moving} moving` : "", failed ? `${failed} failed to move` : ""]
    .filter(Boolean)
    .join(", ");
  const listed = names.length > 0 ? `: ${firstFew(names, 10)}` : "";
  const limits = kind === "projects" ? "" : "; those that were never moved are not listed";
  return `${left}${details ? ` (${details})` : ""}${listed}${limits}`;
}

export function statusJson(storage: string, kinds: readonly Remainder[]): string {
  const by = (name: keyof Remainder) => Object.fromEntries(kinds.map((each) => [each.kind, each[name]]));
  const details = { moving: by("moving"), failed: by("failed"), names: by("names") };
  return JSON.stringify({ storage, ...by("left"), ...details }, null, 2);
}

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
  return `project  ${path}: ${findRole(level) ?? "role unknown"}, ${can}`;
}

function findRole(level: number | null): string | undefined {
  if (level === null) return undefined;
  return accessLevels.find(([least]) => level >= least)?.[1] ?? "not a member";
}

/** `yes  plan, drift: Maintainer or Owner of each project, scope read_api`. */
function allowanceText({ row, allowed, missing }: Allowance): string {
  const mark = allowed === null ? "?  " : allowed ? "yes" : "no ";
  const lacks = missing.length > 0 ? `; missing: ${missing.join(", ")}` : "";
  const { commands, role, of, scope } = row;
  const who = role ? `${neededRoles[role].words}${of ? ` of ${of}` : ""}` : "any role";
  return `${mark}  ${commands.join(", ")}: ${who}, scope ${scope}${lacks}`;
}

export function whoamiJson({ user, token, scopes, project, commands, unknown }: TokenAccess): string {
  const shown = {
    user: user && { username: user.username, name: user.name, administrator: user.isAdministrator },
    token: { name: token?.name ?? null, scopes, expires_at: token?.expiresAt ?? null },
    project: project
      ? {
          path: project.path,
          role: findRole(project.level) ?? null,
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

export interface ShownRoutes {
  readonly routes: readonly Route[];
  readonly unknown: readonly UnknownRoute[];
  readonly many: string;
}

export function routesText({ routes, unknown, many }: ShownRoutes, palette: Palette): string {
  if (routes.length + unknown.length === 0) return `No integration is notified of ${many} here.`;
  const known = routes.map(({ slug, channel, reason }) => [slug, channel ?? "", reason]);
  const open = unknown.map((each) => [each.slug, "", explainUnknown(each)]);
  const rows = [...known, ...open].map((row) => row.map(printable));
  return columns(["INTEGRATION", "CHANNEL", "REASON"], rows, palette);
}

export function unknownText({ unknown, many }: ShownRoutes): string {
  return unknown.map((each) => printable(`${each.slug} and ${many}: ${explainUnknown(each)}`)).join("\n");
}

function explainUnknown({ flag }: UnknownRoute): string {
  return `unknown, the server does not report ${flag}`;
}

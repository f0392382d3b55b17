import { isObject, type JsonObject } from "../base/json.ts";
import { printable } from "../base/printable.ts";
import { firstFew } from "../base/text-format.ts";
import { accessLevels, type CommandAccess, neededRoles } from "../model/command-access.ts";
import type { RepositoryKind } from "../model/repository-kinds.ts";
import type { Route, UnknownRoute } from "../plan/routes/routes.ts";
import type { Allowance, ProjectAccess, TokenAccess } from "../run/live/token-access.ts";
import type { Remainder } from "../run/storage/storage-view.ts";
import { columns, factLines, type Palette } from "./terminal.ts";

type Column = readonly [heading: string, read: (row: JsonObject) => string];

const deploymentColumns: readonly Column[] = [
  ["ID", ({ id }) => text(id)],
  ["IID", ({ iid }) => text(iid)],
  ["STATUS", ({ status }) => text(status)],
  ["ENVIRONMENT", ({ environment }) => readText(environment, "name")],
  ["REF", ({ ref }) => text(ref)],
  ["SHA", ({ sha }) => text(sha).slice(0, 8)],
  ["CREATED", ({ created_at: at }) => text(at)],
  ["UPDATED", ({ updated_at: at }) => text(at)],
  ["BY", ({ user }) => readText(user, "username")],
  ["JOB", ({ deployable }) => readText(deployable, "name")],
];

export function deploymentsText(rows: readonly JsonObject[], palette: Palette): string {
  return rows.length > 0 ? table(deploymentColumns, rows, palette) : "No deployments match.";
}

const mergeRequestColumns: readonly Column[] = [
  ["MERGE REQUEST", ({ iid }) => `!${text(iid)}`],
  ["TITLE", ({ title }) => text(title)],
  ["AUTHOR", ({ author }) => readText(author, "username") || readText(author, "name")],
  ["MERGED", ({ merged_at: at }) => text(at)],
  ["URL", ({ web_url: url }) => text(url)],
];

export function mergeRequestsText(rows: readonly JsonObject[], palette: Palette): string {
  return rows.length > 0 ? table(mergeRequestColumns, rows, palette) : "No merge requests are recorded for it.";
}

function table(each: readonly Column[], rows: readonly JsonObject[], palette: Palette): string {
  const headings = each.map(([heading]) => heading);
  const cells = rows.map((row) => each.map(([, read]) => printable(read(row))));
  return columns(headings, cells, palette);
}

const deploymentLines: readonly Column[] = [
  [
    "environment",
    ({ environment }) => joinParts([readText(environment, "name"), readText(environment, "external_url")]),
  ],
  ["ref", ({ ref }) => text(ref)],
  ["sha", ({ sha }) => text(sha)],
  ["created", ({ created_at: at }) => text(at)],
  ["updated", ({ updated_at: at }) => text(at)],
  ["by", ({ user }) => joinParts([readText(user, "name"), mention(readText(user, "username"))])],
  [
    "job",
    ({ deployable: job }) =>
      joinParts([number(job), readText(job, "name"), readText(job, "stage"), readText(job, "status")]),
  ],
  ["commit", ({ deployable }) => commitText(at(deployable, "commit"))],
  ["pipeline", ({ deployable }) => pipelineText(at(deployable, "pipeline"))],
];

export function deploymentText(row: JsonObject, palette: Palette): string {
  const lines = deploymentLines.map(([name, read]) => [name, printable(read(row))] as const);
  const title = palette.strong(
    printable(`Deployment ${text(row.id)} (iid ${text(row.iid)}): ${text(row.status) || "status unknown"}`),
  );
  return `${title}\n${factLines(lines, palette)}`;
}

function commitText(commit: unknown): string {
  return joinParts([readText(commit, "short_id"), readText(commit, "title"), readText(commit, "author_name")]);
}

function pipelineText(pipeline: unknown): string {
  return joinParts([number(pipeline), readText(pipeline, "status"), readText(pipeline, "web_url")]);
}

function number(value: unknown): string {
  const id = readText(value, "id");
  return id && `#${id}`;
}

function mention(username: string): string {
  return username && `@${username}`;
}

function joinParts(parts: readonly string[]): string {
  return parts.filter(Boolean).join("  ");
}

function readText(value: unknown, name: string): string {
  return text(at(value, name));
}

function at(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

export function statusText(storage: string, kinds: readonly Remainder[], palette: Palette): string {
  const width = Math.max(...kinds.map(({ kind }) => kind.length));
  const lines = kinds.map((each) => `  ${each.kind.padEnd(width)}  ${printable(countText(each))}`);
  return [palette.strong(printable(`Left on ${storage}`)), ...lines].join("\n");
}

const mostNames = 10;

function countText({ kind, left, moving, failed, names }: Remainder): string {
  if (left === null) return describeUnknown(kind);
  const details = [part(moving, "moving"), part(failed, "failed to move")].filter(Boolean).join(", ");
  const listed = names.length > 0 ? `: ${firstFew(names, mostNames)}` : "";
  const limits = kind === "projects" ? "" : "; those that were never moved are not listed";
  return `${left}${details ? ` (${details})` : ""}${listed}${limits}`;
}

function part(count: number | null, words: string): string {
  return count ? `${count} ${words}` : "";
}

function describeUnknown(kind: RepositoryKind): string {
  return `unknown: the server does not list the moves of ${kind}`;
}

export function statusJson(storage: string, kinds: readonly Remainder[]): string {
  const by = (of: (remainder: Remainder) => unknown) => Object.fromEntries(kinds.map((each) => [each.kind, of(each)]));
  const counts = by(({ left }) => left);
  const details = {
    moving: by(({ moving }) => moving),
    failed: by(({ failed }) => failed),
    names: by(({ names }) => names),
  };
  return JSON.stringify({ storage, ...counts, ...details }, null, 2);
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

import { isObject, type JsonObject } from "../base/json.ts";
import { printable } from "../base/printable.ts";
import { columns, factLines } from "./columns.ts";
import type { Palette } from "./palette.ts";

/** How a column of a table is read off a row. */
type Column = readonly [heading: string, read: (row: JsonObject) => string];

const deploymentColumns: readonly Column[] = [
  ["ID", ({ id }) => text(id)],
  ["IID", ({ iid }) => text(iid)],
  ["STATUS", ({ status }) => text(status)],
  ["ENVIRONMENT", ({ environment }) => textAt(environment, "name")],
  ["REF", ({ ref }) => text(ref)],
  ["SHA", ({ sha }) => text(sha).slice(0, 8)],
  ["CREATED", ({ created_at: at }) => text(at)],
  ["UPDATED", ({ updated_at: at }) => text(at)],
  ["BY", ({ user }) => textAt(user, "username")],
  ["JOB", ({ deployable }) => textAt(deployable, "name")],
];

/** Deployments as a table, in the server's order; columns that no row fills are left out. */
export function deploymentsText(rows: readonly JsonObject[], palette: Palette): string {
  return rows.length > 0 ? table(deploymentColumns, rows, palette) : "No deployments match.";
}

const mergeRequestColumns: readonly Column[] = [
  ["MERGE REQUEST", ({ iid }) => `!${text(iid)}`],
  ["TITLE", ({ title }) => text(title)],
  ["AUTHOR", ({ author }) => textAt(author, "username") || textAt(author, "name")],
  ["MERGED", ({ merged_at: at }) => text(at)],
  ["URL", ({ web_url: url }) => text(url)],
];

/** The changes that a deployment shipped, as a table. */
export function mergeRequestsText(rows: readonly JsonObject[], palette: Palette): string {
  return rows.length > 0 ? table(mergeRequestColumns, rows, palette) : "No merge requests are recorded for it.";
}

function table(each: readonly Column[], rows: readonly JsonObject[], palette: Palette): string {
  const headings = each.map(([heading]) => heading);
  const cells = rows.map((row) => each.map(([, read]) => printable(read(row))));
  return columns(headings, cells, palette);
}

const deploymentLines: readonly Column[] = [
  ["environment", ({ environment }) => joined([textAt(environment, "name"), textAt(environment, "external_url")])],
  ["ref", ({ ref }) => text(ref)],
  ["sha", ({ sha }) => text(sha)],
  ["created", ({ created_at: at }) => text(at)],
  ["updated", ({ updated_at: at }) => text(at)],
  ["by", ({ user }) => joined([textAt(user, "name"), mention(textAt(user, "username"))])],
  [
    "job",
    ({ deployable: job }) => joined([number(job), textAt(job, "name"), textAt(job, "stage"), textAt(job, "status")]),
  ],
  ["commit", ({ deployable }) => commitText(at(deployable, "commit"))],
  ["pipeline", ({ deployable }) => pipelineText(at(deployable, "pipeline"))],
];

/** One deployment, a line for each thing that the server tells of it. */
export function deploymentText(row: JsonObject, palette: Palette): string {
  const lines = deploymentLines.map(([name, read]) => [name, printable(read(row))] as const);
  const title = palette.strong(
    printable(`Deployment ${text(row.id)} (iid ${text(row.iid)}): ${text(row.status) || "status unknown"}`),
  );
  return `${title}\n${factLines(lines, palette)}`;
}

function commitText(commit: unknown): string {
  return joined([textAt(commit, "short_id"), textAt(commit, "title"), textAt(commit, "author_name")]);
}

function pipelineText(pipeline: unknown): string {
  return joined([number(pipeline), textAt(pipeline, "status"), textAt(pipeline, "web_url")]);
}

function number(value: unknown): string {
  const id = textAt(value, "id");
  return id && `#${id}`;
}

function mention(username: string): string {
  return username && `@${username}`;
}

function joined(parts: readonly string[]): string {
  return parts.filter(Boolean).join("  ");
}

function textAt(value: unknown, name: string): string {
  return text(at(value, name));
}

function at(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

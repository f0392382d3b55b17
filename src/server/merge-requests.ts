import { createHash } from "node:crypto";
import { isObject, type JsonObject } from "../base/json.ts";
import { paged } from "./pages.ts";
import { invalid, json, noRecord } from "./reply.ts";
import type { ParsedRequest, ProjectHandler, ServerContext } from "./server-context.ts";
import { type KindRecord, nextNumber, putRow, type Repository, recordsAt, timestamp } from "./state.ts";

/** A file of a commit; without content it was deleted. */
interface FileAction {
  readonly action: string;
  readonly file_path: string;
  readonly content?: string;
}

/** POST of a commit: stores its files only, not a repository. */
export const createCommit: ProjectHandler = (context, call, project) => {
  const { branch, commit_message: message, start_branch, start_sha, force } = call.given;
  const actions = actionsIn(call.raw.actions);
  if (!actions) return invalid(["actions is invalid"]);
  const known = commitsOn(context, project, String(branch));
  const isThere = known.length > 0 || branch === defaultBranch(project);
  const starts = start_branch !== undefined || start_sha !== undefined;
  if (isThere && starts && force !== true)
    return json(400, {
      message: `A branch called '${branch}' already exists. Switch to that branch in order to make changes`,
    });
  if (!isThere && !starts) return json(400, { message: "You can only create or edit files when you are on a branch" });
  const place = commitsPlace(project);
  if (starts)
    for (const commit of known) putRow(context.state, place, { ...commit, row: { ...commit.row, branch: null } });
  const number = nextNumber(context.state, "commit");
  const id = createHash("sha1").update(`${project.id}/${number}`).digest("hex");
  const [title] = String(message).split("\n");
  const parent = starts ? (start_sha ?? start_branch) : known.at(-1)?.row.id;
  const row = {
    id,
    short_id: id.slice(0, 8),
    title,
    message,
    author_name: call.caller.user.name,
    created_at: timestamp(),
    parent_ids: parent === undefined ? [] : [parent],
    branch,
    actions,
  };
  putRow(context.state, place, { number, row });
  return json(201, commitRow(row));
};

/** GET of the commits of a branch, newest first. */
export const listCommits: ProjectHandler = (context, call, project) => {
  const branch = String(call.given.ref_name ?? defaultBranch(project));
  return paged(context, call, commitsOn(context, project, branch).toReversed(), ({ row }) => commitRow(row));
};

/** GET of a file at the newest commit of a branch. */
export const getFile: ProjectHandler = (context, call, project) => {
  const branch = String(call.given.ref ?? defaultBranch(project));
  const actions = commitsOn(context, project, branch).flatMap(({ row }) => row.actions as readonly FileAction[]);
  const last = actions.findLast(({ file_path }) => file_path === call.segments.file);
  if (last?.content === undefined) return json(404, { message: "404 File Not Found" });
  return { status: 200, body: last.content, headers: { "content-type": "text/plain; charset=utf-8" } };
};

export const filterMergeRequests: ProjectHandler = (context, call, project) => {
  const { state, source_branch, target_branch } = call.given;
  const rows = requestsOf(context, project).map(({ row }) => row);
  const isWanted = (row: JsonObject) =>
    (state === "all" || row.state === state) &&
    (source_branch === undefined || row.source_branch === source_branch) &&
    (target_branch === undefined || row.target_branch === target_branch);
  return paged(context, call, rows.filter(isWanted).toReversed(), (row) => row);
};

export const getMergeRequest: ProjectHandler = (context, call, project) => {
  const found = findRequest(context, call, project);
  return found ? json(200, found.row) : noRecord;
};

export const createMergeRequest: ProjectHandler = (context, call, project) => {
  const { source_branch, target_branch, title, description = "" } = call.given;
  if (commitsOn(context, project, String(source_branch)).length === 0)
    return json(400, { message: { source_branch: [`"${source_branch}" does not exist`] } });
  const other = requestsOf(context, project).find(
    ({ row }) => row.state === "opened" && row.source_branch === source_branch && row.target_branch === target_branch,
  );
  if (other)
    return json(409, {
      message: [`Another open merge request already exists for this source branch: !${other.row.iid}`],
    });
  const iid = nextNumber(context.state, `merge request of ${project.id}`);
  const at = timestamp();
  const row = {
    id: nextNumber(context.state, "merge request"),
    iid,
    project_id: project.id,
    title,
    description,
    state: "opened",
    created_at: at,
    updated_at: at,
    source_branch,
    target_branch,
    author: call.caller.user,
    web_url: `${new URL(call.address).origin}/${project.path}/-/merge_requests/${iid}`,
  };
  putRow(context.state, requestsPlace(project), { number: iid, row });
  return json(201, row);
};

export const updateMergeRequest: ProjectHandler = (context, call, project) => {
  const found = findRequest(context, call, project);
  if (!found) return noRecord;
  const { state_event: event, ...fields } = call.given;
  const state = event === "close" ? "closed" : event === "reopen" ? "opened" : found.row.state;
  const row = { ...found.row, ...fields, state, updated_at: timestamp(String(found.row.updated_at)) };
  putRow(context.state, requestsPlace(project), { ...found, row });
  return json(200, row);
};

function actionsIn(raw: unknown): readonly FileAction[] | undefined {
  if (!Array.isArray(raw) || raw.length === 0) return undefined;
  const isAction = (each: unknown) =>
    isObject(each) && typeof each.file_path === "string" && fileActions.has(String(each.action));
  return raw.every(isAction) ? (raw as readonly FileAction[]) : undefined;
}

const fileActions: ReadonlySet<string> = new Set(["create", "delete", "move", "update", "chmod"]);

function commitsOn({ state }: ServerContext, project: Repository, branch: string): readonly KindRecord[] {
  return recordsAt(state, commitsPlace(project)).filter(({ row }) => row.branch === branch);
}

function commitRow({ branch: _, actions: __, ...row }: JsonObject): JsonObject {
  return row;
}

function defaultBranch(project: Repository): string {
  return project.default_branch ?? "main";
}

function requestsOf({ state }: ServerContext, project: Repository): readonly KindRecord[] {
  return recordsAt(state, requestsPlace(project));
}

function findRequest(context: ServerContext, { segments }: ParsedRequest, project: Repository): KindRecord | undefined {
  return requestsOf(context, project).find(({ row }) => String(row.iid) === segments.iid);
}

function commitsPlace(project: Repository): string {
  return `repository/commits/${project.id}`;
}

function requestsPlace(project: Repository): string {
  return `repository/merge_requests/${project.id}`;
}

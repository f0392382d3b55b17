import { createHash } from "node:crypto";
import { isObject, type JsonObject } from "../base/json.ts";
import { paged } from "./pages.ts";
import { invalid, json, noRecord, type ServerReply } from "./reply.ts";
import type { ParsedRequest, ProjectHandler, ServerContext } from "./server-context.ts";
import {
  dropRow,
  type KindRecord,
  nextNumber,
  putRow,
  type Repository,
  recordsAt,
  type State,
  timestamp,
} from "./state.ts";

/** POST of a commit: stores its files only, not a repository. */
export const createCommit: ProjectHandler = ({ state }, call, project) => {
  const { branch, commit_message: message, start_branch, start_sha, force } = call.given;
  const { actions } = call.raw;
  if (!areActions(actions)) return invalid(["actions is invalid"]);
  const known = commitsOn(state, project, branch);
  const isThere = known.length > 0 || branch === defaultBranch(project);
  const start = start_sha ?? start_branch;
  if (isThere && start !== undefined && force !== true)
    return json(400, {
      message: `A branch called '${branch}' already exists. Switch to that branch in order to make changes`,
    });
  if (!isThere && start === undefined)
    return json(400, { message: "You can only create or edit files when you are on a branch" });
  const place = commitsPlace(project);
  if (start !== undefined) for (const commit of known) dropRow(state, place, commit);
  const number = nextNumber(state, "commit");
  const id = createHash("sha1").update(`${project.id}/${number}`).digest("hex");
  const [title] = String(message).split("\n");
  const parent = start ?? known.at(-1)?.row.id;
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
  putRow(state, place, { number, row });
  return json(201, commitRow(row));
};

/** A file of a commit; without content it was deleted. */
interface FileAction {
  readonly action: string;
  readonly file_path: string;
  readonly content?: string;
}

function areActions(raw: unknown): raw is readonly FileAction[] {
  const isAction = (each: unknown) =>
    isObject(each) &&
    typeof each.file_path === "string" &&
    /^(?:create|delete|move|update|chmod)$/.test(String(each.action));
  return Array.isArray(raw) && raw.length > 0 && raw.every(isAction);
}

/** GET of the commits of a branch, newest first. */
export const listCommits: ProjectHandler = (context, call, project) => {
  const commits = commitsOn(context.state, project, call.given.ref_name);
  return paged(context, call, commits.toReversed(), ({ row }) => commitRow(row));
};

/** GET of a file at the newest commit of a branch. */
export const getFile: ProjectHandler = ({ state }, { given, segments }, project) => {
  const actions = commitsOn(state, project, given.ref).flatMap(({ row }) => row.actions as readonly FileAction[]);
  const last = actions.findLast(({ file_path }) => file_path === segments.file);
  if (last?.content === undefined) return json(404, { message: "404 File Not Found" });
  return { status: 200, body: last.content, headers: { "content-type": "text/plain; charset=utf-8" } };
};

export const filterMergeRequests: ProjectHandler = (context, call, project) => {
  const { state, ...branches } = call.given;
  const wanted = Object.entries({ ...(state !== "all" && { state }), ...branches });
  const rows = recordsAt(context.state, requestsPlace(project)).map(({ row }) => row);
  const found = rows.filter((row) => wanted.every(([name, value]) => row[name] === value));
  return paged(context, call, found.toReversed(), (row) => row);
};

function ofRequest(
  answer: (record: KindRecord, context: ServerContext, call: ParsedRequest, project: Repository) => ServerReply,
): ProjectHandler {
  return (context, call, project) => {
    const records = recordsAt(context.state, requestsPlace(project));
    const found = records.find(({ number }) => String(number) === call.segments.iid);
    return found ? answer(found, context, call, project) : noRecord;
  };
}

export const getMergeRequest = ofRequest(({ row }) => json(200, row));

export const updateMergeRequest = ofRequest(({ number, row: before }, { state: at }, { given }, project) => {
  const { state_event: event, ...fields } = given;
  const state = event === "close" ? "closed" : event === "reopen" ? "opened" : before.state;
  const row = { ...before, ...fields, state, updated_at: timestamp(String(before.updated_at)) };
  putRow(at, requestsPlace(project), { number, row });
  return json(200, row);
});

export const createMergeRequest: ProjectHandler = ({ state }, call, project) => {
  const { source_branch, target_branch, title, description = "" } = call.given;
  if (commitsOn(state, project, source_branch).length === 0)
    return json(400, { message: { source_branch: [`"${source_branch}" does not exist`] } });
  const other = recordsAt(state, requestsPlace(project)).find(
    ({ row }) => row.state === "opened" && row.source_branch === source_branch && row.target_branch === target_branch,
  );
  if (other)
    return json(409, {
      message: [`Another open merge request already exists for this source branch: !${other.number}`],
    });
  const iid = nextNumber(state, `merge request of ${project.id}`);
  const at = timestamp();
  const row = {
    id: nextNumber(state, "merge request"),
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
  putRow(state, requestsPlace(project), { number: iid, row });
  return json(201, row);
};

/** The commits of a branch; by default, of the project's default branch. */
function commitsOn(state: State, project: Repository, branch: unknown): readonly KindRecord[] {
  const name = branch ?? defaultBranch(project);
  return recordsAt(state, commitsPlace(project)).filter(({ row }) => row.branch === name);
}

function commitRow({ branch: _, actions: __, ...row }: JsonObject): JsonObject {
  return row;
}

function defaultBranch(project: Repository): string {
  return project.default_branch ?? "main";
}

function commitsPlace(project: Repository): string {
  return `repository/commits/${project.id}`;
}

function requestsPlace(project: Repository): string {
  return `repository/merge_requests/${project.id}`;
}

import { UserError } from "../base/exit.ts";
import type { JsonObject } from "../base/json.ts";
import type { Reader, Writer } from "../client/client.ts";
import { explainCallFailure } from "../client/explain-failure.ts";
import { CallFailed } from "../client/failure.ts";
import { call } from "../model/call.ts";

export interface Proposal {
  readonly branch: string;
  /** The commit on the server to which the changes apply. */
  readonly start: string;
  readonly title: string;
  /** Markdown. */
  readonly description: string;
  /** The new contents, by the path in the repository. */
  readonly files: readonly { readonly path: string; readonly text: string; readonly isNew: boolean }[];
}

export interface ProposedRequest {
  readonly iid: number;
  readonly url: string;
  readonly branch: string;
  /** True if it was open before. */
  readonly updated: boolean;
}

/** Ends the description of merge requests whose branch may be overwritten. */
const mark = "<!-- written by evenkeel; its branch is replaced by the next run -->";

/** Branches of this prefix belong to Evenkeel. */
export const ownBranches = "evenkeel/";

/**
 * Commits changed files to a branch and opens a merge request for it, or updates the open one. A branch of Evenkeel's own
 * merge request is replaced; on any other, a commit is added. Repeating it has no other effect. @throws UserError.
 */
export async function proposeMergeRequest(
  writer: Writer,
  project: string,
  proposal: Proposal,
): Promise<ProposedRequest> {
  const { branch, title } = proposal;
  return explained(async () => {
    const { default_branch: named } = (await writer.get(call("getProject", { id: project }))).body as JsonObject;
    const target = typeof named === "string" ? named : "main";
    if (branch === target) {
      throw new UserError(`${branch} is the default branch of ${project}; name another branch with --branch`);
    }
    const open = await openRequest(writer, project, branch);
    await writer.send(call("createCommit", { id: project }, commitFields(proposal, open)));
    const fields = { title, description: `${proposal.description}\n\n${mark}` };
    const sent = open
      ? call("updateMergeRequest", { id: project, iid: String(open.iid) }, fields)
      : call("createMergeRequest", { id: project }, { source_branch: branch, target_branch: target, ...fields });
    const { body } = await writer.send(sent);
    const { iid, web_url } = body as JsonObject;
    return { iid: Number(iid), url: String(web_url ?? ""), branch, updated: open !== undefined };
  });
}

/** Closes the open merge request of a branch, if there is one. @throws UserError. */
export async function closeMergeRequest(writer: Writer, project: string, branch: string): Promise<void> {
  await explained(async () => {
    const open = await openRequest(writer, project, branch);
    if (!open) return;
    await writer.send(call("updateMergeRequest", { id: project, iid: String(open.iid) }, { state_event: "close" }));
  });
}

async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    throw new UserError(`the merge request was not made: ${explainCallFailure(error)}`);
  }
}

async function openRequest(reader: Reader, project: string, branch: string): Promise<JsonObject | undefined> {
  const filters = { state: "opened", source_branch: branch };
  const [found] = await reader.list(call("listMergeRequests", { id: project }, filters));
  return found as JsonObject | undefined;
}

function commitFields({ branch, start, title, files }: Proposal, open: JsonObject | undefined) {
  const actions = files.map(({ path, text, isNew }) => ({
    action: isNew ? "create" : "update",
    file_path: path,
    content: text,
  }));
  const isOwn = open ? String(open.description ?? "").includes(mark) : branch.startsWith(ownBranches);
  const from = open && !isOwn ? {} : { start_sha: start, ...(isOwn && { force: true }) };
  return { branch, commit_message: title, ...from, actions };
}

import { dirname } from "node:path";
import { UserError } from "../../base/exit.ts";
import { digestOf } from "../../base/json.ts";
import { knownSecrets } from "../../base/known-secrets.ts";
import { counted } from "../../base/text-format.ts";
import { connectWriter } from "../../client/client.ts";
import { parseServerUrl } from "../../client/server-url.ts";
import { commitNamed, hasUncommitted, isTracked, remoteProject, repositoryAround } from "../../git/repository.ts";
import { type ConnectionRequest, connectionFrom } from "../../run/connection.ts";
import { ownBranches, type ProposedRequest, proposeMergeRequest } from "../../run/merge-requests.ts";
import { findWorkspace } from "../../workspace/load.ts";
import type { Acceptance } from "./accept.ts";

/** The repository for merge requests of a workspace. */
export interface ProposalPlace {
  readonly root: string;
  /** The full path of the project. */
  readonly project: string;
  /** The commit of the checkout. */
  readonly start: string;
  /** The path of the workspace in its repository: empty, or with a trailing slash. */
  readonly prefix: string;
}

/** The project of the workspace's remote. @throws UserError (64) without a repository whose remote is on the server. */
export function proposalPlace(request: ConnectionRequest): ProposalPlace {
  const root = dirname(findWorkspace(request.folder));
  const repository = repositoryAround(root);
  const { url, allowInsecure } = connectionFrom(request);
  const { origin, prefix } = parseServerUrl(url, allowInsecure);
  const project = remoteProject(repository, origin + prefix);
  return { root, project, start: commitNamed(repository, "HEAD"), prefix: repository.prefix };
}

/**
 * Opens or updates a merge request with accepted values. `texts`: the changed files, by their names in the workspace;
 * `branch` is derived from the addresses by default. @throws UserError.
 */
export async function propose(
  { root, project, start, prefix }: ProposalPlace,
  request: ConnectionRequest,
  acceptance: Acceptance,
  texts: ReadonlyMap<string, string>,
  branch = branchOf(acceptance),
): Promise<ProposedRequest> {
  if (hasUncommitted(root, new Set(texts.keys()))) {
    throw new UserError(
      "a manifest to change has uncommitted changes, which the merge request would lack; commit them first",
    );
  }
  const { accepted } = acceptance;
  const [first, ...rest] = accepted;
  await using writer = await connectWriter(connectionFrom(request));
  return await proposeMergeRequest(writer, project, {
    branch,
    start,
    title: `Accept ${rest.length > 0 ? counted(accepted.length, "live value") : `the live value of ${first?.address}`}`,
    description: formatDescription(acceptance),
    files: [...texts].map(([name, text]) => ({ path: prefix + name, text, isNew: !isTracked(root, name) })),
  });
}

/** Deterministic, so that a repeated proposal updates the first one. */
function branchOf({ accepted }: Acceptance): string {
  const addresses = accepted.map(({ address }) => address).sort();
  return `${ownBranches}accept-${digestOf(addresses).slice("sha256:".length, "sha256:".length + 8)}`;
}

function formatDescription({ accepted }: Acceptance): string {
  const parts = accepted.map(({ address, hunks, notes }) => {
    const lines = hunks.flatMap(({ file, line, removed, added }) => [
      `# ${file}:${line}`,
      ...removed.map((text) => `- ${text}`),
      ...added.map((text) => `+ ${text}`),
    ]);
    return [`**${address}**`, ...notes, "```diff", ...lines, "```"].join("\n");
  });
  const head = "The server differs from the manifests. This makes the manifests declare what the server has.";
  return knownSecrets.clean([head, ...parts].join("\n\n"));
}

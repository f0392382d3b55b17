import { createHash } from "node:crypto";
import type { JsonObject } from "../base/json.ts";
import type { ServerContext } from "./server-context.ts";
import type { DeploymentRecord } from "./state.ts";

/** A row of the list of deployments (docs/api.md#deployments); deployed servers return more of the environment. */
export function listRow(
  { behaviour }: ServerContext,
  { tag: _, finished_at: __, ...deployment }: DeploymentRecord,
): JsonObject {
  if (!behaviour.environmentSlugs) return deployment;
  const { environment, user } = deployment;
  return {
    ...deployment,
    user: { ...user, avatar_url: user.avatar_url || null },
    environment: {
      ...environment,
      slug: environmentSlug(environment.name),
      external_url: environment.external_url || null,
    },
  };
}

/** As in a list, except for a field of the job's user that only a list contains. */
export function singleRow(context: ServerContext, record: DeploymentRecord): JsonObject {
  const { deployable } = record;
  if (!deployable) return listRow(context, record);
  const { public_email: _, ...user } = deployable.user as JsonObject;
  return { ...listRow(context, record), deployable: { ...deployable, user } };
}

/** The response to a create or an update (docs/api.md#deployments). */
export function writtenRow(context: ServerContext, record: DeploymentRecord): JsonObject {
  const { updated_at, ...row } = listRow(context, record);
  return { ...row, ...(context.behaviour.fullDeployments && { updated_at }), deployable: null };
}

const most = 24;
const suffixLength = 6;

/** The name of an environment in host names, as deployed servers derive it: with a suffix if characters are lost. */
function environmentSlug(name: string): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, "-");
  const slug = (/^[a-z]/.test(plain) ? plain : `env-${plain}`).replace(/-+/g, "-");
  if (slug === name && slug.length <= most) return slug.replace(/-$/, "");
  const start = slug.slice(0, most - suffixLength - 1).replace(/-$/, "");
  return `${start}-${hashSuffix(name)}`;
}

function hashSuffix(name: string): string {
  const hash = createHash("sha256").update(name).digest("hex");
  return BigInt(`0x${hash}`).toString(36).slice(-suffixLength);
}

type Origin = Pick<DeploymentRecord, "id" | "ref" | "sha" | "tag" | "status" | "created_at" | "user">;

/** A job as the specification shapes it (docs/api.md#deployments), with missing fields derived from its deployment. */
export function jobOf(origin: Origin, written: JsonObject): JsonObject {
  const { id, ref, tag, status, created_at } = origin;
  const made = { id, status, stage: "deploy", name: "deploy", ref, tag, coverage: null };
  const times = { created_at, started_at: null, finished_at: null };
  return {
    ...made,
    ...times,
    runner: null,
    ...written,
    user: { ...jobUser(origin), ...(written.user as JsonObject | undefined) },
    commit: { ...createCommit(origin), ...(written.commit as JsonObject | undefined) },
    pipeline: { ...createPipeline(origin), ...(written.pipeline as JsonObject | undefined) },
  };
}

function jobUser({ user, created_at }: Origin): JsonObject {
  const pages = { skype: "", linkedin: "", twitter: "", website_url: "", organization: "" };
  return { ...user, created_at, bio: null, location: null, public_email: "", ...pages };
}

function createCommit({ sha, created_at, user }: Origin): JsonObject {
  const author = { author_name: user.name, author_email: `${user.username}@example.com` };
  return { id: sha, short_id: sha.slice(0, 8), title: "Deploy", message: "Deploy", ...author, created_at };
}

function createPipeline({ id, ref, sha, status, created_at }: Origin): JsonObject {
  const web_url = `https://code.example.com/pipelines/${id}`;
  return { id, ref, sha, status, created_at, updated_at: created_at, web_url };
}

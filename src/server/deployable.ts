import type { JsonObject } from "../base/json.ts";
import type { User } from "./state.ts";

interface Origin {
  readonly id: number;
  readonly ref: string;
  readonly sha: string;
  readonly tag: boolean;
  readonly status: string;
  readonly created_at: string;
  readonly user: User;
}

/** A job as the specification shapes it (docs/api.md#deployments), with what `written` says and the rest filled in from its deployment. */
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
    commit: { ...commitOf(origin), ...(written.commit as JsonObject | undefined) },
    pipeline: { ...pipelineOf(origin), ...(written.pipeline as JsonObject | undefined) },
  };
}

function jobUser({ user, created_at }: Origin): JsonObject {
  const pages = { skype: "", linkedin: "", twitter: "", website_url: "", organization: "" };
  return { ...user, created_at, bio: null, location: null, public_email: "", ...pages };
}

function commitOf({ sha, created_at, user }: Origin): JsonObject {
  const author = { author_name: user.name, author_email: `${user.username}@example.com` };
  return { id: sha, short_id: sha.slice(0, 8), title: "Deploy", message: "Deploy", ...author, created_at };
}

function pipelineOf({ id, ref, sha, status, created_at }: Origin): JsonObject {
  const web_url = `https://code.example.com/pipelines/${id}`;
  return { id, ref, sha, status, created_at, updated_at: created_at, web_url };
}

import { roles } from "./state.ts";

const scalar = { type: ["string", "number", "boolean", "null"] };
const text = { type: "string", minLength: 1 };
const id = { type: "integer", minimum: 1 };
const count = { type: "integer", minimum: 0 };

const repository = {
  id,
  path: text,
  name: text,
  repository_storage: text,
  fail_moves: count,
  leave_copy: { type: "boolean" },
};

const deployment = {
  type: "object",
  additionalProperties: false,
  properties: {
    id,
    iid: id,
    ref: text,
    sha: text,
    tag: { type: "boolean" },
    status: text,
    created_at: text,
    updated_at: text,
    environment: {
      type: ["string", "object"],
      required: ["name"],
      properties: { name: text, id, external_url: { type: "string" } },
    },
    user: { type: "object" },
    deployable: { type: ["object", "null"] },
  },
};

const project = {
  type: "object",
  additionalProperties: false,
  required: ["path"],
  properties: {
    ...repository,
    default_branch: text,
    access: { enum: ["full", "none"] },
    visible: { type: "boolean" },
    integrations: {
      type: ["object", "null"],
      additionalProperties: { type: ["object", "null"], additionalProperties: scalar },
    },
    licenses: { type: ["object", "null"], additionalProperties: text },
    deployments: { type: ["array", "null"], items: deployment },
    merge_requests: { type: ["array", "null"], items: { type: "object" } },
  },
};

const repositories = {
  type: ["array", "null"],
  items: { type: "object", additionalProperties: false, properties: repository },
};

const storage = {
  type: ["string", "object"],
  additionalProperties: false,
  required: ["name"],
  properties: { name: text, cluster: { type: "boolean" } },
};

const token = {
  type: "object",
  additionalProperties: false,
  required: ["token", "role"],
  properties: { token: text, role: { enum: roles } },
};

/** The shape of a seed, draft-07 (contract 9). */
export const seedSchema = {
  type: ["object", "null"],
  additionalProperties: false,
  properties: {
    projects: { type: ["array", "null"], items: project },
    storages: { type: ["array", "null"], items: storage },
    snippets: repositories,
    groups: repositories,
    tokens: { type: ["array", "null"], items: token },
    features: { type: ["object", "null"], additionalProperties: { type: "boolean" } },
    move_duration: count,
  },
};

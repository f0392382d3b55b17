import { createHash } from "node:crypto";
import type { JsonObject } from "../base/json.ts";
import { inOrder, paged } from "./pages.ts";
import { readInteger } from "./parameters.ts";
import { invalid, json, noContent, noRecord, refused, type ServerReply } from "./reply.ts";
import type { ParsedRequest, ProjectHandler, ServerContext } from "./server-context.ts";
import {
  dropRow,
  nextNumber,
  putRow,
  type Repository,
  recordsAt,
  type State,
  takeNumber,
  timestamp,
  type User,
  userOf,
} from "./state.ts";

type Deployment = {
  readonly id: number;
  readonly iid: number;
  readonly ref: string;
  readonly sha: string;
  readonly tag: boolean;
  readonly status: string;
  readonly created_at: string;
  readonly updated_at: string;
  /** Time at which its status became one of {@link finalStatuses}. */
  readonly finished_at?: string;
  readonly user: User;
  readonly environment: { readonly id: number; readonly name: string; readonly external_url: string };
  readonly deployable: JsonObject | null;
};

/** A deployment of a seed; missing fields are filled in, and those of its job. */
export type SeedDeployment = Partial<Omit<Deployment, "user" | "environment">> & {
  readonly user?: JsonObject;
  readonly environment?: string | SeedEnvironment;
};

type SeedEnvironment = Partial<Deployment["environment"]> & { readonly name: string };

const finalStatuses: ReadonlySet<string> = new Set(["success", "failed", "canceled"]);

function placeOf({ id }: Repository): string {
  return `deployment/${id}`;
}

function deploymentsOf(state: State, project: Repository): readonly Deployment[] {
  return recordsAt(state, placeOf(project)).map(({ row }) => row as Deployment);
}

export const listDeployments: ProjectHandler = (context, call, project) => {
  const { behaviour, state } = context;
  const { sort, order_by: asked, ...given } = call.given;
  const filtered = filteredTimes.filter((name) => readBounds(name, given).some((bound) => bound !== undefined));
  const unpaired = filtered.find((name) => name !== asked);
  if (behaviour.timeFilter === "refuses" && unpaired)
    return refused(400, `Bad request - \`${unpaired}\` filter requires \`${unpaired}\` sort`);
  const order = behaviour.timeFilter === "sorts" && unpaired ? unpaired : String(asked);
  const field = behaviour.ordersById && /^(?:iid|created_at)$/.test(order) ? "id" : order;
  const wanted = deploymentsOf(state, project).filter((deployment) => isWanted(deployment, given));
  const byId = inOrder(wanted, ({ id }) => id);
  const rows = inOrder(byId, (deployment) => deployment[field as OrderField] ?? unfinished, sort);
  return paged(context, call, rows, (record) => listRow(context, record));
};

type OrderField = "id" | "iid" | "created_at" | "updated_at" | "finished_at" | "ref";

/** Sorts unfinished deployments after every time. */
const unfinished = "~";

const filteredTimes = ["updated_at", "finished_at"] as const;

function readBounds(name: (typeof filteredTimes)[number], given: ParsedRequest["given"]) {
  const stem = name.replace("_at", "");
  return [given[`${stem}_after`], given[`${stem}_before`]] as const;
}

/** A time that is null matches only without bounds. */
function isWanted(deployment: Deployment, given: ParsedRequest["given"]): boolean {
  const { environment = deployment.environment.name, status = deployment.status } = given;
  if (deployment.environment.name !== environment || deployment.status !== status) return false;
  return filteredTimes.every((name) => {
    const [after, before] = readBounds(name, given);
    const time = Date.parse(deployment[name] ?? "");
    return (after === undefined || time > Number(after)) && (before === undefined || time < Number(before));
  });
}

function ofDeployment(
  answer: (context: ServerContext, call: ParsedRequest, deployment: Deployment, project: Repository) => ServerReply,
  absent: (context: ServerContext, call: ParsedRequest) => ServerReply = () => noRecord,
): ProjectHandler {
  return (context, call, project) => {
    const id = readInteger(call.segments.deployment_id);
    if (id === undefined) return invalid(["deployment_id is invalid"]);
    const deployment = deploymentsOf(context.state, project).find((each) => each.id === id);
    return deployment ? answer(context, call, deployment, project) : absent(context, call);
  };
}

/** As in a list, except for a field of the job's user that only a list contains. */
export const getDeployment = ofDeployment((context, _, deployment) => {
  const row = listRow(context, deployment);
  if (!deployment.deployable) return json(200, row);
  const { public_email: __, ...user } = deployment.deployable.user as JsonObject;
  return json(200, { ...row, deployable: { ...deployment.deployable, user } });
});

export const createDeployment: ProjectHandler = (context, { given, caller }, project) => {
  const { state } = context;
  const blank = blankFault(context, given);
  if (blank) return blank;
  const wanted = {
    ref: String(given.ref),
    sha: String(given.sha),
    tag: given.tag === true,
    status: String(given.status ?? "created"),
  };
  const environment = String(given.environment);
  const before = deploymentsOf(state, project).findLast((each) => each.environment.name === environment);
  const names = ["ref", "sha", "tag", "status"] as const;
  const isRepeated = context.behaviour.deploymentsRepeat && names.every((name) => before?.[name] === wanted[name]);
  const seed = { ...wanted, environment, user: { ...caller.user } };
  const deployment = before && isRepeated ? before : storeDeployment(state, project, seed, timestamp());
  return json(201, writtenRow(context, deployment));
};

/** The error of deployed servers about an empty commit or ref; later releases name any empty parameter. */
function blankFault({ behaviour }: ServerContext, given: ParsedRequest["given"]): ServerReply | undefined {
  const blank = ["environment", "sha", "ref"].filter((name) => String(given[name]).trim() === "");
  if (behaviour.blankTold === "as empty" && blank.length > 0) return invalid(blank.map((name) => `${name} is empty`));
  const unknown = blank.filter((name) => name in notThere);
  if (behaviour.blankTold === "taken" || unknown.length === 0) return undefined;
  return json(400, { message: Object.fromEntries(unknown.map((name) => [name, [notThere[name]]])) });
}

const notThere: Readonly<Record<string, string>> = {
  sha: "The commit does not exist",
  ref: "The branch or tag does not exist",
};

export const editDeployment = ofDeployment((context, { given }, deployment, project) => {
  if (given.status === undefined) return json(200, writtenRow(context, deployment));
  const status = String(given.status);
  const refusal = context.behaviour.strictTransitions && transitionFault(deployment, status);
  if (refusal) return refusal;
  const updated_at = timestamp(deployment.updated_at);
  const edited = { ...deployment, status, updated_at, ...(finalStatuses.has(status) && { finished_at: updated_at }) };
  putRow(context.state, placeOf(project), { number: edited.id, row: edited });
  return json(200, writtenRow(context, edited));
});

/** The events by which deployed servers change to a status, and the statuses that allow it; undefined: any other. */
const transitions: Readonly<Record<string, { readonly event: string; readonly from?: readonly string[] }>> = {
  running: { event: "run", from: ["created", "blocked"] },
  success: { event: "succeed" },
  failed: { event: "drop" },
  canceled: { event: "cancel" },
};

/** Deployed servers do not change a deployment of a CI/CD job through the API. */
function transitionFault({ deployable, status }: Deployment, wanted: string): ServerReply | undefined {
  if (deployable)
    return refused(403, "Forbidden - Deployments created using GitLab CI can not be updated using the API");
  const change = transitions[wanted];
  if (!change || (change.from?.includes(status) ?? status !== wanted)) return undefined;
  return json(400, { message: { status: [`cannot transition via "${change.event}"`] } });
}

/** DELETE of a deployment, on deployed servers only: rejects a running one and the live one. */
export const deleteDeployment = ofDeployment(({ state }, _, deployment, project) => {
  const live = deploymentsOf(state, project).findLast(
    ({ environment, status }) => environment.id === deployment.environment.id && status === "success",
  );
  if (deployment.status === "running") return json(400, { message: "Cannot destroy running deployment" });
  if (live === deployment) return json(400, { message: "Deployment currently deployed to environment" });
  dropRow(state, placeOf(project), { number: deployment.id, row: deployment });
  return noContent;
});

/** The merge requests of a deployment; those that name no deployment belong to each. In the order of the seed by default. */
export const listDeploymentMergeRequests = ofDeployment(
  (context, call, { id }, project) => {
    const { state = "all", order_by: field, sort } = call.raw;
    const shipped = (project.merge_requests ?? []).filter(
      ({ deployment_id = id, deployment_ids = [deployment_id], ...request }) =>
        (deployment_ids as readonly unknown[]).includes(id) && (state === "all" || request.state === state),
    );
    const key = (request: JsonObject) => String(request[String(field ?? "created_at")] ?? "");
    const rows =
      field === undefined && sort === undefined ? shipped : inOrder(shipped, key, sort === "asc" ? "asc" : "desc");
    return paged(context, call, rows, ({ deployment_id: _, deployment_ids: __, ...request }) => request);
  },
  (context, call) => (context.behaviour.unknownShipsNothing ? paged(context, call, [], Object) : noRecord),
);

/** A row of the list of deployments (docs/api.md#deployments); deployed servers return more of the environment. */
function listRow({ behaviour }: ServerContext, { tag: _, finished_at: __, ...deployment }: Deployment): JsonObject {
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

/** The response to a create or an update (docs/api.md#deployments). */
function writtenRow(context: ServerContext, deployment: Deployment): JsonObject {
  const { updated_at, ...row } = listRow(context, deployment);
  return { ...row, ...(context.behaviour.fullDeployments && { updated_at }), deployable: null };
}

/** The name of an environment in host names, as deployed servers derive it: with a suffix if characters are lost. */
function environmentSlug(name: string): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const slug = /^[a-z]/.test(plain) ? plain : `env-${plain.replace(/^-/, "")}`;
  if (slug === name && slug.length <= 24) return slug.replace(/-$/, "");
  const hash = createHash("sha256").update(name).digest("hex");
  return `${slug.slice(0, 17).replace(/-$/, "")}-${BigInt(`0x${hash}`).toString(36).slice(-6)}`;
}

/** Adds a deployment; missing fields are filled in. */
export function storeDeployment(state: State, project: Repository, seed: SeedDeployment, now: string): Deployment {
  const id = seed.id ? takeNumber(state, "deployment", seed.id) : nextNumber(state, "deployment");
  const counter = `deployment of ${project.id}`;
  const status = seed.status ?? "success";
  const created_at = parseInstant(seed.created_at, now);
  const updated_at = parseInstant(seed.updated_at, created_at);
  const { environment = "production" } = seed;
  const deployment = {
    id,
    iid: seed.iid ? takeNumber(state, counter, seed.iid) : nextNumber(state, counter),
    ref: seed.ref ?? "main",
    sha: seed.sha ?? String(id).padStart(40, "0"),
    tag: seed.tag ?? false,
    status,
    created_at,
    updated_at,
    ...(finalStatuses.has(status) && { finished_at: parseInstant(seed.finished_at, updated_at) }),
    user: { ...userOf(1, "admin"), ...seed.user },
    environment: environmentOf(state, project, typeof environment === "string" ? { name: environment } : environment),
    deployable: null,
  };
  const made = { ...deployment, deployable: seed.deployable ? jobOf(deployment, seed.deployable) : null };
  putRow(state, placeOf(project), { number: id, row: made });
  return made;
}

function parseInstant(text: string | undefined, otherwise: string): string {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? otherwise : new Date(time).toISOString();
}

/** The environment of that name among the project's deployments, or a new one. */
function environmentOf(state: State, project: Repository, { id, name, external_url }: SeedEnvironment) {
  const known = deploymentsOf(state, project).find(({ environment }) => environment.name === name)?.environment;
  if (known && external_url === undefined) return known;
  return {
    id: id ? takeNumber(state, "environment", id) : (known?.id ?? nextNumber(state, "environment")),
    name,
    external_url: external_url ?? "",
  };
}

/** A job as the specification shapes it (docs/api.md#deployments), with missing fields derived from its deployment. */
function jobOf(deployment: Deployment, written: JsonObject): JsonObject {
  const { id, ref, sha, tag, status, created_at, user } = deployment;
  const made = { id, status, stage: "deploy", name: "deploy", ref, tag, coverage: null };
  const times = { created_at, started_at: null, finished_at: null };
  const pages = { skype: "", linkedin: "", twitter: "", website_url: "", organization: "" };
  const author = { author_name: user.name, author_email: `${user.username}@example.com` };
  const commit = { id: sha, short_id: sha.slice(0, 8), title: "Deploy", message: "Deploy", ...author, created_at };
  const web_url = `https://code.example.com/pipelines/${id}`;
  const pipeline = { id, ref, sha, status, created_at, updated_at: created_at, web_url };
  return {
    ...made,
    ...times,
    runner: null,
    ...written,
    user: { ...user, created_at, bio: null, location: null, public_email: "", ...pages, ...Object(written.user) },
    commit: { ...commit, ...Object(written.commit) },
    pipeline: { ...pipeline, ...Object(written.pipeline) },
  };
}

import { listRow } from "./deployment-rows.ts";
import { paged } from "./pages.ts";
import { refused, type ServerReply } from "./reply.ts";
import type { ParsedRequest, ProjectHandler } from "./server-context.ts";
import type { DeploymentRecord } from "./state.ts";

export const listDeployments: ProjectHandler = (context, call, project) => {
  const { behaviour } = context;
  const { sort, order_by: asked, ...given } = call.given;
  const filtered = filteredTimes.filter((name) => readBounds(name, given).some((bound) => bound !== undefined));
  const unpaired = filtered.find((name) => name !== asked);
  if (behaviour.timeFilter === "refuses" && unpaired) return unpairedSort(unpaired);
  const kept = project.deployments.filter((deployment) => isWanted(deployment, given));
  const order = behaviour.timeFilter === "sorts" && unpaired ? unpaired : String(asked);
  const run = behaviour.ordersById && sameAsId.has(order) ? "id" : order;
  const rows = sortRecords(kept, orders[run as keyof typeof orders], sort === "desc" ? -1 : 1);
  return paged(context, call, rows, (record) => listRow(context, record));
};

const filteredTimes = ["updated_at", "finished_at"] as const;

type FilteredTime = (typeof filteredTimes)[number];

function readBounds(name: FilteredTime, given: ParsedRequest["given"]) {
  const stem = name.replace("_at", "");
  return [given[`${stem}_after`], given[`${stem}_before`]] as const;
}

function unpairedSort(name: FilteredTime): ServerReply {
  return refused(400, `Bad request - \`${name}\` filter requires \`${name}\` sort`);
}

const sameAsId: ReadonlySet<string> = new Set(["iid", "created_at"]);

function isWanted(deployment: DeploymentRecord, given: ParsedRequest["given"]): boolean {
  const { environment, status } = given;
  if (environment !== undefined && deployment.environment.name !== environment) return false;
  if (status !== undefined && deployment.status !== status) return false;
  return filteredTimes.every((name) => isWithin(deployment[name], readBounds(name, given)));
}

/** A time that is null matches only without bounds. */
function isWithin(instant: string | undefined, [after, before]: ReturnType<typeof readBounds>): boolean {
  const time = instant === undefined ? Number.NaN : Date.parse(instant);
  return (after === undefined || time > Number(after)) && (before === undefined || time < Number(before));
}

type Order = (a: DeploymentRecord, b: DeploymentRecord) => number;

const orders = {
  id: (a, b) => a.id - b.id,
  iid: (a, b) => a.iid - b.iid,
  created_at: (a, b) => Date.parse(a.created_at) - Date.parse(b.created_at),
  updated_at: (a, b) => Date.parse(a.updated_at) - Date.parse(b.updated_at),
  finished_at: (a, b) => finishTime(a) - finishTime(b) || 0,
  ref: (a, b) => Number(a.ref > b.ref) - Number(a.ref < b.ref),
} as const satisfies Record<string, Order>;

/** Unfinished deployments come last. */
function finishTime({ finished_at }: DeploymentRecord): number {
  return finished_at === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(finished_at);
}

function sortRecords(records: readonly DeploymentRecord[], order: Order, direction: 1 | -1): DeploymentRecord[] {
  return records.toSorted((a, b) => direction * (order(a, b) || a.id - b.id));
}

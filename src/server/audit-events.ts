import type { JsonObject } from "../base/json.ts";
import type { NamedOwner } from "../model/owner.ts";
import { inOrder, paged } from "./pages.ts";
import { forbidden, noRecord } from "./reply.ts";
import type { Handler, ServerRequest } from "./server-context.ts";
import {
  dropRow,
  findRepository,
  type KindRecord,
  nextNumber,
  putRow,
  recordsAt,
  type State,
  timestamp,
} from "./state.ts";

/** GET of the audit events of a project or a group, newest first; from the premium tier on. */
export function listAuditEvents(owner: NamedOwner): Handler {
  return (context, call) => {
    const found = findRepository(context.state, owner, call.segments.id ?? "");
    if (!found) return noRecord;
    if (context.tier === "free") return forbidden;
    const { created_after: after = Number.NEGATIVE_INFINITY, created_before: before = Number.POSITIVE_INFINITY } =
      call.given;
    const timeOf = ({ row }: KindRecord) => Date.parse(String(row.created_at));
    const records = recordsAt(context.state, placeOf(owner, found.id)).filter((each) => {
      return timeOf(each) >= Number(after) && timeOf(each) <= Number(before);
    });
    return paged(context, call, inOrder(records, timeOf, "desc"), ({ row }) => row);
  };
}

/** Maximum number of events per project or group. */
const mostEvents = 200;

export function addAuditEvent(state: State, owner: NamedOwner, id: number, event: JsonObject): void {
  const number = nextNumber(state, "audit event");
  const place = placeOf(owner, id);
  const row = { id: number, created_at: timestamp(), details: {}, ...event, entity_id: id };
  putRow(state, place, { number, row });
  const [oldest, ...others] = recordsAt(state, place);
  if (oldest && others.length >= mostEvents) dropRow(state, place, oldest);
}

/** Records a successful write of a kind, for its project or group. */
export function auditWrite(state: State, request: ServerRequest, owner: NamedOwner): void {
  const { method, path, caller, body, segments } = request;
  const found = findRepository(state, owner, segments.id ?? "");
  if (!found) return;
  const rest = path.replace(/^(?:\/[^/]+){2}/, "");
  const [field, ...others] = rest === "" ? Object.keys(body) : [];
  const { name: author_name, username, id: author_id } = caller.user;
  // The key of the resource: the name in a creation, or the end of the path.
  const names = ["name", "key", "url", "title", "username"].map((each) => body[each]);
  const key = method === "POST" ? names.find((value) => typeof value === "string") : undefined;
  addAuditEvent(state, owner, found.id, {
    author_id,
    author_name,
    entity_type: owner === "project" ? "Project" : "Group",
    details: {
      ...(field !== undefined && others.length === 0 ? { change: field, to: body[field] } : {}),
      author_name: username,
      target_details: key ?? decodeURIComponent(rest.split("/").at(-1) ?? ""),
      custom_message: `${method} ${rest || path}`,
    },
  });
}

function placeOf(owner: NamedOwner, id: number): string {
  return `audit/${owner}/${id}`;
}

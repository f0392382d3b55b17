import { isObject, type JsonObject } from "../base/json.ts";
import { evaluateKind } from "../model/kind-expressions.ts";
import { type CallName, callDetails, type FieldSchema, writtenCall } from "../model/resource-kind.ts";
import { auditWrite } from "./audit-events.ts";
import { integrationHandlers } from "./integrations.ts";
import { narrowingOf, partName, type ServedCall, spellings } from "./kind-paths.ts";
import { changedRow, shownRow } from "./kind-rows.ts";
import {
  type Admitted,
  addRow,
  changeItem,
  changeRow,
  findOrInitial,
  findRecord,
  instanceId,
  isItemCall,
  lacksTarget,
  makeRow,
  placeKey,
  recordsOf,
  rowsAbove,
  rowsElsewhere,
} from "./kind-store.ts";
import { checkKindParameters } from "./kind-values.ts";
import { hasKey, type ServedKind } from "./kinds.ts";
import { keysetPaged, paged } from "./pages.ts";
import { readBoolean } from "./parameters.ts";
import { shownOwner } from "./projects.ts";
import {
  forbidden,
  invalid,
  json,
  noContent,
  noRecord,
  notFound,
  outOfScope,
  refused,
  type ServerReply,
  unauthorized,
} from "./reply.ts";
import type { ServedRoute } from "./routes.ts";
import {
  admitProject,
  hasRole,
  isInScope,
  type ServerContext,
  type ServerRequest,
  tierRefusal,
} from "./server-context.ts";
import { dropRow, findRepository, type KindRecord, put, type Repository, type State } from "./state.ts";

type KindCall = Pick<Admitted, "kind" | "call" | "narrowing">;

/** The routes of all kinds; an older spelling follows the newer one. */
export function kindRoutes({ kinds, release }: Pick<ServerContext, "kinds" | "release">): ServedRoute[] {
  return kinds.all.flatMap((kind) =>
    (Object.entries(kind.calls) as [ServedCall, string][]).flatMap(([call, written]) =>
      spellings(written, release).map((each) => {
        const { method, path } = writtenCall(each);
        const [place = "", query = ""] = path.split("?");
        const target = { kind, call, narrowing: narrowingOf(kind.file, query, release) };
        return { method, path: place, answer: (context, request) => answerKind(context, request, target) };
      }),
    ),
  );
}

function answerKind(context: ServerContext, request: ServerRequest, target: KindCall): ServerReply {
  const reply = handleKind(context, request, target);
  const { of } = target.kind;
  if (of !== "instance" && request.method !== "GET" && reply.status < 300) auditWrite(context.state, request, of);
  return reply;
}

/** Checks in the platform's order (scope, project or group, role, parameters), then calls the handler. */
function handleKind(context: ServerContext, request: ServerRequest, target: KindCall): ServerReply {
  const { kind, call } = target;
  const { role: writer = "guest", read: reader = writer, denial } = kind.file.needs ?? {};
  if (!isInScope(request.caller, request.method)) return outOfScope;
  const found = findOwner(context, request, target);
  if (found && "status" in found) return found;
  if (!hasRole(request.caller, isRead(call) ? (kind.quirks?.reader ?? reader) : writer))
    return denial === 401 ? unauthorized : forbidden;
  const refusal = quirkRefusal(context, target) ?? request.unreadable;
  if (refusal) return refusal;
  const { id: _, ...segments } = request.segments;
  const named = Object.fromEntries(Object.entries(segments).map(([name, value]) => [partName(name), value]));
  const { id: owner, path } = found ?? { id: instanceId, path: "" };
  const admitted = { ...target, context, state: context.state, request, named, owner, path };
  try {
    if (call === "before_update" || call === "before_delete") return prepareRow(admitted, call);
    if (isItemCall(call)) return changeItem(admitted, call);
    return (kind.file.keys ? integrationHandlers : rowHandlers)[call](admitted);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : "";
    return refused(500, `Internal Server Error: an expression of the kind ${kind.file.name} failed: ${reason}`);
  }
}

/** The project or group of a request; an error if it does not exist or is hidden. */
function findOwner(context: ServerContext, request: ServerRequest, { kind, call }: KindCall) {
  if (kind.of === "instance") return undefined;
  if (kind.of === "group")
    return findRepository(context.state, "group", request.segments.id ?? "") ?? notFound("Group");
  return admitProject(context, request, isRead(call) && kind.file.needs?.archived !== "unreadable");
}

function isRead(call: ServedCall): boolean {
  return call === "list" || call === "show";
}

function quirkRefusal(context: ServerContext, { kind: { quirks, file }, call }: KindCall): ServerReply | undefined {
  if (!quirks) return undefined;
  const gone = quirks.gone(context.behaviour);
  return tierRefusal(context, quirks.what, file.needs?.tier ?? "free") ?? gone?.[isRead(call) ? "read" : "write"];
}

function toResponse({ context, kind }: Admitted, row: JsonObject, isListed = false): JsonObject {
  const fields = shownRow(kind.file, row, isListed);
  return kind.quirks ? kind.quirks.show(context.behaviour, fields) : fields;
}

const rowHandlers: Readonly<Record<CallName, (admitted: Admitted) => ServerReply>> = {
  list: listRows,
  show: showRow,
  create: createRow,
  update: updateRow,
  delete: deleteRow,
};

function listRows(admitted: Admitted): ServerReply {
  const { context, request, kind } = admitted;
  const records = recordsOf(admitted);
  if (records.length === 0 && callDetails(kind.file.calls.list).none) return noRecord;
  const listed = ({ row }: Pick<KindRecord, "row">) => toResponse(admitted, row, true);
  const booleans = Object.keys(kind.listQuery).filter((name) => readBoolean(kind.listQuery[name]) !== undefined);
  const garbled = booleans.filter((name) => name in request.query && readBoolean(request.query[name]) === undefined);
  if (garbled.length > 0) return invalid(garbled.map((name) => `${name} is invalid`));
  if (kind.listQuery.pagination !== "keyset" || request.query.pagination !== "keyset")
    return paged(context, request, records, listed);
  const after = Number(request.query.id_after ?? 0);
  const later = records.flatMap(({ number, row }) => (number > after ? [{ id: number, row }] : []));
  return keysetPaged(context, request, later, listed);
}

const absent = json(200, null);

function showRow(admitted: Admitted): ServerReply {
  const { kind } = admitted;
  if (kind.isOwner) return showOwner(admitted);
  const record = findOrInitial(admitted, kind.keys.length === 0 ? absent : undefined);
  return "status" in record ? record : json(200, toResponse(admitted, record.row));
}

function showOwner({ context, request, kind, owner }: Admitted): ServerReply {
  return json(200, kind.of === "instance" ? {} : shownOwner(context, request.caller, kind.of, owner));
}

function createRow(admitted: Admitted): ServerReply {
  const { context, kind, request } = admitted;
  // A creation by PUT is the call of a change too.
  if (request.method === "PUT" && findRecord(admitted)) return updateRow(admitted);
  const { params, faults } = readParameters(admitted, "creation");
  if (faults.length > 0) return invalid(faults);
  if (lacksTarget(admitted, params)) return noRecord;
  const created = makeRow(admitted, params);
  const other = otherAnswer(admitted, "create", params, null);
  const caseCounts = kind.quirks?.caseCounts(context.behaviour);
  const isTaken = recordsOf(admitted).some(({ row }) => hasKey(kind, row, created, caseCounts));
  if (isTaken && isRefused(admitted)) return takenReply(admitted, other);
  if (other) return other;
  return written(admitted, 201, addRow(admitted, created));
}

function written(admitted: Admitted, status: number, row: JsonObject): ServerReply {
  const { kind, call } = admitted;
  return callDetails(kind.file.calls[call as CallName]).returns ? noContent : json(status, toResponse(admitted, row));
}

/** True if duplicate keys are rejected: on deployed servers only if the kind's keys are unique there. */
function isRefused({ context, kind }: Admitted): boolean {
  return context.behaviour.keysAreUnique || kind.file.unique !== false;
}

function takenReply({ context, kind }: Admitted, other: ServerReply | undefined): ServerReply {
  if (kind.quirks) return kind.quirks.taken;
  const isFit = other && (other.status === 409 || !context.behaviour.keysAreUnique);
  return isFit ? other : refused(409, `Conflict - the ${kind.file.singular.replaceAll("_", " ")} already exists`);
}

function updateRow(admitted: Admitted): ServerReply {
  const { context, kind, owner } = admitted;
  if (kind.quirks && !findRecord(admitted)) return kind.quirks.missing;
  const { params, faults } = readParameters(admitted, "change");
  if (faults.length > 0) return invalid(faults);
  if (kind.isOwner) {
    const repository = kind.of === "instance" ? undefined : context.state[kind.of].get(String(owner));
    if (repository) changeOwner(context.state, kind, repository, params);
    return showOwner(admitted);
  }
  const record = findOrInitial(admitted);
  if ("status" in record) return record;
  const other = otherAnswer(admitted, "update", params, record.row);
  if (other) return other;
  const others = () => rowsElsewhere(admitted);
  const row = changedRow(kind.fields, { params, row: record.row, others });
  const rest = recordsOf(admitted).filter((each) => each !== record);
  if (!hasKey(kind, row, record.row) && rest.some((each) => hasKey(kind, each.row, row)) && isRefused(admitted)) {
    return takenReply(admitted, undefined);
  }
  return written(admitted, 200, changeRow(admitted, record, row));
}

/** Carries out the call before an update or a deletion. */
function prepareRow(admitted: Admitted, call: "before_update" | "before_delete"): ServerReply {
  const { kind } = admitted;
  const record = findOrInitial(admitted);
  if ("status" in record) return record;
  const { stores } = callDetails(kind.file.calls[call === "before_update" ? "update" : "delete"]);
  const row = stores ? changeRow(admitted, record, { ...record.row, ...stores }) : record.row;
  return json(200, toResponse(admitted, row));
}

function deleteRow(admitted: Admitted): ServerReply {
  const record = findRecord(admitted) ?? admitted.kind.quirks?.missing ?? noRecord;
  if ("status" in record) return record;
  const other = otherAnswer(admitted, "delete", {}, record.row);
  if (other) return other;
  dropRow(admitted.state, placeKey(admitted), record);
  dropReferences(admitted, record.row);
  return noContent;
}

function readParameters({ context, request, kind, named, narrowing }: Admitted, check: "creation" | "change") {
  const { query, body } = request;
  const inFilters = new Set(Object.keys(narrowing).map((parameter) => parameter.split("[")[0]));
  const inQuery = Object.entries(query).filter(([name]) => !inFilters.has(name));
  const inPath = Object.entries(named).filter(([name]) => kind.checks.schemas.has(name));
  const given = { ...Object.fromEntries([...inPath, ...inQuery]), ...body };
  const raw = kind.quirks ? kind.quirks.read(context.behaviour, given) : given;
  const result = checkKindParameters(kind.checks, kind.checks[check], raw, !context.behaviour.lenientParameters);
  const isEmpty = Object.keys(result.params).length === 0 && (kind.file.fields.minProperties ?? 0) > 0;
  if (!isEmpty || result.faults.length > 0) return result;
  const names = [...kind.checks.schemas.keys()].join(", ");
  return { ...result, faults: [`${names} are missing, at least one parameter must be provided`] };
}

/** A response that the kind defines in place of carrying out the request. */
function otherAnswer(
  admitted: Admitted,
  on: "create" | "update" | "delete",
  params: JsonObject,
  row: JsonObject | null,
): ServerReply | undefined {
  const { answers } = admitted.kind.file;
  if (!answers) return undefined;
  const given = {
    params,
    row,
    rows: recordsOf(admitted).map((record) => record.row),
    /** The rows of the groups above. */
    get above() {
      return rowsAbove(admitted);
    },
  };
  const answer = answers.find((each) => each.on === on && evaluateKind(each.when, given) === true);
  if (!answer) return undefined;
  const body = evaluateKind(answer.body, given);
  return json(answer.status, isObject(body) ? toResponse(admitted, body) : body);
}

/** Changes a project or group itself. */
export function changeOwner(state: State, kind: ServedKind, record: Repository, params: JsonObject): void {
  const place = { state, kind, owner: record.id };
  const [known] = recordsOf(place);
  const row = { ...kind.initial, ...known?.row };
  const changed = changedRow(kind.fields, { params, row, others: () => rowsElsewhere(place) });
  const narrowed = Object.entries(changed).filter(([name, value]) => value !== row[name]);
  const kept = { ...known?.row, ...Object.fromEntries(narrowed) };
  changeRow(place, known ?? { number: 0, row }, kept);
  const own = narrowed.filter(([name]) => name in record);
  if (kind.of !== "instance") put(state, kind.of, record.id, { ...record, ...Object.fromEntries(own) });
}

/** Removes a deleted resource from lists that refer to it by ID, in other resources of the project or group. */
function dropReferences({ context: { kinds }, state, kind, owner }: Admitted, { id }: JsonObject): void {
  if (id === undefined) return;
  for (const other of kinds.all) {
    const names = other.of === kind.of ? referringFields(other, kind) : [];
    const place = { state, kind: other, owner };
    for (const record of names.length > 0 ? recordsOf(place) : []) {
      const kept = names.flatMap((name) => listWithout(name, record.row[name], id));
      if (kept.length > 0) changeRow(place, record, { ...record.row, ...Object.fromEntries(kept) });
    }
  }
}

function listWithout(name: string, list: unknown, id: unknown): readonly (readonly [string, readonly unknown[]])[] {
  if (!Array.isArray(list)) return [];
  const kept = list.filter((each) => (isObject(each) ? each.id : each) !== id);
  return kept.length < list.length ? [[name, kept]] : [];
}

/** Fields of a kind that list IDs of another kind's resources. */
function referringFields({ fields }: ServedKind, { calls }: ServedKind): readonly string[] {
  const path = calls.list === undefined ? undefined : writtenCall(calls.list).path.split("?")[0];
  const refers = ({ "x-lookup": lookUp = "" }: FieldSchema) => writtenCall(lookUp).path === `${path}/:value`;
  return fields.flatMap(({ name, field }) => (field.items && refers(field.items) ? [name] : []));
}

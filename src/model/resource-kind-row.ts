import type { AnswerShape } from "./answer-shape.ts";
import type { NeededRole } from "./command-access.ts";
import type { Endpoint, Parameter } from "./endpoints.ts";
import { typesOf } from "./field-meaning.ts";
import type { ItemColumn, KindRow } from "./kind-row.ts";
import type { Owner } from "./owner.ts";
import { turnedOff } from "./removal-changes.ts";
import {
  type CallName,
  callDetails,
  callOfOwner,
  keyFieldsOf,
  namesInPath,
  ownersOf,
  type ResourceKind,
  sectionOf,
  writtenCall,
} from "./resource-kind.ts";

/** The row of a kind for an owner, derived from a valid file. */
export function kindRowOf(kind: ResourceKind, owner: Owner = ownersOf(kind)[0] ?? "project"): KindRow {
  const { only, off } = kind;
  const [key = ""] = keyFieldsOf(kind);
  const [list, show, create, update, last] = (["list", "show", "create", "update", "delete"] as const).map((name) =>
    toEndpoint(kind, name, owner),
  );
  const title = { title: `the ${formatListName(kind)} list` };
  const removal = off === undefined ? "delete" : "disable";
  const items = itemColumns(kind, owner);
  return {
    file: kind,
    ...(ownersOf(kind).length > 0 && {
      policy: { section: sectionOf(kind), ...(only !== undefined && { only }), ...(off !== undefined && { off }) },
    }),
    ...(list && {
      read: { list, key, numbered: isNumbered(kind), ...(!kind.keys && title), ...(show && { single: show }) },
    }),
    ...(!list && show && { read: { list: show, isSingle: true, key, numbered: false } }),
    removal,
    calls: { ...(create && { create }), ...(update && { update }), ...(last && { [removal]: last }) },
    ...(items.length > 0 && { items }),
    identity: isCaseless(kind, key) ? (text) => text.toLowerCase() : (text) => text,
    removed: removal === "delete" ? { before: {}, after: null } : turnedOff,
  };
}

/** True if calls identify a resource by the `id` of its row. */
function isNumbered({ calls }: ResourceKind): boolean {
  return Object.values(calls).some((call) => namesInPath(writtenCall(call).path).includes(rowId));
}

function isCaseless({ fields }: ResourceKind, key: string): boolean {
  return fields.properties[key]?.["x-case"] === "ignore";
}

function itemColumns(kind: ResourceKind, owner: Owner): readonly ItemColumn[] {
  const { role: writer = "guest" } = kind.needs ?? {};
  const endpoint = (written: string) => bareEndpoint(callOfOwner(kind, written, owner), neededRole[writer]);
  return Object.entries(kind.fields.properties).flatMap(([field, { "x-items": calls }]): ItemColumn[] => {
    if (!calls) return [];
    const { key, create, update, delete: removal } = calls;
    const added = create !== undefined &&
      update !== undefined && { create: endpoint(create), update: endpoint(update) };
    return [{ field, key, ...added, delete: endpoint(removal) }];
  });
}

const rowId = "row.id";

/** Name of the kind's list: `managed license` for `GET /projects/:id/managed_licenses`. */
function formatListName({ calls: { list = "" }, singular }: ResourceKind): string {
  const [segment = ""] = writtenCall(list).path.split("?");
  const words = segment.split("/").at(-1)?.split("_") ?? [];
  return [...words.slice(0, -1), singular.split("_").at(-1)].join(" ");
}

function toEndpoint(kind: ResourceKind, name: CallName, owner: Owner): Endpoint | undefined {
  const written = kind.calls[name];
  if (written === undefined) return undefined;
  const { method, path } = callOfOwner(kind, written, owner);
  const { role: writer = "guest", read: reader = writer } = kind.needs ?? {};
  const role = neededRole[method === "GET" ? reader : writer];
  const { before, release = kind.needs?.release } = callDetails(written);
  const first = before === undefined ? undefined : bareEndpoint(callOfOwner(kind, before, owner), role);
  const row = {
    path,
    ...(role && { needs: role }),
    ...(release !== undefined && { introduced: release }),
    ...(first && { before: first }),
  };
  if (method === "GET" || method === "DELETE") return { ...row, method, ...requiredAnswer(kind, name) };
  const parameters = listParameters(kind, name);
  return { ...row, method: method as "POST", body: kind.body ?? "json", ...requiredAnswer(kind, name), parameters };
}

function bareEndpoint({ method, path }: ReturnType<typeof callOfOwner>, role: NeededRole | undefined): Endpoint {
  const row = { path, answer: { holds: "nothing" }, ...(role && { needs: role }) } as const;
  return method === "DELETE" ? { ...row, method } : { ...row, method: method as "POST", body: "json" };
}

const neededRole: Readonly<Record<string, NeededRole | undefined>> = {
  reporter: "reporter",
  developer: "developer",
  maintainer: "maintainer",
  owner: "owner",
  admin: "administrator",
};

/** Required content of a response: the key, the kind's only field, and the ID that calls use. */
function requiredAnswer(kind: ResourceKind, name: CallName): Pick<Endpoint, "answer" | "list"> {
  const { returns, rows } = callDetails(kind.calls[name]);
  if (name === "delete" || returns) return { answer: { holds: "nothing" } };
  if (kind.keys)
    return name === "list"
      ? integrationList
      : { answer: name === "show" ? integration : { ...integration, mayBeSilent: true } };
  const keys = keyFieldsOf(kind);
  const isTold = (field: string) => (keys.includes(field) || field === kind.only) && isPlainText(kind, field, name);
  const told = (kind.fields.required ?? []).filter(isTold).map((field) => [field, "text"] as const);
  const fields = { ...(isNumbered(kind) && { id: "number" as const }), ...Object.fromEntries(told) };
  if (name === "list" && rows !== undefined) return { answer: { holds: "row" } };
  if (name === "list") return { list: "paged", answer: { holds: "rows", fields } };
  const [key = ""] = keys;
  const isOne = namesInPath(kind.calls[name] ? writtenCall(kind.calls[name]).path : "").includes(rowId);
  const same = isOne ? { same: { id: `:${rowId}` } } : {};
  const created = name === "create" && isCaseless(kind, key) ? { alike: { [key]: `:${key}` } } : {};
  const silent = keys.length === 0 && name === "show" && kind.calls.create ? { mayBeNull: true as const } : {};
  return { answer: { holds: "row", fields, ...same, ...created, ...silent } };
}

const integrationList = { list: "whole", answer: { holds: "rows", fields: { slug: "text" } } } as const;

/** The specification describes the fields of one integration only, so any field that all have is sufficient. */
const integration: AnswerShape = {
  holds: "row",
  oneOf: { slug: "text", active: "boolean", properties: "row" },
  // If a list counted as "not reported", every parameter would be unverified, and the plan would report "in sync".
  ifAny: { properties: "row" },
  same: { slug: ":slug" },
};

/** True if every row contains the field as text: no expression reads it, and none selects rows. */
function isPlainText({ fields, where }: ResourceKind, field: string, name: CallName): boolean {
  const { "x-read": read, ...schema } = fields.properties[field] ?? {};
  return (
    read === undefined && (where === undefined || name !== "list") && typesOf(schema).every((type) => type === "string")
  );
}

function listParameters({ fields }: ResourceKind, name: CallName): Readonly<Record<string, Parameter>> {
  const writable = Object.entries(fields.properties).filter(([, field]) => name === "create" || !field["x-immutable"]);
  return Object.fromEntries(
    writable.flatMap(([field, { "x-words": words = {}, "x-send-as": sentAs = field }]) => {
      const older = Object.entries(words).filter(([, value]) => typeof value === "string");
      if (older.length === 0) return [];
      return [[sentAs, { type: "string", older: Object.fromEntries(older.map(([word, value]) => [value, word])) }]];
    }),
  );
}

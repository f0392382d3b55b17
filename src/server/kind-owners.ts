import type { JsonObject } from "../base/json.ts";
import { formerProject, movedReply } from "./former-paths.ts";
import { changedRow } from "./kind-rows.ts";
import { addRow, changeRow, ownerRow, type RowPlace, recordsOf, rowsElsewhere } from "./kind-store.ts";
import type { OwnerKind } from "./kinds.ts";
import { shownGroup, shownProject } from "./projects.ts";
import { put, putProject } from "./records.ts";
import { notFound, type ServerReply } from "./reply.ts";
import { accessRefusal, type KindRequest, type ServerContext } from "./server-context.ts";
import { findGroup, findProject, type Repository } from "./state.ts";

/** A project or group that has rows, and is one itself where a kind says so. */
export interface OwnerOfRows {
  readonly id: number;
  readonly path: string;
  /** It as it is answered. */
  readonly shown: () => JsonObject;
  readonly change: (params: JsonObject) => void;
}

/** The project or group of a request; a reply if there is none, or it may not be seen. */
export function ownerOf(context: ServerContext, asked: KindRequest, of: OwnerKind): OwnerOfRows | ServerReply {
  return finders[of](context, asked);
}

const finders: Readonly<Record<OwnerKind, (context: ServerContext, asked: KindRequest) => OwnerOfRows | ServerReply>> =
  {
    project: (context, asked) => {
      const { match, method, address, query, caller } = asked;
      const project = findProject(context.state, match.owner) ?? formerProject(context, match.owner);
      if (!project) return notFound("Project");
      if (!("record" in project)) return movedReply(method, address, query, project.movedTo);
      const shown = () => shownProject(context, caller, project.record);
      const save = (record: Repository) => void putProject(context.state, record);
      return accessRefusal(project) ?? ownerBehind(context, asked, { record: project.record, shown, save });
    },
    group: (context, asked) => {
      const record = findGroup(context.state, asked.match.owner);
      if (!record) return notFound("Group");
      const save = (changed: Repository) => put(context.state, "group", record.id, changed);
      const shown = () => shownGroup(context, findGroup(context.state, asked.match.owner) ?? record);
      return ownerBehind(context, asked, { record, shown, save });
    },
  };

interface Behind {
  readonly record: Repository;
  readonly shown: () => JsonObject;
  readonly save: (record: Repository) => void;
}

function ownerBehind({ state }: ServerContext, { match }: KindRequest, { record, shown, save }: Behind): OwnerOfRows {
  const place: RowPlace = { kind: match.kind, owner: record.id };
  const change = (params: JsonObject): void => {
    const [known] = recordsOf(state, place);
    const row = ownerRow(state, [match.kind], record.id, {});
    const changed = changedRow(match.kind.fields, { params, row, others: rowsElsewhere(state, place) });
    const told = Object.entries(changed).filter(([name, value]) => value !== row[name]);
    const kept = { ...known?.row, ...Object.fromEntries(told) };
    if (known) changeRow(state, place, known, kept);
    else addRow(state, place, {}, kept);
    save({ ...record, ...Object.fromEntries(told.filter(([name]) => name in record)) });
  };
  return { id: record.id, path: record.path, shown, change };
}

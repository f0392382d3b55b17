import type { JsonObject } from "../base/json.ts";
import { legacyStatuses, olderStatuses } from "../model/license-status.ts";
import type { Behaviour } from "./behaviour.ts";
import { json, notFound, refused, type ServerReply } from "./reply.ts";
import type { Role } from "./state.ts";

/** Deviations of a kind from all others. */
export interface KindQuirks {
  /** The kind's name in the 403 of a tier that lacks it; such servers do not route other kinds. */
  readonly what: string;
  /** The role required for reads. */
  readonly reader: Role;
  /** Response for missing resources, before parameters are checked. */
  readonly missing: ServerReply;
  readonly taken: ServerReply;
  /** Responses in releases that keep the routes of a removed kind. */
  readonly gone: (behaviour: Behaviour) => { readonly read: ServerReply; readonly write: ServerReply } | undefined;
  readonly read: (behaviour: Behaviour, raw: JsonObject) => JsonObject;
  readonly show: (behaviour: Behaviour, row: JsonObject) => JsonObject;
  /** True if keys that differ only in case are different. */
  readonly caseCounts: (behaviour: Behaviour) => boolean;
}

export const kindQuirks: Readonly<Partial<Record<string, KindQuirks>>> = {
  licenses: {
    what: "managed licenses",
    reader: "guest",
    missing: notFound("SoftwareLicensePolicy"),
    taken: json(400, { message: ["Software license has already been taken"] }),
    gone: ({ licensesGone }) => {
      const words = "Bad request - Managed License API endpoint were removed, use license approval policies";
      return licensesGone ? { read: json(200, []), write: refused(400, words) } : undefined;
    },
    read: ({ licenseWords }, raw) => withStatus(raw, statusWords[licenseWords]),
    show: ({ answerWords }, row) => withStatus(row, answerStatuses[answerWords]),
    caseCounts: ({ licenseCaseCounts }) => licenseCaseCounts,
  },
};

function withStatus(row: JsonObject, words: ReadonlyMap<string, string>): JsonObject {
  const word = words.get(String(row.approval_status));
  return word === undefined ? row : { ...row, approval_status: word };
}

/** Statuses in requests; servers that know only the legacy words reject others. */
const statusWords: Readonly<Record<Behaviour["licenseWords"], ReadonlyMap<string, string>>> = {
  all: legacyStatuses,
  legacy: new Map([...legacyStatuses, ["allowed", ""], ["denied", ""]]),
  current: new Map(),
};

/** Statuses in responses, by stored status. */
const answerStatuses: Readonly<Record<Behaviour["answerWords"], ReadonlyMap<string, string>>> = {
  legacy: olderStatuses,
  stored: new Map(),
  current: legacyStatuses,
};

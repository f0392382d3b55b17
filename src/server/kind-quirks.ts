import type { JsonObject } from "../base/json.ts";
import { legacyStatuses, olderStatuses } from "../model/license-status.ts";
import type { Behaviour } from "./behaviour.ts";
import { json, notFound, refused, type ServerReply } from "./reply.ts";
import type { Role } from "./state.ts";

/** How servers treat a kind differently from all others. */
export interface KindQuirks {
  /** The kind in the 403 of a tier that lacks it; such servers have no route of other kinds. */
  readonly what: string;
  /** The role that reads need. */
  readonly reader: Role;
  /** Resources that do not exist; checked before parameters. */
  readonly missing: ServerReply;
  /** Keys that are taken. */
  readonly taken: ServerReply;
  /** The replies to reads and writes in releases that keep the routes of a removed kind. */
  readonly gone: (behaviour: Behaviour) => { readonly read: ServerReply; readonly write: ServerReply } | undefined;
  /** Parameters of a request as fields have them. */
  readonly read: (behaviour: Behaviour, raw: JsonObject) => JsonObject;
  /** A row as responses have it. */
  readonly show: (behaviour: Behaviour, row: JsonObject) => JsonObject;
  /** Whether keys that differ in case alone are different keys. */
  readonly caseCounts: (behaviour: Behaviour) => boolean;
}

/** The kinds of an archived project that even reads are refused of. */
export const hiddenWhenArchived: ReadonlySet<string> = new Set(["variables"]);

/** By the names of kinds. */
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

/** The statuses of requests by their words; servers that know the legacy words alone accept no others. */
const statusWords: Readonly<Record<Behaviour["licenseWords"], ReadonlyMap<string, string>>> = {
  all: legacyStatuses,
  legacy: new Map([...legacyStatuses, ["allowed", ""], ["denied", ""]]),
  current: new Map(),
};

/** The words of responses by the stored status. */
const answerStatuses: Readonly<Record<Behaviour["answerWords"], ReadonlyMap<string, string>>> = {
  legacy: olderStatuses,
  stored: new Map(),
  current: legacyStatuses,
};

import type { JsonObject } from "../base/json.ts";
import { legacyStatuses, olderStatuses } from "../model/license-status.ts";
import type { Behaviour } from "./behaviour.ts";
import { json, notFound, refused } from "./reply.ts";

/** Deviations of licenses from all other kinds. */
const licenses = {
  /** The kind's name in the 403 of a tier that lacks it; such servers do not route other kinds. */
  what: "managed licenses",
  /** The role required for reads. */
  reader: "guest",
  /** Response for missing resources, before parameters are checked. */
  missing: notFound("SoftwareLicensePolicy"),
  taken: json(400, { message: ["Software license has already been taken"] }),
  /** Responses in releases that keep the routes of a removed kind. */
  gone: ({ licensesGone }: Behaviour) => {
    const words = "Bad request - Managed License API endpoint were removed, use license approval policies";
    return licensesGone ? { read: json(200, []), write: refused(400, words) } : undefined;
  },
  read: ({ licenseWords }: Behaviour, raw: JsonObject) => withStatus(raw, statusWords[licenseWords]),
  show: ({ answerWords }: Behaviour, row: JsonObject) => withStatus(row, answerStatuses[answerWords]),
  /** True if keys that differ only in case are different. */
  caseCounts: ({ licenseCaseCounts }: Behaviour) => licenseCaseCounts,
} as const;

export type KindQuirks = typeof licenses;

export const kindQuirks: Readonly<Partial<Record<string, KindQuirks>>> = { licenses };

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

import { isObject } from "../base/json.ts";
import type { Answer } from "../client/client.ts";
import { updatedAtOf } from "../live/repeated.ts";
import { reportedFields } from "../live/rows.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { Change } from "../model/types.ts";

/** What a ledger needs of the answer to a write; it holds no secret, as the answer itself may. */
export interface Seen {
  readonly updatedAt?: string | undefined;
  /** Declared parameters that the server did not report. */
  readonly unreported: readonly string[];
}

/** What an answer shows of the resource that was written. */
export function seenIn(catalogue: Catalogue, { kind, key, declared }: Change, answer: Answer | undefined): Seen {
  const row = isObject(answer?.body) ? answer.body : {};
  const reported = reportedFields(catalogue, { kind, key, fields: declared }, row);
  return { updatedAt: updatedAtOf(row), unreported: Object.keys(declared).filter((name) => !(name in reported)) };
}

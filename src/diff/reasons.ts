import { integrationOf } from "../model/kinds.ts";
import type { Comparison } from "../model/normalise.ts";
import type { Desired } from "../model/types.ts";
import { editedSince, isKeptOff, type Recalled } from "./last-applied.ts";
import type { DiffOptions, FullDiffOptions } from "./options.ts";

/** Undefined where the server keeps it off whatever it is sent, and has what is declared. */
export function reasonToCreate(desired: Desired, address: string, options: FullDiffOptions): string | undefined {
  const { catalogue, ledger, resend } = options;
  const memory = ledger?.recall(address);
  if (!ledger || !memory) return integrationOf(catalogue, desired)?.staysOff ? notListed : "not on the server";
  if (!isKeptOff(memory)) return "gone from the server since the last apply, drift";
  const edited = editedSince(desired, address, ledger);
  if (edited.length > 0) return reasonOfEdit(edited);
  return resend?.(address) ? askedFor : undefined;
}

/** Lists tell what is on, and some servers keep this off. */
const notListed = "not on the server, or kept off there";

type Evidence = Readonly<Record<Comparison, readonly string[]>> & Recalled & { readonly isInherited?: boolean };

/** The reason of a change that somebody asked for though nothing differs. */
export const askedFor = "asked for by --resend";

/** The first reason that holds (contract 6); undefined where the resource is in sync. */
export function reasonToUpdate(address: string, evidence: Evidence, options: DiffOptions): string | undefined {
  const { different, drifted, edited, unverified, moved, isInherited } = evidence;
  const inherited = isInherited ? "inherited from the group, " : "";
  if (different.length > 0) return inherited + reasonOfDifference(different, drifted, options);
  if (isInherited && edited.length > 0) return `${inherited}not as declared`;
  if (edited.length > 0) return reasonOfEdit(edited);
  if (moved && unverified.length > 0) return "suspected drift: updated_at changed, and nothing visible differs";
  if (options.resend?.(address)) return askedFor;
  if (options.alwaysSend && unverified.length > 0) return "server.secrets is always-send";
  return undefined;
}

function reasonOfEdit(edited: readonly string[]): string {
  return `pending: ${edited.join(", ")} changed since the last apply`;
}

function reasonOfDifference(different: readonly string[], drifted: readonly string[], { ledger }: DiffOptions): string {
  const plainly = different.length === 1 ? "field differs" : "fields differ";
  if (!ledger) return plainly;
  if (drifted.length === 0) return `${plainly}, pending`;
  return different.length === drifted.length ? `${plainly}, drift` : `${plainly}, drift and pending`;
}

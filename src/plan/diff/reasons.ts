import { addressOf } from "../../model/address.ts";
import type { Comparison } from "../../model/field-meaning.ts";
import { catalogueEntry, kindOf } from "../../model/kinds.ts";
import type { Cause, Change, Desired, Live } from "../../model/types.ts";
import { editedSince, hasMoved, isKeptOff, type Recalled, type Recollection } from "./last-applied.ts";
import type { DiffOptions, FullDiffOptions } from "./options.ts";

export type Why = Pick<Change, "reason" | "cause" | "resend">;

/** The reason of a creation; undefined if the server keeps the resource disabled, and the manifests are unchanged. */
export function explainCreation(desired: Desired, address: string, options: FullDiffOptions): Why | undefined {
  const { catalogue, ledger, resend } = options;
  const memory = ledger?.recall(address);
  if (!ledger || !memory || memory.absent) {
    // Lists contain only active resources, and some servers keep this one disabled.
    const reason = catalogueEntry(catalogue, desired)?.staysOff ? ", or kept off there" : "";
    return { reason: `not on the server${reason}`, cause: ledger ? "pending" : "drift" };
  }
  const edited = editedSince(desired, address, ledger);
  if (!isKeptOff(memory)) {
    const reason = `gone from the server since the last apply, drift${edited.length > 0 ? " and pending" : ""}`;
    return { reason, cause: combineCauses(true, edited.length > 0) };
  }
  if (edited.length > 0) return { reason: describeEdit(edited), cause: "pending" };
  return resend?.(address) ? explainResend(options) : undefined;
}

/** The reason why a project gets its own settings in place of different inherited ones. */
export function explainOverride(address: string, { ledger }: DiffOptions): Why {
  const memory = ledger?.recall(address);
  const cause = ledger && (!memory || memory.absent) ? "pending" : "drift";
  return { reason: "inherited from the group, which has other settings", cause };
}

type Evidence = Readonly<Record<Comparison, readonly string[]>> & Recalled & { readonly isInherited?: boolean };

export const askedFor = "asked for by --resend";

function explainResend({ ledger }: DiffOptions): Why {
  return { reason: askedFor, cause: ledger ? "pending" : "drift", resend: true };
}

/** The first applicable reason (docs/comparing.md); undefined if the resource is in sync. */
export function explainUpdate(address: string, evidence: Evidence, options: DiffOptions): Why | undefined {
  const { different, drifted, edited, unverified, moved, isInherited, isKnown } = evidence;
  const inherited = isInherited ? "inherited from the group, " : "";
  if (different.length > 0) return explainDifference(inherited, evidence, options);
  if (isInherited && edited.length > 0) {
    return { reason: `${inherited}not as declared`, cause: combineCauses(isKnown || !options.ledger, !isKnown) };
  }
  if (edited.length > 0) {
    const reason = moved ? `${describeEdit(edited)}; ${suspected}` : describeEdit(edited);
    return { reason, cause: combineCauses(moved || drifted.length > 0, true) };
  }
  if (moved && unverified.length > 0) return { reason: suspected, cause: "drift" };
  if (options.resend?.(address)) return explainResend(options);
  if (options.alwaysSend && unverified.length > 0) return { reason: "server.secrets is always-send", cause: "drift" };
  return undefined;
}

const suspected = "suspected drift: updated_at changed, and nothing visible differs";

function describeEdit(edited: readonly string[]): string {
  return `pending: ${edited.join(", ")} changed since the last apply`;
}

function explainDifference(inherited: string, evidence: Evidence, { ledger }: DiffOptions): Why {
  const { different, drifted, wanted, edited } = evidence;
  const text = `${inherited}${different.length === 1 ? "field differs" : "fields differ"}`;
  if (!ledger) return { reason: text, cause: "drift" };
  const cause = combineCauses(drifted.length > 0, wanted.length + edited.length > 0);
  return { reason: `${text}, ${cause === "both" ? "drift and pending" : cause}`, cause };
}

export function explainRemoval(project: string, live: Live, { ledger, catalogue }: FullDiffOptions): Why {
  const cause = determineRemovalCause(addressOf(project, live.kind, live.key), live, ledger);
  return { reason: `listed under ${kindOf(catalogue, live.kind).policy?.off ?? "absent"}`, cause };
}

/**
 * The reason for removing a resource that an exclusive policy does not list. If the ledger recorded that there was
 * none, it was added since.
 */
export function explainExclusion(project: string, live: Live, { ledger }: DiffOptions): Why {
  const address = addressOf(project, live.kind, live.key);
  const isNew =
    ledger?.recall(address) === undefined && ledger?.recall(unlistedAddress(project, live.kind)) !== undefined;
  const cause = isNew ? "drift" : determineRemovalCause(address, live, ledger);
  return { reason: "not listed, and the policy is exclusive", cause };
}

/** The address under which a ledger records that a kind had no unlisted resources; no resource has an empty key. */
export function unlistedAddress(project: string, kind: Live["kind"]): string {
  return `${addressOf(project, kind, "")}/`;
}

function determineRemovalCause(address: string, live: Live, ledger: Recollection | undefined): Cause {
  if (!ledger) return "drift";
  const memory = ledger.recall(address);
  if (!memory) return "pending";
  return memory.absent ? "drift" : combineCauses(hasMoved(live, address, ledger), true);
}

function combineCauses(hasDrifted: boolean, isPending: boolean): Cause {
  if (!hasDrifted) return "pending";
  return isPending ? "both" : "drift";
}

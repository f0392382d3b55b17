import { addressOf } from "../../model/address.ts";
import type { Comparison } from "../../model/field-meaning.ts";
import { catalogueEntry, kindOf } from "../../model/kinds.ts";
import type { Cause, Change, Desired, Live } from "../../model/types.ts";
import { editedSince, hasMoved, isKeptOff, type Recalled, type Recollection } from "./last-applied.ts";
import type { DiffOptions, FullDiffOptions } from "./options.ts";

/** Why something is to change, in words for people and in fields for programs. */
export type Why = Pick<Change, "reason" | "cause" | "resend">;

/** Undefined where the server keeps it off whatever it is sent, and has what is declared. */
export function whyCreate(desired: Desired, address: string, options: FullDiffOptions): Why | undefined {
  const { catalogue, ledger, resend } = options;
  const memory = ledger?.recall(address);
  if (!ledger || !memory || memory.absent) {
    const reason = catalogueEntry(catalogue, desired)?.staysOff ? notListed : missing;
    return { reason, cause: ledger ? "pending" : "drift" };
  }
  const edited = editedSince(desired, address, ledger);
  if (!isKeptOff(memory)) {
    const reason = `${gone}, drift${edited.length > 0 ? " and pending" : ""}`;
    return { reason, cause: causeFrom(true, edited.length > 0) };
  }
  if (edited.length > 0) return { reason: reasonOfEdit(edited), cause: "pending" };
  return resend?.(address) ? whyAsked(options) : undefined;
}

const missing = "not on the server";
const gone = "gone from the server since the last apply";

/** Lists tell what is on, and some servers keep this off. */
const notListed = "not on the server, or kept off there";

/** Why a project that inherits other settings than it declares gets its own. */
export function whyOverride(address: string, { ledger }: DiffOptions): Why {
  const memory = ledger?.recall(address);
  return { reason: overriding, cause: ledger && (!memory || memory.absent) ? "pending" : "drift" };
}

const overriding = "inherited from the group, which has other settings";

type Evidence = Readonly<Record<Comparison, readonly string[]>> & Recalled & { readonly isInherited?: boolean };

/** The reason of a change that was asked for though nothing differs. */
export const askedFor = "asked for by --resend";

function whyAsked({ ledger }: DiffOptions): Why {
  return { reason: askedFor, cause: ledger ? "pending" : "drift", resend: true };
}

/** The first reason that holds (docs/comparing.md); undefined where the resource is in sync. */
export function whyUpdate(address: string, evidence: Evidence, options: DiffOptions): Why | undefined {
  const { different, edited, unverified, moved, isInherited, isKnown } = evidence;
  const inherited = isInherited ? "inherited from the group, " : "";
  if (different.length > 0) return whyDifferent(inherited, evidence, options);
  if (isInherited && edited.length > 0) {
    return { reason: inherited + otherwise, cause: causeFrom(isKnown || !options.ledger, !isKnown) };
  }
  if (edited.length > 0) return whyEdited(edited, evidence);
  if (moved && unverified.length > 0) return { reason: suspected, cause: "drift" };
  if (options.resend?.(address)) return whyAsked(options);
  if (options.alwaysSend && unverified.length > 0) return { reason: alwaysSent, cause: "drift" };
  return undefined;
}

const otherwise = "not as declared";
const alwaysSent = "server.secrets is always-send";
const suspected = "suspected drift: updated_at changed, and nothing visible differs";

function whyEdited(edited: readonly string[], { moved, drifted }: Evidence): Why {
  const reason = moved ? `${reasonOfEdit(edited)}; ${suspected}` : reasonOfEdit(edited);
  return { reason, cause: causeFrom(moved || drifted.length > 0, true) };
}

function reasonOfEdit(edited: readonly string[]): string {
  return `pending: ${edited.join(", ")} changed since the last apply`;
}

function whyDifferent(inherited: string, evidence: Evidence, { ledger }: DiffOptions): Why {
  const { different, drifted, wanted, edited } = evidence;
  const plainly = `${inherited}${different.length === 1 ? "field differs" : "fields differ"}`;
  if (!ledger) return { reason: plainly, cause: "drift" };
  const cause = causeFrom(drifted.length > 0, wanted.length + edited.length > 0);
  return { reason: `${plainly}, ${cause === "both" ? "drift and pending" : cause}`, cause };
}

/** Why a resource that is listed to be off goes. */
export function whyRemove(project: string, live: Live, { ledger, catalogue }: FullDiffOptions): Why {
  const cause = causeOfRemoval(addressOf(project, live.kind, live.key), live, ledger);
  return { reason: `listed under ${kindOf(catalogue, live.kind).policy?.off ?? "absent"}`, cause };
}

/** Why a resource that an exclusive policy does not list goes. Where nothing else was there before, it was added since. */
export function whyExclude(project: string, live: Live, { ledger }: DiffOptions): Why {
  const address = addressOf(project, live.kind, live.key);
  const isNew =
    ledger?.recall(address) === undefined && ledger?.recall(unlistedAddress(project, live.kind)) !== undefined;
  const cause = isNew ? "drift" : causeOfRemoval(address, live, ledger);
  return { reason: "not listed, and the policy is exclusive", cause };
}

/** Under this address a ledger remembers that nothing unlisted of a kind was there: no resource has an empty key. */
export function unlistedAddress(project: string, kind: Live["kind"]): string {
  return `${addressOf(project, kind, "")}/`;
}

function causeOfRemoval(address: string, live: Live, ledger: Recollection | undefined): Cause {
  if (!ledger) return "drift";
  const memory = ledger.recall(address);
  if (!memory) return "pending";
  return memory.absent ? "drift" : causeFrom(hasMoved(live, address, ledger), true);
}

function causeFrom(hasDrifted: boolean, isPending: boolean): Cause {
  if (!hasDrifted) return "pending";
  return isPending ? "both" : "drift";
}

/** Reasons of which only a ledger tells one from the other, the longer ones first. */
const recalled = [notListed, missing, overriding, gone, otherwise, suspected, askedFor, alwaysSent];

const edits = new RegExp(`pending: (.+) changed since the last apply(?:; ${suspected})?`);

/**
 * A reason without what only a ledger knows: the job that planned may have had none, and secrets are rotated. `declared`
 * are the parameters that may be named in it.
 */
export function withoutMemory(reason: string, declared: readonly string[]): string {
  const [edit, names = ""] = edits.exec(reason) ?? [];
  const isEdit = edit !== undefined && names.split(", ").every((name) => declared.includes(name));
  const known = isEdit ? edit : recalled.find((each) => reason.includes(each));
  const plain = known === undefined ? reason : reason.replace(known, "to be sent");
  return plain.replace(/, (?:drift and pending|drift|pending)(?=,|$)/, "");
}

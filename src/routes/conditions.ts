import { type BranchKind, branchKinds } from "../model/branch-kinds.ts";
import type { PipelineStatus } from "../model/events.ts";
import type { Scalar } from "../model/types.ts";
import { columnsOf, type FlagColumn, type Listener, settingOf } from "./listener.ts";

/** An event; unknown properties are omitted. */
export interface EventDetails {
  /** The flag's name without `_events`. */
  readonly event: string;
  readonly branch?: string | undefined;
  readonly branchKind?: BranchKind | undefined;
  readonly pipelineStatus?: PipelineStatus | undefined;
}

/** The result of a condition if the integration is not notified. */
export const notNotified = Symbol("not notified");

/** A condition for being notified: why it is met, empty without a reason, or {@link notNotified}. */
type Condition = (listener: Listener, event: EventDetails) => string | typeof notNotified;

/** The flag that enables an event for an integration. */
export function flagOf(listener: Listener, { event }: EventDetails): FlagColumn | undefined {
  return columnsOf(listener, "flag").find((column) => column.event === event);
}

export const flagCondition: Condition = (listener, event) => {
  const flag = flagOf(listener, event);
  return flag ? isOn(listener, flag) : notNotified;
};

const switches: Condition = (listener, { event }) => {
  const found = columnsOf(listener, "switch").find((column) => column.events.includes(event));
  return found ? isOn(listener, found) : "";
};

function isOn(listener: Listener, { name, unset }: { readonly name: string; readonly unset: boolean }) {
  const value = settingOf(listener, name);
  if (value === undefined)
    return unset ? `${name} is not ${listener.source}, and its default on servers is true` : notNotified;
  return value === true ? `${name} is true` : notNotified;
}

const limits: Condition = (listener, { event, pipelineStatus }) => {
  const limit = columnsOf(listener, "limit").find((column) => column.event === event);
  if (!limit) return "";
  const { name, to, unset } = limit;
  const value = settingOf(listener, name);
  if (!(value ?? unset) || pipelineStatus === to) return "";
  if (pipelineStatus !== undefined) return notNotified;
  const cause =
    value === undefined ? `${name} is not ${listener.source}, and its default on servers is true` : `${name} is true`;
  return `${to} ones only, because ${cause}`;
};

const branchesReached: Condition = (listener, { event, branchKind }) => {
  const reach = reachOf(listener);
  if (!reach || !listener.catalogue.events.get(event)?.onBranch) return "";
  if (branchKind) return reach.kinds.includes(branchKind) ? "" : notNotified;
  if (reach.kinds.length === branchKinds.length) return "";
  return `on ${branchWords(reach.kinds)} only, because ${reach.cause}`;
};

interface Reach {
  readonly kinds: readonly BranchKind[];
  readonly cause: string;
}

/**
 * The branches whose events an integration receives, by the first parameter or its default. Servers set the default
 * whatever a deprecated parameter is; only a server that does not report the first uses the deprecated one.
 */
function reachOf(listener: Listener): Reach | undefined {
  const columns = columnsOf(listener, "branches");
  const deciding = listener.source === "declared" ? columns.slice(0, 1) : columns;
  for (const { name, reach } of deciding) {
    const value = String(settingOf(listener, name) ?? "");
    if (reach[value]) return { kinds: reach[value], cause: `${name} is ${value}` };
  }
  const [first] = columns;
  const byDefault = String(first?.default ?? "");
  const kinds = first?.reach[byDefault];
  return first && kinds && { kinds, cause: `${first.name} is not ${listener.source}, and its default is ${byDefault}` };
}

/** `default and protected branches`. */
export function branchWords(kinds: readonly BranchKind[]): string {
  const words = branchKinds.filter((kind) => kinds.includes(kind));
  return words.join() === "default" ? "the default branch" : `${words.join(" and ")} branches`;
}

const branchNames: Condition = (listener, { event, branch }) => {
  const [column] = columnsOf(listener, "branch-names");
  const names = listOf(column && settingOf(listener, column.name));
  if (!column || names.length === 0 || !listener.catalogue.events.get(event)?.onBranch) return "";
  if (branch === undefined) return `on ${names.join(", ")} only, because ${column.name} says so`;
  return names.includes(branch) ? `${column.name} lists ${branch}` : notNotified;
};

/** Conditions after {@link flagCondition}. */
export const furtherConditions: readonly Condition[] = [switches, limits, branchesReached, branchNames];

function listOf(value: Scalar | undefined): string[] {
  const text = typeof value === "string" ? value : "";
  return text.split(/[,\n]/).flatMap((part) => part.trim() || []);
}

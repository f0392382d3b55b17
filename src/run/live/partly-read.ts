import type { JsonObject as Row } from "../../base/json.ts";
import { knownSecrets } from "../../base/known-secrets.ts";
import { explainCallFailure } from "../../client/explain-failure.ts";
import { CallFailed } from "../../client/failure.ts";
import { addressOf } from "../../model/address.ts";
import { NamesNothing } from "../../model/call.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { identityOf, kindOf, sectionNameOf } from "../../model/kinds.ts";
import type { Desired, DesiredProject, Kind, Live, Problem, Resource, Scalar } from "../../model/types.ts";
import type { Dated } from "../../plan/diff/last-applied.ts";
import type { LookedUpValues } from "./look-up-values.ts";

/** Decides whether a declared resource is assumed to be unchanged, because its `updated_at` is. */
export type Trusts = (project: string) => (one: Dated & { readonly desired: Desired }) => boolean;

/** A part of a project that could not be read: a list or, with a key, one declared resource. */
export interface Unread {
  readonly kind: Kind;
  readonly key?: string;
  readonly failure: CallFailed;
}

export interface PartlyRead {
  readonly live: Live[];
  readonly unread: readonly Unread[];
  readonly lookedUp?: LookedUpValues;
}

export function separateUnread(read: readonly (readonly (Live | Unread)[])[]): PartlyRead {
  const parts = read.flat();
  const isUnread = (each: Live | Unread): each is Unread => "failure" in each;
  return { live: parts.flatMap((each) => (isUnread(each) ? [] : each)), unread: parts.filter(isUnread) };
}

/** An unread part with its failure. @throws the error if it ends the run or is not a failed request. */
export function toUnread(part: Omit<Unread, "failure">, error: unknown): Unread {
  // Servers may list a resource that no request can identify: a problem of its project alone.
  if (error instanceof NamesNothing) {
    const facts = { method: "GET", path: "/projects/:id", url: "of the project", kind: "shape" } as const;
    const what = `was not sent: ${error.message}`;
    return { ...part, failure: new CallFailed({ ...facts, what, sent: false, attempts: 0 }) };
  }
  if (!(error instanceof CallFailed) || error.endsRun) throw error;
  return { ...part, failure: error };
}

/** Drops desired resources in unread parts, so that they are neither changed nor considered absent. */
export function keepReadable(catalogue: Catalogue, desired: DesiredProject, unread: readonly Unread[]): DesiredProject {
  if (unread.length === 0) return desired;
  const lists = new Set(unread.flatMap(({ kind, key }) => (key === undefined ? kind : [])));
  return {
    ...desired,
    kinds: new Set([...desired.kinds].filter((kind) => !lists.has(kind))),
    resources: desired.resources.filter((resource) => !unreadPart(catalogue, unread, resource)),
    exclusive: new Map([...desired.exclusive].filter(([kind]) => !lists.has(kind))),
  };
}

export function unreadPart(
  catalogue: Catalogue,
  unread: readonly Unread[],
  { kind, key }: Pick<Resource, "kind" | "key">,
): Unread | undefined {
  const identity = identityOf(catalogue, { kind, key });
  return unread.find((part) =>
    part.key === undefined
      ? part.kind === kind
      : identityOf(catalogue, { kind: part.kind, key: part.key }) === identity,
  );
}

/** A problem for an unread part, located at the line that declares it. */
export function unreadProblem(
  catalogue: Catalogue,
  { project, resources, exclusive }: DesiredProject,
  part: Unread,
): Problem {
  const declared = resources.find((resource) => unreadPart(catalogue, [part], resource));
  const { kind, key } = part;
  const origin = declared?.origin ?? exclusive.get(kind);
  const whole = kindOf(catalogue, kind).read?.isSingle ? "" : "the list of ";
  const all = `${whole}${sectionNameOf(catalogue, kind)} of ${project.name}`;
  const what = key === undefined ? all : addressOf(project.name, kind, key);
  const message = `${what} could not be read and is left out of the plan: ${explainCallFailure(part.failure)}`;
  const place = origin && { place: origin.place() };
  return { severity: "error", rule: "unreadable", message, ...place, project: project.name };
}

/** True if a live value contains a secret that this process knows. */
export function isSecret(value: Scalar): boolean {
  return typeof value === "string" && knownSecrets.isIn(value);
}

/** The `updated_at` of a row, unless it contains a secret instead of a time. */
export function updatedAtOf({ updated_at: time }: Row): string | undefined {
  return typeof time === "string" && (plainTime.test(time) || !isSecret(time)) ? time : undefined;
}

/** Skips the search for secrets in plain times: it would be slow, because most rows have different ones. */
const plainTime = /^\d{4}-\d\d-\d\dT[\d:.]{1,20}(?:Z|[+-][\d:]{4,5})$/;

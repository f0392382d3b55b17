import { explainCallFailure } from "../../client/explain-failure.ts";
import { CallFailed } from "../../client/failure.ts";
import { addressOf } from "../../model/address.ts";
import { NamesNothing } from "../../model/call.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { identityOf, kindOf, sectionNameOf } from "../../model/kinds.ts";
import type { Desired, DesiredProject, Kind, Live, Problem, Resource } from "../../model/types.ts";
import type { Dated } from "../../plan/diff/last-applied.ts";
import type { LookedUpValues } from "./look-up-values.ts";

/** Tells which declared resources of a project may be taken to be as declared, since their `updated_at` stands still. */
export type Trusts = (project: string) => (one: ListedDesired) => boolean;

/** A declared resource, and the `updated_at` of its row in a list. */
type ListedDesired = Dated & { readonly desired: Desired };

/** A list of a project that could not be read or, with a key, one declared resource of it. */
export interface Unread {
  readonly kind: Kind;
  readonly key?: string;
  readonly failure: CallFailed;
}

/** What could be read of a project, and what could not. */
export interface PartlyRead {
  readonly live: Live[];
  readonly unread: readonly Unread[];
  /** What look-ups gave for declared values; omitted if there are none. */
  readonly lookedUp?: LookedUpValues;
}

/** All of them, once those that are still read are; most lists of a fleet hold none of these. */
export async function settled<Part>(parts: readonly (Part | Promise<Part>)[]): Promise<readonly Part[]> {
  const isPart = (part: Part | Promise<Part>): part is Part => !(part instanceof Promise);
  return parts.every(isPart) ? parts : Promise.all(parts);
}

/** What could be read apart from what could not. */
export function parted(read: readonly (readonly (Live | Unread)[])[]): PartlyRead {
  const live: Live[] = [];
  const unread: Unread[] = [];
  for (const part of read) {
    for (const each of part) {
      if (isUnread(each)) unread.push(each);
      else live.push(each);
    }
  }
  return { live, unread };
}

function isUnread(each: Live | Unread): each is Unread {
  return "failure" in each;
}

/** A part that could not be read. @throws the error, where it ends the run or is none of a request. */
export function unreadOf(part: Omit<Unread, "failure">, error: unknown): Unread {
  if (error instanceof NamesNothing) return { ...part, failure: unnamed(error) };
  if (!(error instanceof CallFailed) || error.endsRun) throw error;
  return { ...part, failure: error };
}

/** A server may list anything: what no request can name is a problem of its project alone. */
function unnamed({ message }: NamesNothing): CallFailed {
  const where = { method: "GET", path: "/projects", url: "of the project" } as const;
  return new CallFailed({ ...where, kind: "shape", what: `was not sent: ${message}`, sent: false, attempts: 0 });
}

/** What nothing can be concluded about is left out, so that it is neither changed nor taken for absent. */
export function readableOf(catalogue: Catalogue, desired: DesiredProject, unread: readonly Unread[]): DesiredProject {
  if (unread.length === 0) return desired;
  const lists = new Set(unread.flatMap(({ kind, key }) => (key === undefined ? kind : [])));
  return {
    ...desired,
    kinds: new Set([...desired.kinds].filter((kind) => !lists.has(kind))),
    resources: desired.resources.filter((resource) => !unreadPart(catalogue, unread, resource)),
    exclusive: new Map([...desired.exclusive].filter(([kind]) => !lists.has(kind))),
  };
}

/** What kept a resource from being read, if anything did. */
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

/** A part of a project that is not planned, at the line that declares it. */
export function unreadProblem(
  catalogue: Catalogue,
  { project, resources, exclusive }: DesiredProject,
  part: Unread,
): Problem {
  const declared = resources.find((resource) => unreadPart(catalogue, [part], resource));
  const origin = declared?.origin ?? exclusive.get(part.kind);
  const message = `${nameOf(catalogue, project.name, part)} could not be read and is left out of the plan: ${explainCallFailure(part.failure)}`;
  const place = origin && { place: origin.place() };
  return { severity: "error", rule: "unreadable", message, ...place, project: project.name };
}

function nameOf(catalogue: Catalogue, project: string, { kind, key }: Unread): string {
  if (key !== undefined) return addressOf(project, kind, key);
  const whole = kindOf(catalogue, kind).read?.isSingle ? "" : "the list of ";
  return `${whole}${sectionNameOf(catalogue, kind)} of ${project}`;
}

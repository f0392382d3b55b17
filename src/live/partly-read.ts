import { CallFailed } from "../client/failure.ts";
import type { Dated } from "../diff/last-applied.ts";
import { NamesNothing } from "../model/call.ts";
import type { Desired, Kind, Live } from "../model/types.ts";
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

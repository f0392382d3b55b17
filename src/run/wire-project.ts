import { CallFailed, type FailureFacts } from "../client/failure.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { identityOf } from "../model/kinds.ts";
import type { Change, DesiredProject, Origin } from "../model/types.ts";
import type { Difference } from "../plan/diff/diff.ts";
import type { Unread } from "./live/partly-read.ts";
import type { RefreshedProject } from "./live/refresh-scope.ts";

/** A refreshed project as JSON: without secrets, and without lines of manifests, which the run knows itself. */
export interface WireProject extends Pick<RefreshedProject, "problems" | "missing"> {
  readonly difference?: Omit<Difference, "changes"> & { readonly changes: readonly Omit<Change, "origin">[] };
  readonly unread?: readonly (Omit<Unread, "failure"> & { readonly failure: FailureFacts })[];
  readonly failure?: FailureFacts;
}

/** Converts what a worker found to its wire format. */
export function wireProject({ difference, unread, failure, ...rest }: RefreshedProject): WireProject {
  return {
    ...rest,
    ...(difference && { difference: { ...difference, changes: difference.changes.map(withoutOrigin) } }),
    ...(unread && { unread: unread.map(({ failure, ...part }) => ({ ...part, failure: failure.facts })) }),
    ...(failure && { failure: failure.facts }),
  };
}

function withoutOrigin({ origin: _, ...change }: Change): Omit<Change, "origin"> {
  return change;
}

/** What a worker found, with the lines of the manifests of this process. */
export function refreshedProject(
  { difference, unread, failure, ...rest }: WireProject,
  catalogue: Catalogue,
  desired: () => DesiredProject,
): RefreshedProject {
  return {
    ...rest,
    ...(difference && {
      difference: { ...difference, changes: withOrigins(difference.changes, catalogue, desired) },
    }),
    ...(unread && { unread: unread.map(({ failure, ...part }) => ({ ...part, failure: new CallFailed(failure) })) }),
    ...(failure && { failure: new CallFailed(failure) }),
  };
}

function withOrigins(
  changes: readonly Omit<Change, "origin">[],
  catalogue: Catalogue,
  desired: () => DesiredProject,
): readonly Change[] {
  if (changes.length === 0) return [];
  const { resources, exclusive } = desired();
  const origins = new Map(resources.map((each) => [identityOf(catalogue, each), each.origin]));
  return changes.map((change) => {
    const origin: Origin | undefined = origins.get(identityOf(catalogue, change)) ?? exclusive.get(change.kind);
    if (!origin) throw new RangeError(`no policy declares ${change.address}`);
    return { ...change, origin };
  });
}

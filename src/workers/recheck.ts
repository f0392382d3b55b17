import { subjectsOf } from "../apply/verify-write.ts";
import type { Reader } from "../client/client.ts";
import { explained } from "../client/explain-failure.ts";
import { CallFailed } from "../client/failure.ts";
import { liveDigestOf } from "../diff/changes.ts";
import type { PartlyRead } from "../live/partly-read.ts";
import { unreadPart } from "../live/partly-read.ts";
import { readReadable } from "../live/read-live.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { fieldOf, identityOf } from "../model/kinds.ts";
import type { Change, Live, Outcome } from "../model/types.ts";
import { liveValuesChanged, staleOutcome } from "../plan/contradictions.ts";

/** Why a change must not be sent; undefined if its resource has not changed on the server since the plan. */
export type Recheck = (reader: Reader, change: Change) => Promise<Outcome | undefined>;

/** Reads each project once, immediately before its first write. */
export function recheckOf(changes: readonly Change[]): Recheck {
  const read = new Map<string, Promise<PartlyRead>>();
  return async (reader, change) => {
    const { project } = change;
    const reading =
      read.get(project) ??
      readReadable(
        reader,
        subjectsOf(
          reader.catalogue,
          project,
          changes.filter((each) => each.project === project),
        ),
      );
    read.set(project, reading);
    const found = await reading.catch(failureOf);
    if (found instanceof CallFailed) return unreadable(found);
    const part = unreadPart(reader.catalogue, found.unread, change);
    if (part) return unreadable(part.failure);
    const identity = identityOf(reader.catalogue, change);
    const now = found.live.find(
      (each) => identityOf(reader.catalogue, each) === identity && (!change.live || each.id === change.live.id),
    );
    const moved = changeSince(reader.catalogue, change, now);
    return moved === undefined ? undefined : staleOutcome(moved);
  };
}

function failureOf(error: unknown): CallFailed {
  if (error instanceof CallFailed) return error;
  throw error;
}

function unreadable(failure: CallFailed): Outcome {
  if (failure.kind === "aborted") return { status: "skipped", error: "the run was stopped" };
  return { status: "failed", error: explained(failure) };
}

function changeSince(catalogue: Catalogue, change: Change, found: Live | undefined): string | undefined {
  if (!change.live) {
    const isThere = found && (found.active || fieldOf(catalogue, found, "active"));
    return isThere ? "it is on the server since the plan was made" : undefined;
  }
  const { liveDigest: digest, live } = change;
  const now = { digest: found && liveDigestOf(catalogue, found), live: found };
  return liveValuesChanged({ digest, updatedAt: live.updatedAt }, now);
}

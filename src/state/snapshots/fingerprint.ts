import { createHash } from "node:crypto";
import { memoized } from "../../base/memoize.ts";
import type { Desired } from "../../model/types.ts";
import type { Locate } from "./entries.ts";
import type { ProjectObservation } from "./observation.ts";

/** Fingerprints observations: equal ones have equal fingerprints, so that unchanged projects can be skipped. */
export function fingerprints(locate: Locate): (observed: ProjectObservation) => string {
  const ofEntry = memoized((desired: Desired) => {
    const { kind, key, presence, fields, origin } = desired;
    const location = locate(desired);
    const { policy, file, until, reason } = origin;
    return hash(JSON.stringify([kind, key, presence, fields, policy, file, location, until, reason]));
  });
  return ({ project, desired = [], changes, unverified, unmanaged, problems }) => {
    const differences = changes?.map(({ address, action, reason, before, after }) => [
      address,
      action,
      reason,
      before,
      after,
    ]);
    const rest = JSON.stringify([project.name, project.id, differences, unverified, unmanaged, problems]);
    return combined([rest, ...desired.map(ofEntry)]);
  };
}

/** One fingerprint of several, in their order. */
export function combined(fingerprints: readonly string[]): string {
  return hash(fingerprints.join("\n"));
}

/** 96 bits are enough to detect changes; no secret depends on it. */
function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}

import { hash as digestOf } from "node:crypto";
import { memoized } from "../../base/memoize.ts";
import type { Desired } from "../../model/types.ts";
import type { Locate, ProjectObservation } from "./observation.ts";

/** Fingerprints what is wanted of projects. Projects that share an entry share its fingerprint. */
export function desiredFingerprints(locate: Locate): (desired: readonly Desired[]) => string {
  const ofEntry = memoized((desired: Desired) => {
    const { kind, key, presence, fields, origin } = desired;
    const location = locate(desired);
    const { policy, file, until, reason } = origin;
    return hash(JSON.stringify([kind, key, presence, fields, policy, file, location, until, reason]));
  }, new WeakMap());
  return (desired) => combined(desired.map(ofEntry));
}

/** The fingerprint of an observation: equal ones have equal fingerprints, so that unchanged projects can be skipped. */
export function fingerprintOf(observed: ProjectObservation): string {
  const { project, desired, changes, unverified, inherited, unmanaged, problems } = observed;
  const differences = changes?.map(({ address, action, reason, before, after }) => [
    address,
    action,
    reason,
    before,
    after,
  ]);
  const seen = [
    project.name,
    project.id,
    differences,
    unverified,
    unmanaged,
    problems,
    ...(inherited ? [inherited] : []),
  ];
  return hash(JSON.stringify([desired?.fingerprint, ...seen]));
}

/** One fingerprint of several, in their order. */
export function combined(fingerprints: readonly string[]): string {
  return hash(fingerprints.join("\n"));
}

/** 96 bits are enough to detect changes; no secret depends on it. */
function hash(text: string): string {
  return digestOf("sha256", text, "buffer").toString("base64url", 0, 12);
}

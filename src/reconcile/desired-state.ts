import type { DesiredFleet } from "../manifest/desired-fleet.ts";
import type { DesiredProject } from "../model/types.ts";
import { locator } from "../state/snapshots/entries.ts";
import { desiredFingerprints } from "../state/snapshots/fingerprint.ts";
import type { Locate } from "../state/snapshots/observation.ts";

/** The desired state of a run's projects, for the state to keep. */
export interface DesiredState {
  readonly fleet: DesiredFleet;
  /** Of the desired state of each project, by its index in the fleet. */
  readonly fingerprints: readonly string[];
  readonly locate: Locate;
}

/** Records the desired state of a run as its projects are selected. */
export function recordDesiredState() {
  const fingerprints: string[] = [];
  const locate = locator();
  const fingerprintOf = desiredFingerprints(locate);
  return {
    add: ({ resources }: DesiredProject) => {
      fingerprints.push(fingerprintOf(resources));
    },
    of: (fleet: DesiredFleet): DesiredState => ({ fleet, fingerprints, locate }),
  };
}

import type { DesiredFleet } from "../manifest/desired-fleet.ts";
import type { DesiredProject } from "../model/types.ts";
import { locator } from "../state/snapshots/entries.ts";
import { desiredFingerprints } from "../state/snapshots/fingerprint.ts";
import type { Locate } from "../state/snapshots/observation.ts";

/** What a run wanted of its projects, for the state to keep. */
export interface Survey {
  readonly fleet: DesiredFleet;
  /** Of what is wanted of each project, by its place in the fleet. */
  readonly fingerprints: readonly string[];
  readonly locate: Locate;
}

/** Takes the survey of a run as its projects are selected. */
export function startSurvey() {
  const fingerprints: string[] = [];
  const locate = locator();
  const fingerprintOf = desiredFingerprints(locate);
  return {
    add: ({ resources }: DesiredProject) => {
      fingerprints.push(fingerprintOf(resources));
    },
    of: (fleet: DesiredFleet): Survey => ({ fleet, fingerprints, locate }),
  };
}

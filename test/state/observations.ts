import type { Change } from "../../src/model/types.ts";
import type { ProjectObservation, RunObservation } from "../../src/state/snapshots/observed.ts";
import { parseShard, shardNames } from "../../src/state/snapshots/read-snapshots.ts";
import type { ProjectSnapshot } from "../../src/state/snapshots/snapshot.ts";
import type { Readable } from "../../src/state/state.ts";

const origin = {
  place: () => ({ file: "policies/all.yaml", line: 7, column: 3 }),
  policy: "all",
  file: "policies/all.yaml",
};
const fields = { approval_status: "denied" };

export function look(
  run: string,
  projects: readonly ProjectObservation[],
  more: Partial<RunObservation> = {},
): RunObservation {
  const head = { run, at: "2026-11-21T08:00:00.000Z", commit: "c0ffee", server: "https://code.example.com" };
  return {
    ...head,
    exceptions: [],
    whole: true,
    hasLedger: false,
    covers: () => true,
    cause: "pending",
    projects: projects.map(({ project }) => project),
    observe: (index) => projects[index] as ProjectObservation,
    locate: ({ origin }) => origin.place(),
    ...more,
  };
}

/** A project with two licenses, as it was read. */
export function looked(name: string, changes: readonly Change[] | undefined = []): ProjectObservation {
  const desired = ["MIT", "ISC"].map(
    (key) => ({ kind: "license", key, identity: key, fields, presence: "present", origin }) as const,
  );
  return {
    project: { name },
    desired: () => desired,
    changes,
    includes: () => true,
    unverified: {},
    unmanaged: 0,
    problems: [],
  };
}

/** One of its licenses that is allowed. */
export function differing(name: string, rest = "license/MIT"): Change {
  const [, key = ""] = rest.split("/");
  return {
    address: `${name}:${rest}`,
    project: name,
    kind: "license",
    key,
    action: "update",
    before: { approval_status: "allowed" },
    after: fields,
    declared: fields,
    live: undefined,
    liveDigest: undefined,
    reason: "field differs",
    cause: "drift",
    origin,
  };
}

export async function allSnapshots({ get }: Readable): Promise<readonly ProjectSnapshot[]> {
  return [...(await get("snapshots", shardNames)).values()].flatMap(parseShard);
}

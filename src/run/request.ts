import type { ClientOptions } from "../client/client.ts";
import type { DesiredFleet } from "../manifest/desired-fleet.ts";
import type { Wave } from "../manifest/waves.ts";
import type { Loaded } from "../manifest/workspace.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { Call } from "../model/types.ts";
import type { Difference } from "../plan/diff/diff.ts";
import type { Objection, Waivers } from "../plan/guards.ts";
import type { Plan } from "../plan/plan.ts";
import type { Holder } from "../state/lease.ts";
import type { RunProgress } from "../state/run-summary.ts";
import type { ApplyRecord, Outcomes, Watcher } from "./apply/apply.ts";
import type { PlanWave } from "./apply/waves.ts";

/** The options of a run. Everything but `folder` and `env` is optional. */
export interface Request {
  /** The folder from which `evenkeel.yaml` is searched upward. */
  readonly folder: string;
  /** Contains the token, the secrets and EVENKEEL_URL. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The workspace, if it is not read from `folder`. */
  readonly loaded?: Loaded;
  /** The day (UTC), such as 2027-06-30, on which policies may have expired; default: today. */
  readonly today?: string;
  /** Globs over addresses; default: everything. */
  readonly targets?: readonly string[];
  /** Globs over addresses that are left out. */
  readonly excludes?: readonly string[];
  /** True if a project is in this run's shard; default: all are. */
  readonly shard?: (project: string) => boolean;
  /** Maximum number of requests in flight; default: that of the workspace. */
  readonly concurrency?: number;
  /** Once aborted, no request is started, and a write in flight is finished. */
  readonly signal?: AbortSignal;
  /** Called before the run takes its lease or connects; from then on, `signal` stops it. */
  readonly connecting?: () => void;
  /** Limits the run to these changes of an earlier run. */
  readonly only?: ChosenChanges;
  /** Globs over addresses to write even if nothing differs. */
  readonly resend?: readonly string[];
  readonly waivers?: Waivers;
  /** Objects to changes that loosen a policy; there is no waiver. */
  readonly failOnLoosening?: boolean;
  /** The name of `shard`, such as `1/8`: stored in the plan, for merging. */
  readonly part?: string;
  /** The waves of an apply; default: those of the workspace. */
  readonly waves?: readonly Wave[];
  /** The command that continues an apply that ended between two waves, for its message. */
  readonly again?: string;
  /** Reads each project again right before its writes: for runs with a pause between plan and writes. */
  readonly recheck?: boolean;
  /** Path of a saved plan to apply instead of a new one. */
  readonly saved?: string;
  /** A commit: limits the run to projects whose desired state has changed since. */
  readonly since?: string;
  /** A run whose stored plan is applied instead of a new one. */
  readonly savedRun?: string;
  /** The command, for the run's stored summary; default: nothing about the run is stored. */
  readonly command?: "plan" | "drift" | "watch" | "apply";
  /** True if the plan outlives the run, so that it has to contain the ID of each project that changes. */
  readonly outlives?: boolean;
  /** Stores the plan itself in the state. */
  readonly save?: boolean;
  /** Milliseconds to wait for another apply; default: 0. */
  readonly lockTimeout?: number;
  /** Called for each run that this run waits for. */
  readonly waiting?: (holder: Holder) => void;
  /** Called with sentences for the user while the run goes on. */
  readonly warn?: (sentence: string) => void;
  /** Called every second with the progress of a run with workers. */
  readonly following?: (progress: RunProgress) => void;
  /** Reads the authors of drift from the server. */
  readonly authors?: boolean;
  /** Called with the expiry date of the token; null if there is none, or it is unknown. */
  readonly tokenExpires?: (day: string | null) => void;
  /** Called as projects are read. */
  readonly progress?: (done: number, total: number) => void;
  /** Plans storage migrations too. */
  readonly storage?: boolean;
  /** Called as repositories move. */
  readonly moving?: (progress: MovingProgress) => void;
  /** Distributes reads and writes to the workers of a shared state. */
  readonly workers?: boolean;
  /** Called with the stderr of secret providers. */
  readonly debug?: (text: string) => void;
  /** Milliseconds between two checks of moving repositories; default: one second at first, then longer. */
  readonly pollInterval?: number;
  /**
   * Pauses between attempts, and time limits for verifying a lost write and for an unresponsive server; default: as in
   * {@link ClientOptions}.
   */
  readonly patience?: Pick<ClientOptions, "backoff" | "lookUpFor" | "giveUpAfter">;
}

/** Progress of all moves of a run. */
export interface MovingProgress {
  readonly done: number;
  readonly total: number;
  /** Estimated milliseconds for the rest; undefined before anything has moved. */
  readonly remaining: number | undefined;
}

/** A selection of the changes of an earlier run. */
export interface ChosenChanges {
  readonly addresses: ReadonlySet<string>;
  /** Their projects, if nothing else has to be read to check them. */
  readonly projects?: readonly string[];
}

/** A plan, and the context that reports and an apply need beyond the document. */
export interface Planned {
  readonly plan: Plan;
  /** The catalogue of the workspace, with its own kinds. */
  readonly catalogue: Catalogue;
  readonly differences: readonly Difference[];
  /** The desired state of the selected projects; only of a new plan. */
  readonly desired?: DesiredFleet;
  /** The waves of an apply, planned or finished; undefined without any. */
  readonly waves?: readonly PlanWave[];
  /** False if manifests or the server prevented the comparison, so that the plan says nothing about the state. */
  readonly compared: boolean;
  /** Secrets that an apply needs and that cannot be resolved here, each with the reason. */
  readonly missing: readonly string[];
  /** True if a saved plan was refused as a whole because manifests changed. */
  readonly stale?: boolean;
  /** The run under which the plan is stored, if requested. */
  readonly savedAs?: string;
  /** The run whose summary was stored, and why its observations could not be; or why no summary could be stored. */
  readonly recorded?: { readonly run: string; readonly unseen?: string } | { readonly error: string };
}

/** A plan that was applied as far as possible; without outcomes if nothing was attempted. */
export interface Applied extends Planned {
  readonly outcomes?: Outcomes;
  /** Objections that the waivers do not cover: nothing was written. */
  readonly refused?: readonly Objection[];
}

/** A plan and the requests that would apply it; outcomes only if a target of a saved plan is stale. */
export interface Rehearsed extends Applied {
  readonly requests?: readonly Call[];
}

/** Approves the finished plan, and watches its writes. */
export interface ApplyHooks {
  readonly approve: (planned: Planned) => Promise<boolean>;
  readonly watchers: readonly Watcher[];
  /** Records the writes in another system, if there are any; see `deploying`. */
  readonly around?: ApplyWrapper;
}

/** Starts a record before the first write. `connection` is for the server; its signal stops the run. */
export type ApplyWrapper = (context: {
  readonly connection: ClientOptions;
  readonly planned: Planned;
}) => Promise<ApplyRecord>;

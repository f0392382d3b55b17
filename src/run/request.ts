import type { ClientOptions } from "../client/client.ts";
import type { DesiredFleet } from "../manifest/desired-fleet.ts";
import type { Wave } from "../manifest/waves.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { Call } from "../model/types.ts";
import type { Difference } from "../plan/diff/diff.ts";
import type { Objection, Waivers } from "../plan/guards.ts";
import type { Plan } from "../plan/plan.ts";
import type { Holder } from "../state/lease-store.ts";
import type { RunProgress, WorkersStatus } from "../state/run-progress.ts";
import type { ApplyRecord, Outcomes, Watcher } from "./apply/apply.ts";
import type { PlanWave } from "./apply/waves.ts";
import type { MovingProgress } from "./storage/follow-moves.ts";
import type { Move } from "./storage/moves.ts";

/** What a person asked for. Everything but `folder` and `env` is optional. */
export interface Request {
  /** Where to look for `evenkeel.yaml`, and upward from there. */
  readonly folder: string;
  /** Holds the token, the secrets and EVENKEEL_URL. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The day, such as 2027-06-30, in UTC, that decides what has expired; where it is left out, that of the clock. */
  readonly today?: string;
  /** Globs over addresses; none: everything. */
  readonly targets?: readonly string[];
  /** Whether a project is in this run's part of the fleet; left out: it is. */
  readonly shard?: (project: string) => boolean;
  /** Requests in flight at most; the workspace's own number where it is left out. */
  readonly concurrency?: number;
  /** Aborted: no request is begun any more, and a write in flight is finished. */
  readonly signal?: AbortSignal;
  /** Called before the run takes its lock or opens a connection: from then on its `signal` is what stops it. */
  readonly connecting?: () => void;
  /** Only these changes, of all that a run before this one found. */
  readonly only?: ChosenChanges;
  /** Globs over addresses to write whatever the comparison says. */
  readonly resend?: readonly string[];
  readonly waivers?: Waivers;
  /** Object to what makes a policy laxer; no one can waive that. */
  readonly failOnLoosening?: boolean;
  /** What part of the fleet `shard` is, such as `1/8`: the plan says so, and merging knows what it was given. */
  readonly part?: string;
  /** How an apply goes through the projects that change; left out: as the workspace says. */
  readonly waves?: readonly Wave[];
  /** The command line that goes on with an apply that ended between two waves, for its message. */
  readonly again?: string;
  /** Read each project again right before its writes: for a run that lets time pass between plan and writes. */
  readonly recheck?: boolean;
  /** Path of a plan that `plan --out` saved, to be applied instead of a new one. */
  readonly saved?: string;
  /** A commit: only projects whose desired state differs from there. */
  readonly since?: string;
  /** The run whose plan the state keeps, to be applied instead of a new one. */
  readonly savedRun?: string;
  /** The command that the state keeps a summary of; left out: it keeps none. */
  readonly command?: "plan" | "drift" | "watch" | "apply";
  /** Whether the plan is kept beyond the run, so that it has to say the ID of each project that changes. */
  readonly outlives?: boolean;
  /** Whether the state keeps the plan itself. */
  readonly save?: boolean;
  /** Milliseconds to wait for another apply; left out: none. */
  readonly lockTimeout?: number;
  /** Told of each run that is waited for. */
  readonly waiting?: (holder: Holder) => void;
  /** Told in a sentence what a person should know while the run goes on. */
  readonly warn?: (sentence: string) => void;
  /** Told every second how far a run with workers is. */
  readonly following?: (progress: RunProgress) => void;
  /** Told as projects are read. */
  readonly progress?: (done: number, total: number) => void;
  /** Whether storage migrations are planned too. */
  readonly storage?: boolean;
  /** Told as repositories move. */
  readonly moving?: (progress: MovingProgress) => void;
  /** Whether projects are read and written by the workers of a shared state. */
  readonly workers?: boolean;
  /** Told what secret providers print on stderr; left out: no one is. */
  readonly debug?: (text: string) => void;
  /** Milliseconds between two looks at moving repositories; left out: a second at first, longer with time. */
  readonly pollInterval?: number;
  /**
   * Pauses between attempts, how long a write without an answer is looked up, and how long a server may answer nothing;
   * left out: as {@link ClientOptions} says.
   */
  readonly patience?: Pick<ClientOptions, "backoff" | "lookUpFor" | "giveUpAfter">;
}

/** Some of the changes that an earlier run found. */
export interface ChosenChanges {
  readonly addresses: ReadonlySet<string>;
  /** Their projects, where nothing else has to be read to check them. */
  readonly projects?: readonly string[];
}

/** A plan, with what an apply needs beyond the document. */
export interface Planned {
  readonly plan: Plan;
  /** That of the workspace, with its own kinds. */
  readonly catalogue: Catalogue;
  readonly differences: readonly Difference[];
  /** The desired state of the projects that were to be read; only of a new plan. */
  readonly desired?: DesiredFleet;
  /** What storage migrations are to move; only where a new plan was asked for them. */
  readonly moves?: readonly Move[];
  /** The waves of an apply, before it and after it; left out where it has none. */
  readonly waves?: readonly PlanWave[];
  /** False where manifests or the server kept anything from being compared: the plan then says nothing of the state. */
  readonly compared: boolean;
  /** Secrets that an apply would need and that cannot be resolved here, each with the reason. */
  readonly missing: readonly string[];
  /** Whether a saved plan was refused whole since manifests changed. */
  readonly stale?: boolean;
  /** The run by which the state keeps the plan, where that was asked for. */
  readonly savedAs?: string;
  /** What was seen of the workers; left out where the run had none. */
  readonly fleet?: WorkersStatus;
  /**
   * The run, where the state keeps a summary of it, and why what it saw of the fleet could not be kept; or why no
   * summary could be.
   */
  readonly recorded?: { readonly run: string; readonly unseen?: string } | { readonly error: string };
}

/** A plan and the requests that would carry it out; outcomes only where a saved plan's target is stale. */
export interface Rehearsed extends Planned {
  readonly requests?: readonly Call[];
  readonly outcomes?: Outcomes;
  /** What the guards would object to in spite of the waivers. */
  readonly refused?: readonly Objection[];
}

/** A plan that was applied as far as possible; or was not, and then it has no outcomes. */
export interface Applied extends Planned {
  readonly outcomes?: Outcomes;
  /** What the guards object to in spite of the waivers: then nothing was written. */
  readonly refused?: readonly Objection[];
}

/** Decides, once the plan stands, whether to go on; and listens while it is applied. */
export interface ApplyHooks {
  readonly approve: (planned: Planned) => Promise<boolean>;
  readonly watchers: readonly Watcher[];
  /** Keeps a record of its own around the writes, where there are any; `deploying` makes one. */
  readonly around?: ApplyWrapper;
}

/** Begins a record before the first write. `connection` is how to reach the server; its signal stops the run. */
export type ApplyWrapper = (context: {
  readonly connection: ClientOptions;
  readonly planned: Planned;
}) => Promise<ApplyRecord>;

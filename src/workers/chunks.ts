import type { ChangeEvent, Step } from "../apply/apply.ts";
import { UserError } from "../base/exit.ts";
import type { Rate } from "../base/rate.ts";
import { CallFailed, type FailureFacts } from "../client/failure.ts";
import type { PartlyRead } from "../live/partly-read.ts";
import type { ResourceKind } from "../model/resource-kind.ts";
import type { Change, Desired, DesiredProject, Kind, Live, Origin, Project } from "../model/types.ts";
import type { LeaseToken } from "../state/lease-store.ts";
import type { SealedBySenders } from "../state/worker-store.ts";

/** A chunk of a run as it is sent to a worker. It contains references to secrets, never their values. */
export interface Work {
  readonly version: string;
  /** When it was handed out (ISO 8601): what is older than a day may be a copy, and is not processed. */
  readonly made: string;
  readonly workspace: string;
  readonly run: string;
  /** Its name in the run. */
  readonly part: string;
  readonly requestTimeout: number;
  readonly allowInsecure: boolean;
  /** Dialect of the server. */
  readonly dialect?: string | undefined;
  /** Kinds of resources that the manifests of the run describe. */
  readonly kinds?: readonly ResourceKind[] | undefined;
  /** Shared by all processes that use the same token. */
  readonly rateLimit?: Rate | undefined;
  readonly chunk: Chunk;
}

/** Projects to read, or changes to apply. */
export type Chunk = ReadChunk | WriteChunk;

export interface ReadChunk {
  readonly kind: "read";
  /** Desired states; projects that the same layers match share one. */
  readonly wants: readonly DesiredPart[];
  readonly projects: readonly ChunkProject[];
  /** Public key of the run, to which the key of the marks of secrets is encrypted. */
  readonly sealFor: string;
}

/** Desired resources without their source lines. */
interface DesiredPart {
  readonly kinds: readonly Kind[];
  readonly exclusive: readonly Kind[];
  readonly resources: readonly Omit<Desired, "origin">[];
}

interface ChunkProject {
  readonly project: Project;
  /** Index into `wants`. */
  readonly want: number;
  /** The `updated_at` at which a resource counts as unchanged, by the index of the resource. */
  readonly still?: Readonly<Record<number, string>>;
}

export interface WriteChunk {
  readonly kind: "write";
  readonly token: LeaseToken;
  /** Whether to skip changes of resources that have changed on the server since the plan. */
  readonly recheck: boolean;
  /** Addresses that an interrupted run left in flight. */
  readonly inFlight: readonly string[];
  readonly batches: readonly (readonly WireStep[])[];
  /** Public key of the run, to which digests of secrets are encrypted. */
  readonly sealFor: string;
}

type WireStep = { readonly change: Omit<Change, "origin"> } | Extract<Step, { readonly outcome: unknown }>;

/** The result of a chunk, or the error that ends the run. */
export type ChunkResult = ReadResult | WriteResult | EndOfRun;

type EndOfRun = { readonly failure: FailureFacts } | { readonly refused: string };

/** @throws CallFailed or UserError if the result of a chunk ends the run. */
export function throwIfEnded(result: ChunkResult): asserts result is Exclude<ChunkResult, EndOfRun> {
  if ("failure" in result) throw new CallFailed(result.failure);
  if ("refused" in result) throw new UserError(result.refused);
}

export interface ReadResult {
  readonly reads: number;
  readonly projects: readonly WireRead[];
  /** The encrypted key of the marks of secrets that the server returned (`secretMark`), if it returned any. */
  readonly markKey?: string;
}

interface WireRead extends Pick<PartlyRead, "lookedUp"> {
  readonly live: readonly Live[];
  readonly unread: readonly { readonly kind: Kind; readonly key?: string; readonly failure: FailureFacts }[];
}

export interface WriteResult {
  /** One per step, in order. Only failures that end the run are included. */
  readonly events: readonly WireEvent[];
}

type WireEvent = Pick<ChangeEvent, "address" | "outcome" | "seen"> &
  Partial<SealedBySenders> & { readonly ended?: FailureFacts };

/** A chunk that reads these projects. `stillAt` returns the `updated_at` at which a resource counts as unchanged. */
export function readChunk(
  desired: readonly DesiredProject[],
  stillAt: ((project: string, desired: Desired) => string | undefined) | undefined,
  sealFor: string,
): ReadChunk {
  const known = new Map<readonly Desired[], number>();
  const wants: DesiredPart[] = [];
  const projects = desired.map(({ project, resources, ...rest }): ChunkProject => {
    const want = known.get(resources) ?? wants.push(desiredPartOf(rest, resources)) - 1;
    known.set(resources, want);
    const still = Object.fromEntries(
      resources.flatMap((each, index) => {
        const at = stillAt?.(project.name, each);
        return at === undefined ? [] : [[index, at]];
      }),
    );
    return { project, want, ...(Object.keys(still).length > 0 && { still }) };
  });
  return { kind: "read", wants, projects, sealFor };
}

function desiredPartOf(
  { kinds, exclusive }: Pick<DesiredProject, "kinds" | "exclusive">,
  resources: readonly Desired[],
): DesiredPart {
  return {
    kinds: [...kinds],
    exclusive: [...exclusive.keys()],
    resources: resources.map(({ origin: _, ...rest }) => rest),
  };
}

/** A project of a chunk, with the `updated_at` at which a resource counts as unchanged. */
export interface ProjectToRead {
  readonly desired: DesiredProject;
  readonly stillAt: (desired: Desired) => string | undefined;
}

/** The projects of a chunk, in order. */
export function projectsToRead({ wants, projects }: ReadChunk): ProjectToRead[] {
  const shared = wants.map(({ kinds, resources, exclusive }) => ({
    kinds: new Set(kinds),
    resources: resources.map((resource): Desired => ({ ...resource, origin: noOrigin })),
    exclusive: new Map(exclusive.map((kind) => [kind, noOrigin])),
  }));
  return projects.flatMap(({ project, want, still = {} }) => {
    const wanted = shared[want];
    if (!wanted) return [];
    return { desired: { ...wanted, project }, stillAt: (one) => still[wanted.resources.indexOf(one)] };
  });
}

/** Only the dispatching process knows the source lines. */
const noOrigin: Origin = { place: () => ({ file: "", line: 1, column: 1 }) };

/** Converts what was read of a project to its wire format. */
export function wireRead({ live, unread, ...rest }: PartlyRead): WireRead {
  return { ...rest, live, unread: unread.map(({ failure, ...part }) => ({ ...part, failure: failure.facts })) };
}

export function partlyRead({ live, unread, ...rest }: WireRead): PartlyRead {
  return {
    ...rest,
    live: [...live],
    unread: unread.map(({ failure, ...part }) => ({ ...part, failure: new CallFailed(failure) })),
  };
}

/** A chunk of writes under the lease of a run; each batch is one project. */
export function writeChunk(
  { token, recheck, inFlight, sealFor }: Pick<WriteChunk, "token" | "recheck" | "inFlight" | "sealFor">,
  batches: readonly (readonly Step[])[],
): WriteChunk {
  const own = new Set(batches.flat().map((step) => ("change" in step ? step.change.address : step.address)));
  const left = inFlight.filter((address) => own.has(address));
  return {
    kind: "write",
    token,
    recheck,
    inFlight: left,
    sealFor,
    batches: batches.map((steps) => steps.map(wireStep)),
  };
}

function wireStep(step: Step): WireStep {
  if (!("change" in step)) return step;
  const { origin: _, ...change } = step.change;
  return { change };
}

/** The steps of a chunk by project. */
export function batchesIn({ batches }: WriteChunk): Step[][] {
  return batches.map((steps) =>
    steps.map((step) => ("change" in step ? { change: { ...step.change, origin: noOrigin } } : step)),
  );
}

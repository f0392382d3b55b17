import {
  type ApplyOptions,
  type Batch,
  type ChangeEvent,
  type Outcomes,
  outcomesOf,
  type Step,
  type Watcher,
} from "../apply/apply.ts";
import { announce } from "../apply/watcher.ts";
import { inParallel } from "../base/concurrency.ts";
import { UserError } from "../base/exit.ts";
import { firstFew } from "../base/text-format.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { Change, Outcome } from "../model/types.ts";
import { referencesIn } from "../model/values.ts";
import { bareCallsOf } from "../plan/requests.ts";
import type { Lease } from "../state/lease.ts";
import { type SecretDigests, secretDigest } from "../state/ledger/secret-digest.ts";
import type { SealedBySenders } from "../state/worker-store.ts";
import { throwIfEnded, type WriteChunk, type WriteResult, writeChunk } from "../workers/chunks.ts";
import type { Dispatcher } from "../workers/dispatcher.ts";
import { openDigests, type SealKey, sealKey } from "../workers/sealed-digests.ts";
import type { Context } from "./context.ts";

/** Applies changes by workers, with the lease of the run; they write the journal of their own requests. */
export function applyingBy(
  dispatcher: Dispatcher,
  context: Context,
  { token }: Lease,
  inFlight: readonly string[],
): NonNullable<ApplyOptions["delegate"]> {
  const { recheck = false, saved, savedRun } = context.request;
  const sealing = sealKey();
  const isOfSaved = saved !== undefined || savedRun !== undefined;
  const given = { token, recheck: recheck || isOfSaved, inFlight, sealing, sealFor: sealing.key };
  return (batches, options) => new DelegatedApply(dispatcher, context, batches, { ...options, ...given }).run();
}

type DelegatedOptions = Pick<ApplyOptions, "watchers" | "workers" | "stopped"> &
  Pick<WriteChunk, "token" | "recheck" | "inFlight" | "sealFor"> & { readonly sealing: SealKey };

type ProjectSteps = readonly (readonly Step[])[];

/** The writes of a run, from the first dispatched chunk to the last outcome. */
class DelegatedApply {
  readonly #dispatcher: Dispatcher;
  readonly #context: Context;
  readonly #batches: readonly Batch[];
  readonly #options: DelegatedOptions;
  readonly #listeners: readonly Watcher[];
  /** Chunks without a result, by index. */
  readonly #outstanding = new Map<number, ProjectSteps>();
  readonly #events: ChangeEvent[] = [];
  /** Number of dispatched batches. */
  #begun = 0;
  #ended: string | undefined;
  /** References for which a worker sent a different value than this run has. */
  readonly #differing = new Set<string>();

  constructor(dispatcher: Dispatcher, context: Context, batches: readonly Batch[], options: DelegatedOptions) {
    this.#dispatcher = dispatcher;
    this.#context = context;
    this.#batches = batches;
    this.#options = options;
    this.#listeners = options.watchers.filter(({ isJournal }) => !isJournal);
  }

  async run(): Promise<Outcomes> {
    const size = await this.#dispatcher.chunkSize(this.#batches.length);
    try {
      for await (const { index, result } of this.#dispatcher.dispatch(this.#chunks(size))) {
        const changes = changesIn(this.#outstanding.get(index) ?? []);
        this.#outstanding.delete(index);
        throwIfEnded(result);
        if ("events" in result) await this.#record(result, changes);
      }
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      this.#ended ??= error.message;
    }
    for (const event of await this.#leftOver()) await this.#report(event);
    if (this.#differing.size > 0) this.#context.request.warn?.(differentSecrets([...this.#differing].sort()));
    return outcomesOf(this.#events);
  }

  #stopped(): string | undefined {
    return this.#options.stopped() ?? this.#ended;
  }

  async *#chunks(size: number) {
    while (this.#begun < this.#batches.length && !this.#stopped()) {
      const steps = await this.#stepsOf(this.#batches.slice(this.#begun, this.#begun + size));
      this.#ended ??= await unrecordable(this.#context.loaded.workspace.catalogue, this.#listeners, steps);
      if (this.#stopped()) return;
      this.#outstanding.set(this.#begun / size, steps);
      this.#begun += steps.length;
      yield writeChunk(this.#options, steps);
    }
  }

  #stepsOf(batches: readonly Batch[]): Promise<ProjectSteps> {
    return inParallel(batches, this.#options.workers, (batch) => batch.steps());
  }

  async #record(result: WriteResult, changes: ReadonlyMap<string, Change>): Promise<void> {
    for (const { ended, sealed = [], ...event } of await withIntents(this.#dispatcher, result.events)) {
      if (ended) this.#ended ??= `the run ended after ${event.address} failed`;
      const change = changes.get(event.address);
      const sentSecrets = openDigests(sealed, this.#options.sealing);
      if (change && event.outcome.status === "applied") this.#compareSecrets(change, sentSecrets);
      await this.#report({ ...event, sentSecrets, ...(change && { change }) });
    }
  }

  #compareSecrets({ declared }: Change, sent: SecretDigests): void {
    for (const reference of referencesIn(declared)) {
      const [own, digest] = [this.#context.secrets.known(reference), sent[reference.secret]];
      if (own !== undefined && digest !== undefined && secretDigest(own) !== digest)
        this.#differing.add(reference.secret);
    }
  }

  async #report(event: ChangeEvent): Promise<void> {
    this.#events.push(event);
    for (const watcher of this.#listeners) await watcher.outcome?.(event);
  }

  async #leftOver(): Promise<readonly ChangeEvent[]> {
    const why = this.#stopped() ?? "the run was stopped";
    const known = this.#outstanding.size > 0 ? await intentsOf(this.#dispatcher) : noIntents;
    const unbegun = await this.#stepsOf(this.#batches.slice(this.#begun));
    return [
      ...[...this.#outstanding.values()].flat(2).map((step) => this.#unreported(step, why, known)),
      ...unbegun.flat().map((step) => this.#unreported(step, why, noIntents)),
    ];
  }

  /** The outcome of a step that no worker will report: what was sent is known only from the state. */
  #unreported(step: Step, why: string, known: Intents): ChangeEvent {
    if (!("change" in step)) return step;
    const { change } = step;
    const { outcome, sealed } = known(change.address) ?? { outcome: { status: "skipped", error: why }, sealed: [] };
    return { address: change.address, change, sentSecrets: openDigests(sealed, this.#options.sealing), outcome };
  }
}

function differentSecrets(references: readonly string[]): string {
  return `workers sent different values than this run has for ${firstFew(references)}; give workers and runs the same secrets and apply again`;
}

/** Nothing is sent if a watcher cannot record it. */
async function unrecordable(
  catalogue: Catalogue,
  watchers: readonly Watcher[],
  steps: ProjectSteps,
): Promise<string | undefined> {
  const [first] = changesIn(steps).values();
  return first && announce(watchers, first, bareCallsOf(first, catalogue)[0]);
}

function changesIn(steps: ProjectSteps): ReadonlyMap<string, Change> {
  return new Map(
    steps.flat().flatMap((step) => ("change" in step ? [[step.change.address, step.change] as const] : [])),
  );
}

/** Another worker may have sent what one skipped. */
async function withIntents(dispatcher: Dispatcher, events: WriteResult["events"]): Promise<WriteResult["events"]> {
  if (!events.some(({ outcome }) => outcome.status === "skipped")) return events;
  const known = await intentsOf(dispatcher);
  return events.map((event) => {
    return event.outcome.status === "skipped" ? { ...event, ...known(event.address) } : event;
  });
}

/** The outcome of a write that a worker may have sent, by address; undefined if none did. */
type Intents = (address: string) => ({ readonly outcome: Outcome } & SealedBySenders) | undefined;

const noIntents: Intents = () => undefined;

/** As the state recorded them; if it is unavailable, any write may have been sent. */
async function intentsOf(dispatcher: Dispatcher): Promise<Intents> {
  try {
    const intents = await dispatcher.intents();
    return (address) => {
      const claimed = intents(address);
      return claimed && { ...claimed, outcome: claimed.outcome ?? sentAtTheEnd };
    };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const outcome: Outcome = { status: "unknown", error: `a worker may have sent it: ${error.message}` };
    return () => ({ outcome, sealed: [] });
  }
}

const sentAtTheEnd: Outcome = { status: "unknown", error: "a worker was sending it when the run ended" };

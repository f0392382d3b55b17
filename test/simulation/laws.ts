import type { PlanWave } from "../../src/run/apply/waves.ts";
import type { Kernel } from "./kernel.ts";
import type { Machine } from "./machine.ts";
import type { Asked, Service } from "./service.ts";
import type { JournalRow, StateServer } from "./state.ts";
import { lease, rateLimit } from "./workspaces.ts";

export const laws = {
  duplicates: "no license is created twice",
  intents: "every write has a durable intent before it",
  lease: "nothing is written without the lease",
  applied: "what is told as applied has landed",
  failed: "what is told as failed or skipped has not landed and will not",
  unknown: "only what may have been sent is told as unknown",
  sync: "a re-run without faults leaves everything in sync",
  waves: "no wave begins before the one before it is done, and none after one that is not",
  rate: "all together keep to the rate",
  plan: "workers plan what one process plans",
  end: "every run ends",
  errors: "no process ends with an internal error",
} as const;

export type Law = keyof typeof laws;

type Outcomes = ReadonlyMap<string, { readonly status: string; readonly error?: string | undefined }>;

interface Sent {
  readonly run: string;
  readonly address: string;
  readonly at: number;
  landed?: number;
}

/** Sees all that is sent and lands, and says which law was broken by it. */
export class Observer {
  readonly broken: { readonly law: Law; readonly how: string }[] = [];
  /** Writes after somebody took the lease away by hand, which a run notices when it renews it. */
  afterRelease = { writes: 0, milliseconds: 0 };
  writes = 0;
  /** Somebody keeps the rate alone, and has said so. */
  isRateShared = true;
  readonly #kernel: Kernel;
  readonly #state: StateServer;
  readonly #service: Service;
  readonly #due: number[] = [];
  readonly #sent: Sent[] = [];
  readonly #released = new Map<string, number>();

  constructor(kernel: Kernel, state: StateServer, service: Service) {
    this.#kernel = kernel;
    this.#state = state;
    this.#service = service;
  }

  break(law: Law, how: string): void {
    this.#kernel.tell("LAW", `${laws[law]}: ${how}`);
    this.broken.push({ law, how });
  }

  released(run: string): void {
    this.#released.set(run, this.#kernel.now);
  }

  /** The rate is kept here: a connection that is slow to open delivers late what was due before. */
  due(): void {
    this.#due.push(this.#kernel.now);
  }

  /** A request goes out. Returns what is to be called when it lands. */
  sent(machine: Machine, asked: Asked): (() => void) | undefined {
    const write = this.#service.writeOf(asked);
    this.#kernel.tell(
      machine.name,
      `sends ${asked.method} ${decodeURIComponent(asked.path.slice(7))}${write ? ` (${write.address})` : ""}`,
    );
    if (!write) return undefined;
    this.writes++;
    const { address } = write;
    const run = this.#runOf(machine, address);
    if (run === undefined) {
      this.break("intents", `${machine.name} sent ${asked.method} for ${address} without one`);
      return undefined;
    }
    this.#checkLease(run, `${machine.name} sent ${asked.method} for ${address}`);
    const sent: Sent = { run, address, at: this.#kernel.now };
    this.#sent.push(sent);
    return () => {
      sent.landed = this.#kernel.now;
      this.#kernel.tell("server", `does ${asked.method} for ${address}`);
      const name = address.slice(address.indexOf("/", address.indexOf(":")) + 1);
      const project = this.#service.projects.find(({ path }) => address.startsWith(`${path}:`));
      if (write.creates && project?.licenses.some((each) => each.name === name)) {
        this.break("duplicates", `${address} by ${machine.name}, of run ${run}`);
      }
    };
  }

  /** The run for which a machine sends a write: its latest durable intent says so. */
  #runOf(machine: Machine, address: string): string | undefined {
    const isIntent = ({ line }: JournalRow) => line.event === "intent" && line.address === address;
    return this.#state.journal.findLast((row) => row.machine === machine && isIntent(row))?.run;
  }

  #checkLease(run: string, what: string): void {
    if (this.#state.holder()?.run === run) return;
    const released = this.#released.get(run);
    if (released === undefined) {
      this.break("lease", `${what} after run ${run} lost it`);
      return;
    }
    const late = this.#kernel.now - released;
    const { writes, milliseconds } = this.afterRelease;
    this.afterRelease = { writes: writes + 1, milliseconds: Math.max(milliseconds, late) };
    if (late > lease) this.break("lease", `${what} ${Math.round(late)} ms after it was taken from run ${run}`);
  }

  /** What a run told of itself, held against what became of it. Only when nothing is under way any more. */
  judge(run: string, ended: number, outcomes: Outcomes): void {
    for (const [address, { status, error = "" }] of outcomes) {
      const own = this.#sent.filter((each) => each.run === run && each.address === address);
      const told = `${address} of run ${run} (${status}: ${error})`;
      const hasLanded = own.some(({ landed }) => landed !== undefined);
      if (
        status === "applied" &&
        !this.#sent.some((each) => each.address === address && (each.landed ?? Infinity) <= ended)
      )
        this.break("applied", told);
      if ((status === "failed" || status === "skipped") && hasLanded) this.break("failed", told);
      // Without the state a run cannot know what its workers have begun.
      const isBlind = error.startsWith("a worker may have sent it: the state ");
      if (status === "unknown" && !isBlind && own.length === 0 && !this.#hasIntent(run, address))
        this.break("unknown", told);
    }
  }

  judgeWaves(run: string, waves: readonly PlanWave[], outcomes: Outcomes): void {
    let before = Number.NEGATIVE_INFINITY;
    let halted = false;
    for (const [index, { projects, status }] of waves.entries()) {
      const isIn = (address: string) => projects.some((project) => address.startsWith(`${project}:`));
      const times = this.#sent.filter((each) => each.run === run && isIn(each.address)).map(({ at }) => at);
      const told = `wave ${index + 1} of run ${run} (${status})`;
      if (halted && (status !== "not started" || times.length > 0)) this.break("waves", `${told} began`);
      if (Math.min(...times) < before) this.break("waves", `${told} began at ${Math.min(...times)}, before ${before}`);
      before = Math.max(before, ...times);
      halted ||= [...outcomes].some(([address, outcome]) => isIn(address) && isTrouble(outcome.status));
    }
  }

  #hasIntent(run: string, address: string): boolean {
    return this.#state.journal.some(
      ({ run: own, line }) => own === run && line.event === "intent" && line.address === address,
    );
  }

  judgeRate(): void {
    const { requests, per } = rateLimit;
    const all = this.#due;
    const most = all.findIndex((at, index) => (all[index + requests] ?? Infinity) - at < per - 1e-6);
    if (most >= 0)
      this.break(
        "rate",
        `more than ${requests} requests within ${per} ms from ${Math.round(all[most] as number)} ms on`,
      );
  }
}

function isTrouble(status: string): boolean {
  return status === "failed" || status === "unknown";
}

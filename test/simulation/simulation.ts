import type { Wave } from "../../src/manifest/waves.ts";
import type { Program, Start } from "./build.ts";
import { Kernel, type Told } from "./kernel.ts";
import { type Law, Observer } from "./laws.ts";
import { Aborting, Machine } from "./machine.ts";
import { type Fate, httpLibrary } from "./pool.ts";
import { connectionLibrary, Jobs, queueLibrary } from "./queue.ts";
import { type Asked, Service } from "./service.ts";
import { StateServer } from "./state.ts";
import {
  type Checked,
  disturb,
  environment,
  isInSync,
  lease,
  requestTimeout,
  someProjects,
  type Workspaces,
} from "./workspaces.ts";

interface Figures {
  readonly events: number;
  readonly runs: number;
  readonly writes: number;
  readonly killed: number;
  /** Of simulated time. */
  readonly milliseconds: number;
  /** Writes after somebody took the lease away by hand, and how long after it the last one was sent. */
  readonly afterRelease: Observer["afterRelease"];
}

export interface Ended {
  readonly seed: number;
  readonly broken: readonly { readonly law: Law; readonly how: string }[];
  readonly trace: readonly Told[];
  readonly figures: Figures;
}

export interface SimulationOptions {
  readonly start: Start;
  readonly workspaces: Workspaces;
  readonly seed: number;
  /** Whether the trace is kept. */
  readonly told?: boolean;
}

/** Plays the world that a seed makes, from its first event to its last. */
export async function simulate(options: SimulationOptions): Promise<Ended> {
  // What fails in these worlds fails often, and only who looks at one wants to know where.
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = options.told ? 30 : 0;
  try {
    return await played(new World(options), options.seed);
  } finally {
    Error.stackTraceLimit = before;
  }
}

async function played(world: World, seed: number): Promise<Ended> {
  let over = false;
  let failure: unknown;
  const story = world.story().then(
    () => (over = true),
    (error) => {
      failure = error;
      over = true;
    },
  );
  try {
    await world.kernel.play(() => over);
    await story;
  } catch (error) {
    failure = error;
  }
  if (failure)
    world.observer.break(
      failure instanceof Hangs ? "end" : "errors",
      failure instanceof Error ? (failure.stack ?? failure.message) : String(failure),
    );
  const { kernel, observer } = world;
  const { writes, afterRelease } = observer;
  const { events, now: milliseconds } = kernel;
  const figures = { events, runs: world.runs, writes, killed: world.killed, milliseconds, afterRelease };
  return { seed, broken: observer.broken, trace: kernel.trace ?? [], figures };
}

class Hangs extends Error {}

const firstThenAll: readonly Wave[] = [
  { amount: 1, unit: "projects" },
  { amount: 60, unit: "percent" },
  { amount: 100, unit: "percent" },
];

/** Milliseconds by which every run has ended once all is well. */
const longest = 180_000;

type Result = Awaited<ReturnType<Program["apply"]>>;

/** A run, and what it told in the end; nothing where it was killed. */
interface Run {
  readonly machine: Machine;
  readonly ended: Promise<Result | undefined>;
  result?: Result;
  at?: number;
}

class World {
  readonly kernel: Kernel;
  readonly server: StateServer;
  readonly service: Service;
  readonly observer: Observer;
  readonly #start: Start;
  readonly #checked: Checked;
  readonly #isLimited: boolean;
  killed = 0;
  readonly #jobs = new Jobs();
  readonly #machines = new Set<Machine>();
  readonly #runs: Run[] = [];
  #count = 0;
  /** Part of the requests that meet with a fault. */
  #faults = 0;
  /** Kinds of faults that this world knows. */
  readonly #kinds: readonly (keyof typeof fates)[];
  #isWell = false;
  /** Writes take nearly as long as they may. */
  readonly #isSlow: boolean;
  /** New connections take nearly as long as they may. */
  readonly #connectsHard: boolean;
  #wanted = 0;
  /** Those that are killed right after the next write that they send. */
  readonly #doomed = new Set<Machine>();

  constructor({ start, workspaces, seed, told = false }: SimulationOptions) {
    const kernel = new Kernel(seed, told);
    this.kernel = kernel;
    this.#start = start;
    this.server = new StateServer(kernel);
    this.service = new Service(kernel, someProjects(kernel));
    this.observer = new Observer(kernel, this.server, this.service);
    this.#isLimited = kernel.is(0.3);
    this.#checked = this.#isLimited ? workspaces.limited : workspaces.unlimited;
    this.#isSlow = kernel.is(0.2);
    this.#connectsHard = kernel.is(0.2);
    this.#kinds = (Object.keys(fates) as (keyof typeof fates)[]).filter(() => kernel.is(0.5));
  }

  get runs(): number {
    return this.#runs.length;
  }

  async story(): Promise<void> {
    const { kernel } = this;
    this.#faults = this.#kinds.length > 0 ? kernel.pick([0, 0.02, 0.1, 0.3]) : 0;
    this.#wanted = kernel.pick([0, 1, 1, 2, 2, 3]);
    for (let index = 0; index < this.#wanted; index++) kernel.after(kernel.between(0, 1000), () => this.#hire());
    const isTroubled = kernel.is(0.85);
    if (isTroubled) this.#trouble();
    const rounds = kernel.pick([1, 1, 1, 2, 2, 3]);
    const begun = Array.from({ length: rounds }, async (_, round) => {
      await kernel.sleep(round * kernel.between(0, 4000));
      this.#run();
    });
    const ended = Promise.all(begun).then(() => this.#allEnded());
    await Promise.race([ended, kernel.sleep(kernel.between(2000, 15_000))]);
    this.#heal();
    await ended;
    // What is under way lands.
    await kernel.sleep(requestTimeout);
    const last = this.#run();
    await this.#allEnded();
    this.#judgeLast(last);
    await this.#planTwice();
    await kernel.sleep(requestTimeout);
    for (const { result, at = 0, machine } of this.#runs) {
      const run = result && this.#nameOf(machine);
      if (!run || !result.outcomes) continue;
      this.observer.judge(run, at, result.outcomes);
      this.observer.judgeWaves(run, result.waves ?? [], result.outcomes);
    }
    if (this.#isLimited && this.observer.isRateShared) this.observer.judgeRate();
  }

  #nameOf({ name }: Machine): string | undefined {
    return this.server.runs().find(({ host }) => host === name)?.run;
  }

  #judgeLast({ result }: Run): void {
    const { observer } = this;
    const left = [...(result?.outcomes ?? [])].filter(([, { status }]) => status !== "applied");
    if (!result) observer.break("sync", "the last run told nothing");
    const [problem] = result?.plan.problems ?? [];
    if (problem) observer.break("sync", problem.message);
    for (const [address, outcome] of left)
      observer.break("sync", `${address} is ${outcome.status}: ${outcome.error ?? ""}`);
  }

  /** In sync first; in some worlds then edited by hand, and planned by one process and by workers, of whom some are killed. */
  async #planTwice(): Promise<void> {
    const { kernel, observer } = this;
    for (const { path } of this.service.projects.filter((each) => !isInSync(each))) {
      observer.break("sync", `${path} is not in sync after all`);
    }
    if (this.#wanted === 0 || kernel.is(0.8)) return;
    for (const project of this.service.projects) disturb(kernel, project);
    const alone = await this.#planned(false);
    const [victim] = [...this.#machines].filter(({ isAlive }) => isAlive);
    if (kernel.is(0.5)) victim?.killAfter(1 + Math.floor(kernel.random() * 20));
    const together = await this.#planned(true);
    const text = (planned: typeof alone) => {
      const { created_at: _, digest: __, summary, ...rest } = planned?.plan ?? {};
      return JSON.stringify({ ...rest, summary: { ...summary, reads: 0 } });
    };
    if (text(alone) !== text(together)) observer.break("plan", differing(text(alone), text(together)));
  }

  #planned(workers: boolean) {
    const machine = this.#machine("planner");
    const planned = this.#program(machine).plan({ ...this.#request(), workers });
    return this.#within(planned.finally(() => machine.end()));
  }

  #allEnded(): Promise<unknown> {
    return this.#within(Promise.all(this.#runs.map(({ ended }) => ended)));
  }

  async #within<Ending>(ending: Promise<Ending>): Promise<Ending> {
    let isOver = false;
    const late = this.kernel.sleep(longest).then(() => {
      if (!isOver) throw new Hangs(`no end after ${longest / 1000} s`);
      return undefined as never;
    });
    late.catch(() => {});
    try {
      return await Promise.race([ending, late]);
    } finally {
      isOver = true;
    }
  }

  #machine(role: string): Machine {
    const skew = this.kernel.between(-60_000, 60_000);
    return new Machine(this.kernel, `${role}-${++this.#count}`, { skew, killed: () => this.killed++ });
  }

  #program(machine: Machine): Program {
    const modules = {
      undici: httpLibrary(machine, {
        service: this.service,
        fate: (asked) => this.#fate(asked),
        connecting: () => this.#connecting(),
        due: () => this.observer.due(),
        sent: (from, asked) => this.#sent(from, asked),
      }),
      pg: connectionLibrary(machine, this.server),
      bullmq: queueLibrary(machine, this.server, this.#jobs),
    };
    let program: Program;
    const opened = async (request: object) => {
      const secrets = program.createSecrets({ env: environment, root: "/dev/null/nowhere", plaintext: new Map() });
      return { ...this.#checked, secrets, request };
    };
    const sharedState = () => this.server.stateOf(machine, () => program);
    program = this.#start(machine.platform(modules, opened, sharedState));
    return program;
  }

  #sent(machine: Machine, asked: Asked): (() => void) | undefined {
    const landed = this.observer.sent(machine, asked);
    if (landed && this.#doomed.has(machine)) machine.kill("with a write under way");
    return landed;
  }

  #say(machine: Machine, sentence: string): void {
    this.kernel.tell(machine.name, `says: ${sentence}`);
    if (/not shared any more/.test(sentence)) this.observer.isRateShared = false;
  }

  #request() {
    return {
      folder: "/dev/null/nowhere",
      env: environment,
      waivers: { deletes: 1000, protected: new Set<string>() },
      patience: { giveUpAfter: 20_000 },
    };
  }

  /** Starts a worker, and another one where it ends while it is wanted. */
  #hire(): void {
    const { kernel } = this;
    const machine = this.#machine("worker");
    this.#machines.add(machine);
    kernel.tell(machine.name, "starts");
    const again = () => {
      this.#machines.delete(machine);
      kernel.after(kernel.between(100, 3000), () => this.#hire());
    };
    machine.onDeath(again);
    const { work, claimFor, queuePlace } = this.#program(machine);
    const say = (sentence: string) => this.#say(machine, sentence);
    const { loaded } = this.#checked;
    const name = `${machine.name}/7`;
    const request = { ...this.#request(), concurrency: 4, warn: say };
    work({
      ...{ loaded, request, name: "w", duration: lease, once: undefined },
      ...{ claim: claimFor(name, environment), place: queuePlace(this.#checked) },
      signal: new Aborting().signal as unknown as AbortSignal,
    }).then(
      () => machine.end(),
      (error) => {
        kernel.tell(machine.name, `ends: ${error}`);
        if (!isRefusal(error)) this.observer.break("errors", `${machine.name}: ${error?.stack ?? error}`);
        machine.end();
      },
    );
  }

  #run(): Run {
    const { kernel } = this;
    const machine = this.#machine("run");
    this.#machines.add(machine);
    const workers = this.#wanted > 0 && kernel.is(0.9);
    kernel.tell(machine.name, `starts: apply${workers ? " --workers" : ""}`);
    const { apply } = this.#program(machine);
    const interrupted = new Aborting();
    if (!this.#isWell && kernel.is(0.1)) machine.later(kernel.between(0, 4000), () => interrupted.abort("interrupted"));
    const request = {
      ...{
        ...this.#request(),
        command: "apply" as const,
        workers,
        signal: interrupted.signal as unknown as AbortSignal,
        recheck: kernel.is(0.3),
        ...(kernel.is(0.2) && { waves: firstThenAll }),
      },
      ...{ lockTimeout: kernel.pick([5000, 60_000]), warn: (sentence: string) => this.#say(machine, sentence) },
    };
    let died: () => void = () => {};
    const death = new Promise<undefined>((resolve) => {
      died = () => resolve(undefined);
    });
    machine.onDeath(() => died());
    const applied = apply(this.#isWell ? { ...request, lockTimeout: 60_000 } : request, {
      approve: async () => true,
      watchers: [],
    });
    const over = applied.then(
      (result) => {
        run.result = result;
        run.at = kernel.now;
        kernel.tell(machine.name, `ends: ${summaryOf(result)}`);
        machine.end();
        return result;
      },
      (error) => {
        this.observer.break("errors", `${machine.name}: ${error?.stack ?? error}`);
        machine.end();
        return undefined;
      },
    );
    const run: Run = { machine, ended: Promise.race([over, death]) };
    this.#runs.push(run);
    return run;
  }

  /** Something goes wrong, now and then, until all is well. */
  #trouble(): void {
    const { kernel, server, service } = this;
    const kinds = [
      () => this.#victim()?.kill("at once"),
      () => this.#victim()?.killAfter(1 + Math.floor(kernel.random() * 60)),
      () => this.#victim()?.pause(lease * kernel.between(0.2, 2.5)),
      () => this.#wakeAndDie(),
      () => server.outage(kernel.between(100, 15_000)),
      () => server.stall(kernel.between(100, 14_000)),
      () => {
        const victim = this.#victim();
        if (victim) server.cutOff(victim, kernel.between(500, 15_000));
      },
      () => service.outage(kernel.between(100, 5000)),
      () => this.#release(),
    ].filter(() => kernel.is(0.4));
    if (kinds.length === 0) return;
    const next = () => {
      if (this.#isWell) return;
      kernel.pick(kinds)();
      kernel.after(kernel.between(100, 5000), next);
    };
    kernel.after(kernel.between(10, 3000), next);
  }

  #victim(): Machine | undefined {
    const all = [...this.#machines].filter(({ isAlive }) => isAlive);
    return all.length > 0 ? this.kernel.pick(all) : undefined;
  }

  /** Paused until shortly before the others take it for gone, it goes on, and is killed with what it began then under way. */
  #wakeAndDie(): void {
    const { kernel } = this;
    const victim = this.#victim();
    if (!victim) return;
    const pause = lease * kernel.between(0.5, 1);
    victim.pause(pause);
    if (kernel.is(0.5)) this.#doomed.add(victim);
    else kernel.after(pause, () => victim.killAfter(2 + Math.floor(kernel.random() * 12)));
  }

  /** A person takes the lease away from whoever has it. */
  #release(): void {
    const held = this.server.holder();
    if (!held || !this.server.isUp) return;
    this.kernel.tell("a person", `takes the lease away from run ${held.run}`);
    this.observer.released(held.run);
    this.server.free("apply");
  }

  #heal(): void {
    this.kernel.tell("world", "all is well from now on");
    this.#isWell = true;
    this.#faults = 0;
    this.server.heal();
    this.service.heal();
  }

  #connecting(): number {
    const isHard = this.#connectsHard && !this.#isWell && this.kernel.is(0.3);
    return isHard ? this.kernel.between(0.1, 0.99) * requestTimeout : this.kernel.between(0.5, 5);
  }

  #fate(asked: Asked): Fate {
    const { kernel } = this;
    const there =
      this.#isSlow && asked.method !== "GET" ? kernel.between(0.1, 0.95) * requestTimeout : kernel.between(0.5, 10);
    const back = kernel.between(0.5, 10);
    if (kernel.random() >= this.#faults) return { arrives: there, back };
    const kind = kernel.pick(this.#kinds);
    kernel.tell("fault", `${kind}: ${asked.method} ${asked.path.slice(7)}`);
    return fates[kind](kernel, there, back);
  }
}

function differing(a: string, b: string): string {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return `alone ${a.slice(at - 60, at + 60)}, together ${b.slice(at - 60, at + 60)}`;
}

function summaryOf({ plan, outcomes }: Result): string {
  const told = [...(outcomes ?? [])].map(([address, { status, error = "" }]) => `${address} ${status} ${error}`);
  return [...told, ...plan.problems.map(({ message }) => message)].join("; ") || "nothing to do";
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.name === "UserError";
}

type Drawing = (kernel: Kernel, there: number, back: number) => Fate;

/** What may become of a request. Nothing is under way for longer than a request may take. */
const fates = {
  "gets lost": () => ({}),
  "connection breaks before it arrives": (_, there) => ({ breaks: there }),
  "connection breaks after it landed": (_, there, back) => ({ arrives: there, breaks: there + back }),
  "answer gets lost": (_, there) => ({ arrives: there }),
  "lands late, connection breaks": (kernel, there) => ({
    arrives: kernel.between(0.1, 0.95) * requestTimeout,
    breaks: there,
  }),
  "lands late": (kernel, _, back) => ({ arrives: kernel.between(0.1, 0.95) * requestTimeout, back: back * 20 }),
  "429": (_, there, back) => ({ arrives: there, back, refused: { status: 429, headers: { "retry-after": "1" } } }),
  "500": (_, there, back) => ({ arrives: there, back, refused: { status: 500, body: { message: "500 Internal" } } }),
  "503": (_, there, back) => ({ arrives: there, back, refused: { status: 503 } }),
  "502 after it landed": (_, there, back) => ({ arrives: there, back, instead: { status: 502 } }),
  "504, lands late": (kernel, _, back) => ({
    arrives: kernel.between(0.1, 0.9) * requestTimeout,
    back,
    instead: { status: 504 },
  }),
} satisfies Record<string, Drawing>;

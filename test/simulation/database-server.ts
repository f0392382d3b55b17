import type { Database } from "./database.ts";
import { driver, systemError, type Wire } from "./driver.ts";
import type { Kernel } from "./kernel.ts";
import type { Machine } from "./machine.ts";

/** Milliseconds that a message is under way. */
const way = [0.2, 2] as const;

/** The machine of the database. It may be killed, stalled, or cut off from one machine. */
export class DatabaseServer {
  readonly database: Database;
  readonly kernel: Kernel;
  isUp = true;
  /** How often it was started: connections to an earlier one are broken. */
  #epoch = 0;
  #stalledUntil = 0;
  readonly #cutOff = new Map<Machine, number>();
  #breaks: (() => void)[] = [];

  constructor(kernel: Kernel, database: Database) {
    this.kernel = kernel;
    this.database = database;
  }

  /** Kills it for so many milliseconds; what is stored stays. */
  outage(milliseconds: number): void {
    if (!this.isUp) return;
    this.kernel.tell("database", `is killed, for ${Math.round(milliseconds)} ms`);
    this.isUp = false;
    const broken = this.#breaks;
    this.#breaks = [];
    for (const breaks of broken) breaks();
    this.kernel.after(milliseconds, () => this.#restart());
  }

  #restart(): void {
    if (this.isUp) return;
    this.isUp = true;
    this.#epoch++;
    this.kernel.tell("database", "is there again");
  }

  /** For so many milliseconds it does nothing; then it does all that it was asked for meanwhile, whoever still waits. */
  stall(milliseconds: number): void {
    this.kernel.tell("database", `stalls for ${Math.round(milliseconds)} ms`);
    this.#stalledUntil = Math.max(this.#stalledUntil, this.kernel.now + milliseconds);
  }

  /** What one machine sends and is sent gets lost. */
  cutOff(machine: Machine, milliseconds: number): void {
    this.kernel.tell("database", `is cut off from ${machine.name} for ${Math.round(milliseconds)} ms`);
    this.#cutOff.set(machine, this.kernel.now + milliseconds);
  }

  isCutOff(machine: Machine): boolean {
    return (this.#cutOff.get(machine) ?? 0) > this.kernel.now;
  }

  /** All is well from now on. */
  heal(): void {
    this.#restart();
    this.#cutOff.clear();
    this.#stalledUntil = 0;
  }

  /** The driver of a process. */
  driverOf(machine: Machine) {
    return driver(() => this.#wire(machine));
  }

  /** One question of a process and its answer, over a connection that nothing else is known of. */
  async ask<Answer>(machine: Machine, work: () => Answer): Promise<Answer> {
    const wire = this.#wire(machine);
    await wire.connect(10_000);
    const answer = await wire.carry(work);
    wire.end();
    return answer;
  }

  #wire(machine: Machine): Wire & { readonly carry: <Answer>(work: () => Answer) => Promise<Answer> } {
    const { kernel } = this;
    let epoch = -1;
    let isBroken = false;
    const waiting = new Set<(error: Error) => void>();
    const breaks = () => {
      isBroken = true;
      if (waiting.size === 0) return;
      const gone = [...waiting];
      waiting.clear();
      const lost = systemError("ECONNRESET", "Connection terminated unexpectedly");
      machine.later(this.#delay(), () => gone.forEach((reject) => void reject(lost)));
    };
    const carry = <Answer>(work: () => Answer): Promise<Answer> =>
      new Promise((resolve, reject) => {
        if (isBroken) return reject(new Error("Client has encountered a connection error and is not queryable"));
        if (!machine.acts()) return undefined;
        waiting.add(reject);
        const arrive = () => {
          if (this.isCutOff(machine) || !this.isUp || epoch !== this.#epoch) return;
          const stalled = this.#stalledUntil - kernel.now;
          if (stalled > 0) return kernel.after(stalled, arrive);
          const answer = attempted(work);
          if (this.isCutOff(machine)) return;
          machine.later(this.#delay(), () => {
            if (!waiting.delete(reject)) return;
            if ("error" in answer) reject(answer.error);
            else resolve(answer.value);
          });
        };
        kernel.after(this.#delay(), arrive);
        return undefined;
      });
    return {
      connect: (limit) =>
        new Promise((resolve, reject) => {
          if (!machine.acts()) return;
          let isLate = false;
          if (this.isCutOff(machine)) {
            machine.later(limit, () => reject(new Error("timeout expired")));
            return;
          }
          machine.later(this.#delay() + this.#delay() + Math.max(0, this.#stalledUntil - kernel.now), () => {
            if (isLate) return;
            if (!this.isUp) return reject(systemError("ECONNREFUSED"));
            epoch = this.#epoch;
            this.#breaks.push(breaks);
            resolve();
          });
          if (this.#stalledUntil - kernel.now > limit) {
            isLate = true;
            machine.later(limit, () => reject(new Error("timeout expired")));
          }
        }),
      carry,
      ask: (text, values) => carry(() => this.database.execute(text, values, machine.name)),
      end: () => {
        isBroken = true;
        this.#breaks = this.#breaks.filter((each) => each !== breaks);
      },
    };
  }

  #delay(): number {
    return this.kernel.between(...way);
  }
}

type Attempted<Answer> = { readonly value: Answer } | { readonly error: unknown };

function attempted<Answer>(work: () => Answer): Attempted<Answer> {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}

import type { UnavailableError } from "../../src/base/exit.ts";
import type { JournalLine } from "../../src/state/journal.ts";
import type { Claim, Holder, LeaseLostError, Leases, LeaseToken } from "../../src/state/lease.ts";
import type { RunSummary } from "../../src/state/run-summary.ts";
import type { Documents, WorkspaceState } from "../../src/state/state.ts";
import type { Kernel } from "./kernel.ts";
import { calendar, type Machine } from "./machine.ts";

/** Milliseconds that a message is under way. */
const way = [0.2, 2] as const;

/** Milliseconds after which a process that reaches no state gives up, and between its attempts. */
const [patience, retryInterval] = [10_000, 500] as const;

interface LeaseRow extends LeaseToken {
  readonly claim: Claim;
  readonly deadline: number;
}

/** A line of a journal, with the run that it belongs to and who wrote it. */
export interface JournalRow {
  readonly run: string;
  readonly machine: Machine;
  readonly line: JournalLine;
}

/** The errors of the program, each process having classes of its own. */
export interface StateErrors {
  readonly UnavailableError: typeof UnavailableError;
  readonly LeaseLostError: typeof LeaseLostError;
}

type Answered = { readonly value: unknown } | { readonly error: unknown };

/** The state that all machines share. It may be killed, stalled, or cut off from one machine; what is stored stays. */
export class StateServer {
  readonly kernel: Kernel;
  readonly journal: JournalRow[] = [];
  isUp = true;
  readonly #leases = new Map<string, LeaseRow>();
  readonly #collections = new Map<Documents, Map<string, string>>();
  readonly #rates = new Map<string, number>();
  /** How often it was started: what an earlier one was asked is lost. */
  #epoch = 0;
  #stalledUntil = 0;
  readonly #cutOff = new Map<Machine, number>();

  constructor(kernel: Kernel) {
    this.kernel = kernel;
  }

  /** Kills it for so many milliseconds. */
  outage(milliseconds: number): void {
    if (!this.isUp) return;
    this.kernel.tell("state", `is killed, for ${Math.round(milliseconds)} ms`);
    this.isUp = false;
    this.kernel.after(milliseconds, () => this.#restart());
  }

  #restart(): void {
    if (this.isUp) return;
    this.isUp = true;
    this.#epoch++;
    this.kernel.tell("state", "is there again");
  }

  /** For so many milliseconds it does nothing; then it does all that it was asked for, whoever still waits. */
  stall(milliseconds: number): void {
    this.kernel.tell("state", `stalls for ${Math.round(milliseconds)} ms`);
    this.#stalledUntil = Math.max(this.#stalledUntil, this.kernel.now + milliseconds);
  }

  /** What one machine sends and is sent gets lost. */
  cutOff(machine: Machine, milliseconds: number): void {
    this.kernel.tell("state", `is cut off from ${machine.name} for ${Math.round(milliseconds)} ms`);
    this.#cutOff.set(machine, this.kernel.now + milliseconds);
  }

  #isCutOff(machine: Machine): boolean {
    return (this.#cutOff.get(machine) ?? 0) > this.kernel.now;
  }

  heal(): void {
    this.#restart();
    this.#cutOff.clear();
    this.#stalledUntil = 0;
  }

  /** The holder of the lease of the workspace. */
  holder(): Holder | undefined {
    return this.#holderOf("apply");
  }

  /** A person releases a lease. */
  free(name: string): void {
    const row = this.#leases.get(name);
    if (row) this.#leases.set(name, { ...row, deadline: 0 });
  }

  /** The summaries of all runs. */
  runs(): readonly RunSummary[] {
    return [...this.#collection("runs").values()].map((text) => JSON.parse(text));
  }

  #collection(name: Documents): Map<string, string> {
    const known = this.#collections.get(name) ?? new Map<string, string>();
    this.#collections.set(name, known);
    return known;
  }

  /** One question and its answer. Rejects if either gets lost. */
  ask<Answer>(machine: Machine, work: () => Answer): Promise<Answer> {
    const { kernel } = this;
    return new Promise((resolve, reject) => {
      if (!machine.acts()) return;
      const epoch = this.#epoch;
      const lost = () => machine.later(this.#delay(), () => reject(new Error("the connection was lost")));
      const arrive = () => {
        if (this.#isCutOff(machine)) return machine.later(patience / 4, lost);
        if (!this.isUp || epoch !== this.#epoch) return lost();
        const stalled = this.#stalledUntil - kernel.now;
        if (stalled > 0) return kernel.after(stalled, arrive);
        const answer = attempted(work);
        if (this.#isCutOff(machine)) return machine.later(patience / 4, lost);
        machine.later(this.#delay(), () => {
          if ("error" in answer) reject(answer.error);
          else resolve(answer.value as Answer);
        });
      };
      kernel.after(this.#delay(), arrive);
    });
  }

  #delay(): number {
    return this.kernel.between(...way);
  }

  /** The state as the program of a machine has it: each question is asked until it is answered, and has its effect once. */
  stateOf(machine: Machine, errors: () => StateErrors): WorkspaceState {
    const asked = async <Answer>(work: () => Answer): Promise<Answer> => {
      let answer: Answered | undefined;
      const once = () => {
        answer ??= attempted(work);
        if ("error" in answer) throw answer.error;
        return answer.value as Answer;
      };
      const end = this.kernel.now + patience;
      for (;;) {
        let isOver = false;
        const late = new Promise<never>((_, reject) => {
          machine.later(patience / 2, () => isOver || reject(new Error("no answer in time")));
        });
        try {
          return await Promise.race([this.ask(machine, once), late]);
        } catch (error) {
          if (answer && "error" in answer) throw answer.error;
          if (this.kernel.now >= end) {
            throw new (errors().UnavailableError)(`the state simulated has been unavailable for 10 s: ${error}`);
          }
        } finally {
          isOver = true;
          late.catch(() => {});
        }
        await new Promise<void>((resolve) => machine.later(retryInterval, resolve));
      }
    };
    const check = (token: LeaseToken | undefined) => {
      const row = this.#row("apply");
      if (token && (row?.run !== token.run || row.fence !== token.fence))
        throw new (errors().LeaseLostError)(token.run);
    };
    return {
      ...{ place: "simulated", isShared: true, writeError: () => undefined },
      get: (from, names) =>
        asked(() => {
          const all = this.#collection(from);
          return new Map(names.flatMap((name) => (all.has(name) ? [[name, all.get(name) ?? ""] as const] : [])));
        }),
      put: (into, texts, token) =>
        asked(() => {
          check(token);
          for (const [name, text] of texts) {
            if (text === undefined) this.#collection(into).delete(name);
            else this.#collection(into).set(name, text);
          }
        }),
      marks: async () => new Map(),
      append: (_, run, lines, token) =>
        asked(() => {
          check(token);
          for (const line of lines) this.journal.push({ run, machine, line: JSON.parse(line) });
        }),
      lines: (_, names) =>
        asked(() => new Map(names.map((name) => [name, this.#linesOf(name)] as const).filter(([, own]) => own.length))),
      lastLines: () =>
        asked(() => new Map(this.#journals().map((run) => [run, this.#linesOf(run).at(-1) ?? ""] as const))),
      list: (of) => asked(() => (of === "journals" ? this.#journals() : [...this.#collection(of as Documents).keys()])),
      forget: async () => {},
      leases: (name) => this.#leasesOf(name, asked),
      holders: (start) =>
        asked(() =>
          [...this.#leases.keys()].flatMap((name) => (name.startsWith(start) ? (this.#holderOf(name) ?? []) : [])),
        ),
      rates: {
        reserve: (key, milliseconds) =>
          asked(() => {
            const start = Math.max(this.kernel.now, this.#rates.get(key) ?? 0);
            this.#rates.set(key, start + milliseconds);
            return start - this.kernel.now;
          }),
        hold: (key, milliseconds) =>
          asked(() => void this.#rates.set(key, Math.max(this.#rates.get(key) ?? 0, this.kernel.now + milliseconds))),
      },
      // The workspace of the simulation keeps no ledger, and nobody asks for the size.
      ledger: undefined as never,
      bytes: undefined as never,
      [Symbol.asyncDispose]: async () => {},
    };
  }

  #journals(): string[] {
    return [...new Set(this.journal.map(({ run }) => run))].sort();
  }

  #linesOf(run: string): string[] {
    return this.journal.flatMap((row) => (row.run === run ? JSON.stringify(row.line) : []));
  }

  #row(name: string): LeaseRow | undefined {
    const row = this.#leases.get(name);
    return row && row.deadline > this.kernel.now ? row : undefined;
  }

  #holderOf(name: string): Holder | undefined {
    const row = this.#row(name);
    const at = (now: number) => new Date(calendar + now).toISOString();
    return row && { ...row.claim, run: row.run, fence: row.fence, since: at(0), deadline: at(row.deadline) };
  }

  #leasesOf(name: string, asked: Asking): Leases {
    const isHeld = ({ run, fence }: LeaseToken) => this.#row(name)?.run === run && this.#row(name)?.fence === fence;
    const deadline = (milliseconds: number) => this.kernel.now + milliseconds;
    return {
      take: (claim, milliseconds) =>
        asked(() => {
          const heldBy = this.#holderOf(name);
          if (heldBy && heldBy.run !== claim.run) return { heldBy };
          const token = { run: claim.run, fence: (this.#leases.get(name)?.fence ?? 0) + 1 };
          this.#leases.set(name, { ...token, claim, deadline: deadline(milliseconds) });
          return token;
        }),
      renew: (token, milliseconds) =>
        asked(() => {
          const row = this.#row(name);
          if (!row || !isHeld(token)) return false;
          this.#leases.set(name, { ...row, deadline: deadline(milliseconds) });
          return true;
        }),
      remaining: (token) => asked(() => (isHeld(token) ? (this.#row(name)?.deadline ?? 0) - this.kernel.now : 0)),
      holder: () => asked(() => this.#holderOf(name)),
      release: (run, fence) =>
        asked(() => {
          const row = this.#row(name);
          const isRuns = row?.run === run && row.fence === (fence ?? row.fence);
          if (isRuns) this.free(name);
          return isRuns;
        }),
    };
  }
}

type Asking = <Answer>(work: () => Answer) => Promise<Answer>;

function attempted(work: () => unknown): Answered {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}

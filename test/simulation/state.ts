import type { UnavailableError } from "../../src/base/exit.ts";
import type { Claim, Holder, LeaseLostError, Leases, LeaseToken } from "../../src/state/lease.ts";
import type { RunSummary } from "../../src/state/run-summary.ts";
import type { JournalLine, Journals, SharedState, Texts } from "../../src/state/state.ts";
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
  readonly runs = new Map<string, RunSummary>();
  isUp = true;
  readonly #leases = new Map<string, LeaseRow>();
  readonly #documents = new Map<string, string>();
  readonly #texts = new Map<string, string>();
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
  stateOf(machine: Machine, errors: () => StateErrors): SharedState {
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
    const held = (token: LeaseToken) => {
      const row = this.#row("apply");
      if (row?.run !== token.run || row.fence !== token.fence) throw new (errors().LeaseLostError)(token.run);
    };
    return {
      place: "simulated",
      leases: this.#leasesOf("apply", asked),
      watchLeases: this.#leasesOf("watch", asked),
      journals: this.#journalsOf(machine, asked, held),
      runs: {
        record: (summary) => asked(() => void this.runs.set(summary.run, summary)),
        list: () => asked(() => [...this.runs.values()].reverse()),
      },
      plans: this.#textsOf("plan", asked),
      notes: this.#textsOf("note", asked),
      approvals: { add: async () => {}, list: async () => [], ofRuns: async () => new Map() },
      snapshots: {
        read: (names) => asked(() => this.#textsNamed("snapshot", names)),
        write: (texts) =>
          asked(() => {
            for (const [name, text] of texts) this.#texts.set(`snapshot ${name}`, text);
          }),
        marks: async () => new Map(),
        leases: this.#leasesOf("snapshots", asked),
      },
      workers: {
        leases: (name) => this.#leasesOf(name, asked),
        holders: (start) =>
          asked(() =>
            [...this.#leases.keys()].flatMap((name) => (name.startsWith(start) ? (this.#holderOf(name) ?? []) : [])),
          ),
        write: (run, name, text) =>
          asked(() => {
            const key = `${run} ${name}`;
            if (!this.#documents.has(key)) this.#documents.set(key, text);
          }),
        read: (run, names) =>
          asked(() => {
            const found = names.map((name) => [name, this.#documents.get(`${run} ${name}`)] as const);
            return new Map(found.flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const])));
          }),
        forget: (run) =>
          asked(() => {
            for (const key of this.#documents.keys()) if (key.startsWith(`${run} `)) this.#documents.delete(key);
          }),
      },
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
      // The workspace of the simulation keeps no ledger, and nobody asks for the contents.
      ledger: undefined as never,
      contents: undefined as never,
      [Symbol.asyncDispose]: async () => {},
    };
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
      giveBack: (token) => asked(() => (isHeld(token) ? this.free(name) : undefined)),
      holder: () => asked(() => this.#holderOf(name)),
      release: (run) =>
        asked(() => {
          const isRuns = this.#row(name)?.run === run;
          if (isRuns) this.free(name);
          return isRuns;
        }),
    };
  }

  #journalsOf(machine: Machine, asked: Asking, held: (token: LeaseToken) => void): Journals {
    const append = (token: LeaseToken, run: string, lines: readonly JournalLine[]) =>
      asked(() => {
        held(token);
        for (const line of lines) this.journal.push({ run, machine, line });
      });
    const linesOf = (run: string) => this.journal.filter((row) => row.run === run).map(({ line }) => line);
    const list = () => [...new Set(this.journal.map(({ run }) => run))].sort();
    return {
      writeError: () => undefined,
      open: (token) => {
        let last: Promise<void> = Promise.resolve();
        return {
          append: (line) => {
            last = last.then(() => append(token, token.run, [line]));
            last.catch(() => {});
            return last;
          },
          close: () => last.catch(() => {}),
        };
      },
      list: () => asked(list),
      read: (run) =>
        asked(() => {
          const lines = linesOf(run);
          return lines.length > 0 ? lines : undefined;
        }),
      unfinished: () =>
        asked(() => list().filter((run) => !linesOf(run).some(({ event }) => event === "end" || event === "noticed"))),
      extend: append,
    };
  }

  #textsNamed(kind: string, names: readonly string[]): Map<string, string> {
    return new Map(
      names.flatMap((name) => {
        const text = this.#texts.get(`${kind} ${name}`);
        return text === undefined ? [] : [[name, text] as const];
      }),
    );
  }

  #textsOf(kind: string, asked: Asking): Texts {
    return {
      read: (name) => asked(() => this.#texts.get(`${kind} ${name}`)),
      write: (name, text) => asked(() => void this.#texts.set(`${kind} ${name}`, text)),
      list: async () => [],
      marks: async () => new Map(),
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

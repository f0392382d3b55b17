import type { Machine } from "./machine.ts";
import type { Answered, Asked, Service } from "./service.ts";

/** What becomes of one request on its way. Times are milliseconds from when it is sent. */
export interface Fate {
  /** When it arrives; left out: never. */
  readonly arrives?: number | undefined;
  /** What the server, or what stands before it, says without acting. */
  readonly refused?: Answered | undefined;
  /** What stands before the server says in place of its answer. */
  readonly instead?: Answered | undefined;
  /** How long the answer is under way; left out: it gets lost. */
  readonly back?: number | undefined;
  /** When the connection breaks, whatever becomes of the request. */
  readonly breaks?: number | undefined;
}

/** Who decides over requests, and is told of them. */
export interface Wires {
  readonly service: Service;
  readonly fate: (asked: Asked) => Fate;
  /** Milliseconds that a new connection takes. */
  readonly connecting: () => number;
  /** It may go out as soon as there is a connection for it. */
  readonly due: () => void;
  /** It goes out now. */
  readonly sent: (machine: Machine, asked: Asked) => (() => void) | undefined;
}

interface Controller {
  readonly abort: (error: Error) => void;
}

interface Handler {
  onRequestStart(controller: Controller): void;
  onResponseStart(controller: Controller, status: number, headers: Readonly<Record<string, string>>): void;
  onResponseData(controller: Controller, chunk: Buffer): void;
  onResponseEnd(): void;
  onResponseError(controller: Controller | undefined, error: Error): void;
}

interface Waiting {
  readonly asked: Asked;
  readonly handler: Handler;
}

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** The package `undici`, as far as the program uses it: connections that carry one request at a time. */
export function httpLibrary(machine: Machine, wires: Wires) {
  const { kernel } = machine;
  const { service } = wires;
  class Agent {
    readonly #most: number;
    #idle = 0;
    #open = 0;
    readonly #queue: Waiting[] = [];
    #inFlight = 0;
    #closed: (() => void) | undefined;

    constructor({ connections }: { readonly connections: number }) {
      this.#most = connections;
    }

    dispatch({ method, path, body = null }: Asked, handler: Handler): void {
      this.#inFlight++;
      wires.due();
      this.#queue.push({ asked: { method, path, body }, handler });
      this.#go();
    }

    destroy(): Promise<void> {
      return new Promise((resolve) => {
        this.#closed = resolve;
        this.#over(0);
      });
    }

    #go(): void {
      for (let next = this.#queue[0]; next && (this.#idle > 0 || this.#open < this.#most); next = this.#queue[0]) {
        this.#queue.shift();
        if (this.#idle > 0) {
          this.#idle--;
          this.#send(next);
        } else this.#connect(next);
      }
    }

    #connect(next: Waiting): void {
      this.#open++;
      machine.later(wires.connecting(), () => {
        if (service.isUp) return this.#send(next);
        this.#open--;
        next.handler.onResponseError(undefined, systemError("ECONNREFUSED"));
        this.#over(1);
      });
    }

    #send({ asked, handler }: Waiting): void {
      let isOver = false;
      /** `keeps`: the connection can carry another one. */
      const end = (keeps: boolean, told: () => void) => {
        if (isOver) return;
        isOver = true;
        if (keeps) this.#idle++;
        else this.#open--;
        told();
        this.#over(1);
      };
      const controller: Controller = {
        abort: (error) => end(false, () => handler.onResponseError(controller, error)),
      };
      handler.onRequestStart(controller);
      if (isOver || !machine.acts()) return;
      const landed = wires.sent(machine, asked);
      const broken = () => end(false, () => handler.onResponseError(controller, systemError("ECONNRESET")));
      const { arrives, refused, instead, back, breaks } = wires.fate(asked);
      const say = ({ status, body, headers = {} }: Answered, delay: number) =>
        machine.later(delay, () =>
          end(true, () => {
            handler.onResponseStart(controller, status, headers);
            if (body !== undefined) handler.onResponseData(controller, Buffer.from(JSON.stringify(body)));
            handler.onResponseEnd();
          }),
        );
      if (breaks !== undefined) machine.later(breaks, broken);
      if (arrives === undefined) return;
      kernel.after(arrives, () => {
        if (!service.isUp) return machine.later(1, broken);
        if (refused) return say(refused, back ?? 1);
        landed?.();
        const answer = service.answer(asked);
        if (back !== undefined) say(instead ?? answer, back);
      });
    }

    #over(count: number): void {
      this.#inFlight -= count;
      if (this.#inFlight === 0) this.#closed?.();
      this.#go();
    }
  }
  return { __esModule: true, Agent };
}

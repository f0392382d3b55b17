/** What a driver of PostgreSQL asks a server through: a connection that may break at any time. */
export interface Wire {
  /** Resolves when it is there. */
  readonly connect: (limit: number) => Promise<void>;
  readonly ask: (text: string, values: readonly unknown[]) => Promise<readonly unknown[]>;
  readonly end: () => void;
}

/** The package `pg`, as far as the program uses it. */
export function driver(open: () => Wire) {
  class Client {
    readonly #wire = open();
    readonly #limit: number;
    constructor({ connectionTimeoutMillis = 10_000 }: { readonly connectionTimeoutMillis?: number } = {}) {
      this.#limit = connectionTimeoutMillis;
    }
    on(): this {
      return this;
    }
    connect(): Promise<void> {
      return this.#wire.connect(this.#limit);
    }
    async query(query: string | { readonly text: string; readonly values?: readonly unknown[] }) {
      const { text, values = [] } = typeof query === "string" ? { text: query } : query;
      return { rows: await this.#wire.ask(text, values) };
    }
    async end(): Promise<void> {
      this.#wire.end();
    }
  }
  return { default: { Client }, Client, __esModule: true };
}

/** As the system and the driver tell of broken connections. */
export function systemError(code: string, message = code): Error {
  return Object.assign(new Error(message), { code });
}

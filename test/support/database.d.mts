import type { ChildProcess } from "node:child_process";

/** A PostgreSQL server of its own. */
export interface Database {
  readonly port: number;
  readonly password: string;
  /** URL of the role that owns everything. */
  readonly url: (database?: string, host?: string) => string;
  readonly start: () => Promise<void>;
  /** As kill -9 does. */
  readonly kill: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** Takes effect with SIGHUP, where the server has TLS. */
  readonly certify: (certificate: string, key: string) => void;
  readonly signal: (name: NodeJS.Signals) => void;
}
export function systemServer(): string | undefined;
export function packagedServer(): Promise<string | undefined>;
export function startDatabase(
  parent: string,
  bin: string,
  options?: {
    readonly password?: string;
    readonly tls?: readonly [certificate: string, key: string];
    /** Called with the process of each start, before it is ready. */
    readonly onStart?: (server: ChildProcess) => void;
  },
): Promise<Database>;

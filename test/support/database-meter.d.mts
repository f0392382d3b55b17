/** What was asked on a way to a PostgreSQL server. */
export interface Asked {
  readonly statements: number;
  /** Of the answers. */
  readonly bytes: number;
  /** Of each statement that had parameters. */
  readonly texts: readonly string[];
}
export interface Meter {
  readonly port: number;
  /** Since the last time. */
  readonly taken: () => Asked;
  readonly close: () => void;
}
export function metered(port: number): Promise<Meter>;

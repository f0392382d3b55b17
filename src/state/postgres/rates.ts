import type { Rates } from "../rates.ts";
import type { PostgresSession } from "./session.ts";

/** The end of the last reservation, corrected if the clock of the server was set back. */
const reserved = "r.reserved - greatest(r.noted - clock_timestamp(), interval '0')";

const reserve = `
  INSERT INTO evenkeel.rate AS r (key, reserved) VALUES ($1, clock_timestamp() + $2 * interval '1 millisecond')
  ON CONFLICT (key) DO UPDATE
  SET reserved = greatest(${reserved}, clock_timestamp()) + $2 * interval '1 millisecond', noted = clock_timestamp()
  RETURNING extract(epoch FROM reserved - clock_timestamp())::float8 * 1000 AS until`;

const hold = `
  INSERT INTO evenkeel.rate AS r (key, reserved) VALUES ($1, clock_timestamp() + $2 * interval '1 millisecond')
  ON CONFLICT (key) DO UPDATE
  SET reserved = greatest(${reserved}, clock_timestamp() + $2 * interval '1 millisecond'), noted = clock_timestamp()`;

/** The rates of all workspaces, one row per token. */
export function postgresRates({ query }: Pick<PostgresSession, "query">): Rates {
  return {
    reserve: async (key, milliseconds) => {
      const [row] = await query<{ until: number }>(reserve, [key, milliseconds]);
      return Math.max(0, (row?.until ?? 0) - milliseconds);
    },
    hold: async (key, milliseconds) => void (await query(hold, [key, milliseconds])),
  };
}

import type { Rates } from "../../client/rates.ts";
import type { PostgresSession } from "./session.ts";

/** Whoever waits for the row sees the time at which the one before it let go, by the server's clock. */
const reserve = `
  INSERT INTO evenkeel.rate AS r (key, reserved) VALUES ($1, clock_timestamp() + $2 * interval '1 millisecond')
  ON CONFLICT (key) DO UPDATE
  SET reserved = greatest(r.reserved, clock_timestamp()) + $2 * interval '1 millisecond'
  RETURNING extract(epoch FROM reserved - clock_timestamp())::float8 * 1000 AS until`;

const hold = `
  INSERT INTO evenkeel.rate AS r (key, reserved) VALUES ($1, clock_timestamp() + $2 * interval '1 millisecond')
  ON CONFLICT (key) DO UPDATE
  SET reserved = greatest(r.reserved, clock_timestamp() + $2 * interval '1 millisecond')`;

/** The rates of all workspaces of a state: a row for each token, that one statement moves. */
export function postgresRates({ query }: Pick<PostgresSession, "query">): Rates {
  return {
    reserve: async (key, milliseconds) => {
      const [row] = await query<{ until: number }>(reserve, [key, milliseconds]);
      return Math.max(0, (row?.until ?? 0) - milliseconds);
    },
    hold: async (key, milliseconds) => void (await query(hold, [key, milliseconds])),
  };
}

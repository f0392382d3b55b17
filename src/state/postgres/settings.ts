/** A setting that statements rely on: the accepted values, and the one that replaces others. */
interface Needed {
  readonly isFine: (value: string) => boolean;
  readonly value: string;
}

/** Milliseconds to wait for a statement. */
const patience = 10_000;
const isLong = (value: string) => Number(value) === 0 || Number(value) >= patience;
const oneOf = (...values: readonly string[]) => ({
  isFine: (value: string) => values.includes(value),
  value: values[0] ?? "",
});

/**
 * Roles, databases, servers and PGOPTIONS may set values with which commits are not durable, concurrent transactions fail,
 * or the driver cannot parse times.
 */
const needed: Readonly<Record<string, Needed>> = {
  synchronous_commit: oneOf("on", "remote_apply"),
  default_transaction_isolation: oneOf("read committed"),
  default_transaction_read_only: oneOf("off"),
  statement_timeout: { isFine: isLong, value: "0" },
  transaction_timeout: { isFine: isLong, value: "0" },
  lock_timeout: { isFine: isLong, value: "0" },
  idle_in_transaction_session_timeout: { isFine: isLong, value: "0" },
  search_path: { isFine: (path) => !path.includes("pg_catalog"), value: "pg_catalog" },
  DateStyle: { isFine: (style) => style.startsWith("ISO"), value: "ISO" },
  client_encoding: oneOf("UTF8"),
  bytea_output: oneOf("hex"),
  standard_conforming_strings: oneOf("on"),
  array_nulls: oneOf("on"),
  extra_float_digits: { isFine: (digits) => Number(digits) >= 0, value: "1" },
};

/** Values of the settings that a connection must change. */
export type Corrections = ReadonlyMap<string, string>;

interface SettingRow {
  readonly name: string;
  /** Of this connection, which a pooler may reuse. */
  readonly setting: string;
  /** Of new connections of this role. */
  readonly reset_val: string;
}

export async function correctionsOf(
  query: (text: string, values: readonly unknown[]) => Promise<{ readonly rows: readonly SettingRow[] }>,
): Promise<Corrections> {
  const text = "SELECT name, setting, reset_val FROM pg_catalog.pg_settings WHERE name = ANY ($1)";
  const { rows } = await query(text, [Object.keys(needed)]);
  return new Map(
    rows.flatMap(({ name, setting, reset_val }) => {
      const need = needed[name];
      return !need || (need.isFine(setting) && need.isFine(reset_val)) ? [] : [[name, need.value] as const];
    }),
  );
}

/** Starts a transaction with these settings. They are local to it, because a pooler may change the connection afterwards. */
export function beginWith(corrections: Corrections): string {
  const mode = corrections.has("default_transaction_read_only") ? " READ WRITE" : "";
  const settings = [...corrections].filter(([name]) => !name.startsWith("default_transaction_"));
  return [`BEGIN ISOLATION LEVEL READ COMMITTED${mode}`, ...settings.map((each) => `SET LOCAL ${assigned(each)}`)].join(
    "; ",
  );
}

/** Set by BullMQ, or missing in older servers. */
const notOfQueues = ["search_path", "client_encoding", "transaction_timeout"];

/** The same for connections of a queue, in the format of PGOPTIONS. */
export const queueOptions = Object.entries(needed)
  .filter(([name]) => !notOfQueues.includes(name))
  .map(([name, { value }]) => `-c ${name}=${value.replaceAll(" ", "\\ ")}`)
  .join(" ");

function assigned([name, value]: readonly [string, string]): string {
  return `${name} = '${value}'`;
}

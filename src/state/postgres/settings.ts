/** A setting that statements rely on: which values will do, and which is set in place of any other. */
interface Needed {
  readonly isFine: (value: string) => boolean;
  readonly value: string;
}

/** Milliseconds for which a statement is waited for. */
const patience = 10_000;
const isLong = (value: string) => Number(value) === 0 || Number(value) >= patience;
const oneOf = (...values: readonly string[]) => ({
  isFine: (value: string) => values.includes(value),
  value: values[0] ?? "",
});

/**
 * Roles, databases, servers and PGOPTIONS may set anything: a commit that a crash loses, an isolation under which runs
 * that start together fail, a form of times that the driver cannot read.
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

/** Settings that a connection has to change, each with its value. */
export type Corrections = ReadonlyMap<string, string>;

interface SettingRow {
  readonly name: string;
  /** Of this connection, which a pooler may have handed to others before. */
  readonly setting: string;
  /** Of every new connection of this role. */
  readonly reset_val: string;
}

/** What a connection has to set before the statements of the state mean what they promise. */
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

/** Begins a transaction with these settings, which end with it: a pooler may carry out the next one elsewhere. */
export function beginWith(corrections: Corrections): string {
  const mode = corrections.has("default_transaction_read_only") ? " READ WRITE" : "";
  const settings = [...corrections].filter(([name]) => !name.startsWith("default_transaction_"));
  return [`BEGIN ISOLATION LEVEL READ COMMITTED${mode}`, ...settings.map((each) => `SET LOCAL ${assigned(each)}`)].join(
    "; ",
  );
}

/** Of which the library of queues takes care, or which not every server has. */
const notOfQueues = ["search_path", "client_encoding", "transaction_timeout"];

/** The same for the connections of a queue, in the form of PGOPTIONS: its library speaks to one server, by no pooler. */
export const queueOptions = Object.entries(needed)
  .filter(([name]) => !notOfQueues.includes(name))
  .map(([name, { value }]) => `-c ${name}=${value.replaceAll(" ", "\\ ")}`)
  .join(" ");

function assigned([name, value]: readonly [string, string]): string {
  return `${name} = '${value}'`;
}

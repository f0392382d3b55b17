import { UnavailableError, UserError } from "../../base/exit.ts";
import { knownSecrets } from "../../base/known-secrets.ts";
import { describeSystemError, systemCode } from "../../base/system-errors.ts";
import type { Database } from "./connection.ts";

/** Whether the server may accept a different encryption. */
export function isAboutEncryption(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /does not support SSL|no pg_hba\.conf entry/.test(error.message) || /^ERR_SSL|^EPROTO/.test(codeOf(error));
}

function codeOf(error: unknown): string {
  return systemCode(error) ?? "";
}

/** Codes of PostgreSQL for transient errors: connections, restarts, fail-overs, deadlocks, cancelled statements. */
const transient = /^(?:08...|57P0[1235]|57014|55P03|53300|0A000|25006|25P0[34]|40001|40P01)$/;

/** Whether a retry may succeed. */
export function isTransientError(error: unknown): boolean {
  if (error instanceof UserError || !(error instanceof Error)) return false;
  if (isOfDatabase(error)) return transient.test(codeOf(error));
  return (
    /^E(?!RR_)[A-Z_]+$/.test(codeOf(error)) ||
    /terminated|timeout|connection error|not queryable|ended/i.test(error.message)
  );
}

function isOfDatabase(error: unknown): boolean {
  return /^[0-9A-Z]{5}$/.test(codeOf(error)) && error instanceof Error && "severity" in error;
}

/** The error for users. */
export function refusalOf(error: unknown, database: Database): unknown {
  if (error instanceof UserError || !(error instanceof Error)) return error;
  return new (isTransientError(error) ? UnavailableError : UserError)(sentence(error, database));
}

function sentence(error: Error, { place, user }: Database): string {
  const known: Readonly<Record<string, string>> = {
    "28P01": `the state ${place} rejects the password of ${user}`,
    "28000": `the state ${place} does not accept connections of ${user}`,
    "3D000": `the state ${place} does not exist: create the database first`,
    "42501": `${user} may not do this in the state ${place}: ${errorText(error)}`,
  };
  if (/password must be a/.test(error.message))
    return `the state ${place} requires a password for ${user}, and none is set`;
  return known[codeOf(error)] ?? `cannot use the state ${place}: ${errorText(error)}`;
}

/** The message of an error, without secrets. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const { errors = [error] } = error as Partial<AggregateError>;
  const [first = error] = errors;
  if (/^E(?!RR_)[A-Z_]+$/.test(codeOf(first))) return connectionErrors[codeOf(first)] ?? describeSystemError(first);
  return knownSecrets.clean(first instanceof Error ? first.message : String(first));
}

const connectionErrors: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ETIMEDOUT: "no answer in time",
  EHOSTUNREACH: "host not reachable",
};

import { readFileSync } from "node:fs";
import { UserError } from "../base/exit.ts";
import { describeSystemError } from "../base/system-errors.ts";
import { valueOrFile } from "../secrets/token.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The URL of a shared state, and its setting for messages. */
export interface StateAddress {
  readonly url: string;
  readonly variable: string;
}

export const unnamed = "a shared state keeps workspaces apart by name; expected name: in evenkeel.yaml";

export const unshared = "workers need a state that they share: set EVENKEEL_STATE to a PostgreSQL database";

/** Whether a shared state is configured. */
export function sharesState(env: Environment): boolean {
  return Boolean(env.EVENKEEL_STATE || env.EVENKEEL_STATE_FILE);
}

/** The configured shared state, if any. @throws UserError if both variables are set. */
export function stateAddress(env: Environment): StateAddress | undefined {
  const { direct: url, file } = valueOrFile(env, "EVENKEEL_STATE");
  if (url) return { url, variable: "EVENKEEL_STATE" };
  return file ? { url: readStateFile(file), variable: "the file that EVENKEEL_STATE_FILE names" } : undefined;
}

function readStateFile(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new UserError(`EVENKEEL_STATE_FILE names ${file}, which cannot be read: ${describeSystemError(error)}`);
  }
}

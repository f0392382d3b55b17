import { setTimeout as pause } from "node:timers/promises";
import type { Reader } from "../client/client.ts";
import { CallFailed } from "../client/failure.ts";
import type { Change } from "../model/types.ts";
import { bareCallsOf } from "../plan/requests.ts";
import type { ApplyOptions } from "./apply.ts";
import { isInPlace } from "./send-change.ts";
import { isVisible } from "./verify-write.ts";

type Known = Awaited<ReturnType<NonNullable<ApplyOptions["known"]>>>;

/** Whether reading shows a change, or why it could not be read. */
async function observe(reader: Reader, change: Change): Promise<"there" | "missing" | CallFailed> {
  if (!isVisible(change)) return "missing";
  try {
    return (await isInPlace(reader, change)) ? "there" : "missing";
  } catch (error) {
    if (error instanceof CallFailed) return error;
    throw error;
  }
}

/** The outcome of a write that a stopped process may have sent; undefined, to send it again, if reading does not show it. */
async function lookUpWrite(reader: Reader, change: Change): Promise<Known> {
  const shown = await observe(reader, change);
  if (shown === "there") return { outcome: { status: "applied" } };
  if (shown === "missing") return undefined;
  const error = `a process that stopped may have sent it, and looking it up failed: ${shown.message}`;
  return { outcome: { status: "unknown", error } };
}

/** Milliseconds. */
const pollInterval = 500;

function isPosted({ catalogue }: Reader, change: Change): boolean {
  return bareCallsOf(change, catalogue).some(({ method }) => method === "POST");
}

/**
 * Requests that an interrupted run or worker left in flight may still be executed. Changes that would then exist twice wait until
 * those have timed out, `milliseconds` from now, and are sent if reading does not show them.
 */
export function afterEarlierRuns(
  inFlight: readonly string[],
  milliseconds: number,
  stopped: ApplyOptions["stopped"],
): NonNullable<ApplyOptions["known"]> {
  const addresses = new Set(inFlight);
  const over = performance.now() + milliseconds;
  return async (reader, change) => {
    if (!addresses.has(change.address) || !isPosted(reader, change)) return undefined;
    for (let left = milliseconds; left > 0 && !stopped(); left = over - performance.now()) {
      await pause(Math.min(left, pollInterval));
    }
    return lookUpWrite(reader, change);
  };
}

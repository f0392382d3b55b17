import { setTimeout as pause } from "node:timers/promises";
import type { Reader } from "../client/client.ts";
import { CallFailed } from "../client/failure.ts";
import type { Change } from "../model/types.ts";
import { callOf } from "../plan/make-plan.ts";
import type { ApplyOptions } from "./apply.ts";
import { isInPlace } from "./send-change.ts";
import { isVisible } from "./verify-write.ts";

type Known = Awaited<ReturnType<NonNullable<ApplyOptions["known"]>>>;

/** Whether a change is there already, as far as reading can show it; or why it could not be read. */
export async function observe(reader: Reader, change: Change): Promise<"there" | "missing" | CallFailed> {
  if (!isVisible(change)) return "missing";
  try {
    return (await isInPlace(reader, change)) ? "there" : "missing";
  } catch (error) {
    if (error instanceof CallFailed) return error;
    throw error;
  }
}

/** What another may have sent that is gone: sent again only where reading shows nothing of it, or can show nothing. */
export async function lookUpWrite(reader: Reader, change: Change, another: string): Promise<Known> {
  const shown = await observe(reader, change);
  if (shown === "there") return { outcome: { status: "applied" } };
  if (shown === "missing") return undefined;
  const error = `${another} may have sent it, and looking it up failed: ${shown.message}`;
  return { outcome: { status: "unknown", error } };
}

const betweenLooks = 500;

/**
 * What an earlier run was sending when it was killed or lost its lease may land yet. What would then be there twice
 * waits until no request can be under way any more, `milliseconds` from now, and is sent where reading shows nothing of it.
 */
export function afterEarlierRuns(
  inFlight: readonly string[],
  milliseconds: number,
  stopped: ApplyOptions["stopped"],
): NonNullable<ApplyOptions["known"]> {
  const addresses = new Set(inFlight);
  const over = performance.now() + milliseconds;
  return async (reader, change) => {
    if (!addresses.has(change.address) || callOf(change, reader.catalogue).method !== "POST") return undefined;
    for (let left = milliseconds; left > 0 && !stopped(); left = over - performance.now()) {
      await pause(Math.min(left, betweenLooks));
    }
    return lookUpWrite(reader, change, "an earlier run");
  };
}

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { callLater, deadline } from "../../src/client/timer.ts";

const hour = 3_600_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([1, 596, 597, 2000])("%d hours are waited for, not more and not less", (hours) => {
  const work = vi.fn();
  callLater(hours * hour, work);
  vi.advanceTimersByTime(hours * hour - 1);
  expect(work).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(work).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

it("a deadline says why it is over", () => {
  const signal = deadline(600 * hour, "600 h have passed");
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(600 * hour);
  expect(signal.reason).toBe("600 h have passed");
});

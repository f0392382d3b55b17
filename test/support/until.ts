import { vi } from "vitest";

/** What happens is waited for about as long as a test may take. */
export const minutes = 280_000;

/** Waits for what another process or another part of this one brings about. */
export function until<Found>(happened: () => Found | Promise<Found>) {
  return vi.waitUntil(happened, { timeout: minutes, interval: 5 });
}

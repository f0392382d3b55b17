import type { WorkerStore } from "../state/state.ts";
import { join, type Membership } from "./membership.ts";

/** A worker that was not heard of in time comes back as another, so that nobody waits for what it once meant to send. */
export function keepHeartbeat(store: WorkerStore, origin: string, duration: number, counted: () => number) {
  const renewed = async (before: Membership | undefined): Promise<Membership> => {
    if (before && before.lost() === undefined) return before;
    await before?.[Symbol.asyncDispose]();
    const earlier = counted();
    return join(store, { role: "worker", origin, sent: () => counted() - earlier }, duration);
  };
  let membership: Promise<Membership | undefined> = Promise.resolve(undefined);
  return {
    current: (): Promise<Membership> => {
      const current = membership.then(renewed);
      membership = current;
      return current;
    },
    // Who could not join any more has nothing to leave.
    leave: async () => (await membership.catch(() => undefined))?.[Symbol.asyncDispose](),
  };
}

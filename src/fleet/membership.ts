import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { pid } from "node:process";
import { version } from "../base/version.ts";
import type { FleetState, Member } from "../state/state.ts";

/** That a process takes part, told to the others for as long as it is not disposed of. */
export interface Membership extends AsyncDisposable {
  readonly id: string;
  /** Why nothing may be sent as this member any more; asks nobody, as that of a lease. */
  readonly lost: () => string | undefined;
}

/** Takes part as a worker, or as a run that gives work out. Said again three times within `duration` milliseconds. */
export async function join(
  fleet: FleetState,
  { id = newId(), ...who }: Pick<Member, "role" | "origin"> & { readonly id?: string },
  duration: number,
): Promise<Membership> {
  const member: Member = { ...who, id, version, host: hostname().slice(0, 100), pid };
  let until = performance.now() + duration;
  let reason: string | undefined;
  let telling: Promise<void> = Promise.resolve();
  await fleet.present(member, duration);
  const lost = () => {
    if (performance.now() > until) reason ??= `this worker was not heard of for ${duration / 1000} s`;
    return reason;
  };
  const tell = async () => {
    if (lost() !== undefined) return clearInterval(timer);
    const asked = performance.now();
    // A state that cannot be reached for a while may come back before the others take this member for gone.
    await fleet.present(member, duration).then(
      () => {
        until = asked + duration;
      },
      () => {},
    );
  };
  const timer = setInterval(() => {
    telling = telling.then(tell);
  }, duration / 3);
  timer.unref();
  return {
    id,
    lost,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await telling;
      await fleet.leave(id).catch(() => {});
    },
  };
}

function newId(): string {
  return `${hostname().slice(0, 100)}/${pid}/${randomBytes(4).toString("hex")}`;
}

/** Milliseconds for which a member is believed to be there without a word of it. */
export function membershipFor(leaseDuration: number): number {
  return Math.min(leaseDuration, longest);
}

const longest = 20_000;

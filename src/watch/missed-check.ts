import type { Texts } from "../state/state.ts";
import { keptMemory } from "../state/watch-memory.ts";
import type { Clock } from "./clock.ts";
import { type Notification, silentNotification } from "./notification-texts.ts";
import type { WatchOptions } from "./options.ts";
import { openWatchState } from "./watch-state.ts";

const note = "watch-silent";

/** The notification of a missed check; undefined if none was missed or it was sent already. */
export async function missedCheckNotification(notes: Texts, clock: Clock): Promise<Notification | undefined> {
  const last = (await keptMemory(notes))?.last;
  if (!last || last.stopped || clock.now() <= Date.parse(last.late)) return undefined;
  if ((await notes.read(note)) === last.at) return undefined;
  await notes.write(note, last.at);
  return silentNotification(last.at, last.run);
}

/** The counts of a missed check. */
export const unseen = { projects: 0, drift: 0, pending: 0, problems: 0 };

/** Notifies once of a leader that holds its lease and does not check. */
export async function notifyMissedCheck(notes: Texts, options: WatchOptions): Promise<void> {
  const notification = await missedCheckNotification(notes, options.clock);
  if (!notification) return;
  options.host.warn(notification.headline);
  await notifyAlone(notes, options, notification);
}

/** Leaves the leader's saved state unchanged. */
async function notifyAlone(notes: Texts, options: WatchOptions, notification: Notification): Promise<void> {
  const mute = { ...notes, read: async () => undefined, write: async () => {} };
  await using memory = await openWatchState(mute, options);
  memory.enqueue([notification], unseen);
  await memory.save();
}

import type { Texts } from "../state/state.ts";
import { keptMemory } from "../state/watch-memory.ts";
import type { Clock } from "./clock.ts";
import { type Notification, silentNotification } from "./notification-texts.ts";
import type { WatchOptions } from "./options.ts";
import { openWatchState } from "./watch-state.ts";

const note = "watch-silent";

/** What is told of a watcher that should have checked; undefined where nobody missed a check, and where it was told. */
export async function missedCheckNotification(notes: Texts, clock: Clock): Promise<Notification | undefined> {
  const last = (await keptMemory(notes))?.last;
  if (!last || last.stopped || clock.now() <= Date.parse(last.late)) return undefined;
  if ((await notes.read(note)) === last.at) return undefined;
  await notes.write(note, last.at);
  return silentNotification(last.at, last.run);
}

/** What is told beside silence: nobody has checked. */
export const unseen = { projects: 0, drift: 0, pending: 0, problems: 0 };

/** Tells once of a watcher that holds its lease and does not check. */
export async function notifyMissedCheck(notes: Texts, options: WatchOptions): Promise<void> {
  const notification = await missedCheckNotification(notes, options.clock);
  if (!notification) return;
  options.host.warn(notification.headline);
  await tellAlone(notes, options, notification);
}

/** Without a word to the memory of the one whose turn it is. */
async function tellAlone(notes: Texts, options: WatchOptions, notification: Notification): Promise<void> {
  const mute = { ...notes, read: async () => undefined, write: async () => {} };
  await using memory = await openWatchState(mute, options);
  memory.tell([notification], unseen);
  await memory.keep();
}

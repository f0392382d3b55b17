import type { Texts } from "../state/state.ts";
import { keptMemory, type LastLook } from "../state/watch-memory.ts";
import { openMemory } from "./memory.ts";
import { type News, silentNews } from "./message.ts";
import type { WatchOptions } from "./options.ts";

/** What is told of a watcher that should have looked; undefined where nobody missed a look. */
export function silenceOf(last: LastLook | undefined, now: number): News | undefined {
  if (!last || last.stopped || now <= Date.parse(last.late)) return undefined;
  return silentNews(last.at, last.run);
}

const note = "watch-silent";

/** Tells once of a watcher that holds its lease and does not look. */
export async function noticeSilence(notes: Texts, options: WatchOptions): Promise<void> {
  const last = (await keptMemory(notes))?.last;
  const news = silenceOf(last, options.clock.now());
  if (!news || !last || (await notes.read(note)) === last.at) return;
  await notes.write(note, last.at);
  options.host.warn(news.headline);
  await tellAlone(notes, options, news);
}

/** Without a word to the memory of the one whose turn it is. */
async function tellAlone(notes: Texts, options: WatchOptions, news: News): Promise<void> {
  const mute = { ...notes, read: async () => undefined, write: async () => {} };
  await using memory = await openMemory(mute, options);
  memory.tell([news], { projects: 0, drift: 0, pending: 0, problems: 0 });
}

import type { Texts } from "../state/state.ts";
import { keptMemory } from "../state/watch-memory.ts";
import type { Clock } from "./clock.ts";
import { openMemory } from "./memory.ts";
import { type News, silentNews } from "./message.ts";
import type { WatchOptions } from "./options.ts";

const note = "watch-silent";

/** What is told of a watcher that should have looked; undefined where nobody missed a look, and where it was told. */
export async function silenceNews(notes: Texts, clock: Clock): Promise<News | undefined> {
  const last = (await keptMemory(notes))?.last;
  if (!last || last.stopped || clock.now() <= Date.parse(last.late)) return undefined;
  if ((await notes.read(note)) === last.at) return undefined;
  await notes.write(note, last.at);
  return silentNews(last.at, last.run);
}

/** What is told beside silence: nobody has looked. */
export const unseen = { projects: 0, drift: 0, pending: 0, problems: 0 };

/** Tells once of a watcher that holds its lease and does not look. */
export async function noticeSilence(notes: Texts, options: WatchOptions): Promise<void> {
  const news = await silenceNews(notes, options.clock);
  if (!news) return;
  options.host.warn(news.headline);
  await tellAlone(notes, options, news);
}

/** Without a word to the memory of the one whose turn it is. */
async function tellAlone(notes: Texts, options: WatchOptions, news: News): Promise<void> {
  const mute = { ...notes, read: async () => undefined, write: async () => {} };
  await using memory = await openMemory(mute, options);
  memory.tell([news], unseen);
  await memory.keep();
}

import { UserError } from "../base/exit.ts";
import type { Texts } from "./state.ts";

const note = "server";

/**
 * Remembers which server a workspace is for. Returns the one that it was for before, where that was another. What cannot
 * be read or kept is nothing to tell: no run fails for it.
 */
export async function serverBefore(notes: Texts, url: string): Promise<string | undefined> {
  try {
    const before = await notes.read(note);
    if (url === "" || before === url) return undefined;
    await notes.write(note, url);
    return before;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

import { UserError } from "../base/exit.ts";
import type { Texts } from "./state.ts";

const note = "server";

/** Saves the server of a workspace, and returns the previous one if it differs. Errors of the state are ignored. */
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

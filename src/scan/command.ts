import { vocabulary } from "../model/deprecations.ts";
import type { Word } from "./shell-words.ts";

/** A simple command. `words` begins with its name; assignments and wrappers such as sudo are removed. */
export interface Command {
  readonly words: readonly Word[];
  readonly assignments: readonly Word[];
  /** Whether it only prints its arguments, as echo does. */
  readonly printsOnly: boolean;
  /** Whether its output is piped to the next command. */
  readonly feeds: boolean;
  /** Files that it writes to and reads from. */
  readonly outputs: readonly Word[];
  readonly inputs: readonly Word[];
}

/** The base name of a command; empty for an assignment. */
export function commandNameOf({ words }: Command): string {
  return words[0]?.raw.replace(/^.*\//, "").replace(/["']/g, "") ?? "";
}

const keywords = new Set(["if", "then", "elif", "else", "do", "while", "until", "!", "{", "}", "fi", "done", "esac"]);

/** A simple command of words. Keeps the array itself, because here-documents are appended to it later. */
export function commandOf(all: Word[]): Command {
  const assignments: Word[] = [];
  let at = 0;
  for (let word = all[at]; word; word = all[at]) {
    if (/^[A-Za-z_]\w*\+?=/.test(word.raw)) assignments.push(word);
    else if (!isWrapping(all, at)) break;
    at++;
  }
  all.splice(0, at);
  const command = { words: all, assignments, feeds: false, outputs: [], inputs: [], printsOnly: false };
  return { ...command, printsOnly: vocabulary.shell.talk.has(commandNameOf(command)) };
}

/** A keyword, a wrapper, or an option of a wrapper with its value. */
function isWrapping(words: readonly Word[], at: number): boolean {
  const raw = words[at]?.raw.replace(/^@/, "") ?? "";
  const { wrappers } = vocabulary.shell;
  if (keywords.has(raw) || wrappers.has(raw)) return true;
  const before = words[at - 1]?.raw ?? "";
  if (at > maxWords) return false;
  const behindWrapper = words.slice(0, at).some((word) => wrappers.has(word.raw));
  return behindWrapper && (raw.startsWith("-") || /^-[ugnk]$/.test(before) || /^\d+[smh]?$/.test(raw));
}

const maxWords = 30;

import { printable } from "../base/printable.ts";
import { isMove } from "../model/repository-kinds.ts";
import type { Plan } from "../plan/plan.ts";
import type { Palette } from "./palette.ts";

/**
 * What a person should know before repositories move: the rules for moving that no program can check (docs/api.md#rules-for-moving). Empty
 * where nothing moves.
 */
export function movingNotes({ resource_changes }: Plan, palette: Palette): string {
  const moves = resource_changes.filter(isMove).map(({ change }) => change);
  if (moves.length === 0) return "";
  const sources = named(moves.map(({ before }) => before?.repository_storage));
  const destinations = named(moves.map(({ after }) => after?.repository_storage));
  const notes = [
    "Every repository is read-only while its own move runs.",
    `The server must reach ${sources} and ${destinations} throughout.`,
    `New projects are still created on ${sources} unless storage weights send them to ${destinations}: set those first.`,
    "Moves stay within this server. To another one: back up and restore; copying repository files can lose some.",
  ];
  return [palette.strong("Before repositories move"), ...notes.map((note) => `  - ${note}`)].join("\n");
}

function named(storages: readonly unknown[]): string {
  return printable([...new Set(storages.map(String))].join(", "));
}

/** `about 3 min left`; empty where nothing is known yet, or nothing left. */
export function remainingText(milliseconds: number | undefined): string {
  if (!milliseconds) return "";
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 90) return `about ${seconds} s left`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `about ${minutes} min left` : `about ${Math.round(minutes / 60)} h left`;
}

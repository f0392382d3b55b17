import { turnsOff, type Visible } from "../model/removal-changes.ts";

/** What a reviewer should know of a change: `losses` last. */
export function notesOf(change: Visible, inherited: true | undefined, losses: readonly string[]): readonly string[] {
  return [
    ...(change.action === "update" && turnsOff(change) ? [offNote(change)] : []),
    ...(change.action === "replace" ? [replaceNote] : []),
    ...(change.action === "update" && inherited ? [inheritedNote] : []),
    ...losses,
  ];
}

/** Those of the notes on a change that tell who receives which events no longer. */
export function lossesIn(notes: readonly string[], change: Visible): readonly string[] {
  const others = notesOf(change, true, []);
  return notes.filter((note) => !others.includes(note));
}

/** An update among others would look harmless. */
function offNote({ key }: Visible): string {
  return `${key} is turned off by this update, which counts as a disable for the guards`;
}

const replaceNote =
  "the server cannot change it: it is deleted and created again, which counts as a deletion for the guards";

const inheritedNote =
  "the group's settings apply, and a write changes nothing: disable inheritance for this project on the server first";

import { turnsOff, type Visible } from "../model/removal-changes.ts";
import type { Change } from "../model/types.ts";
import type { Rerouting } from "../routes/audience.ts";

/** What a reviewer should know of a change: lost and moved notifications last. */
export function notesOf(
  change: Visible & Pick<Change, "resets">,
  inherited: true | undefined,
  rerouting: Rerouting,
): readonly string[] {
  return [
    ...(change.action === "update" && turnsOff(change) ? [offNote(change)] : []),
    ...(change.action === "replace" ? [replaceNote] : []),
    ...(change.resets ? [`${resetNote}${change.resets.join(", ")}`] : []),
    ...(change.action === "update" && inherited ? [inheritedNote] : []),
    ...reroutingNotes(rerouting),
  ];
}

/** What the notes on a change tell of events that are lost or move. */
export function reroutingIn(notes: readonly string[], change: Visible): Rerouting {
  const moved = notes.filter((note) => note.startsWith(moveNote)).map((note) => note.slice(moveNote.length));
  const others = notesOf(change, true, { lost: [], moved });
  return { lost: notes.filter((note) => !others.includes(note) && !note.startsWith(resetNote)), moved };
}

const moveNote = "notifications move: ";

/** Notes on events that are lost, and on those that move. */
export function reroutingNotes({ lost, moved }: Rerouting): readonly string[] {
  return [...lost, ...moved.map((move) => `${moveNote}${move}`)];
}

/** An update among others would look harmless. */
function offNote({ key }: Visible): string {
  return `${key} is turned off by this update, which counts as a disable for the guards`;
}

const replaceNote =
  "the server cannot change it: it is deleted and created again, which counts as a deletion for the guards";

const resetNote = "what no policy declares gets the server's defaults: ";

const inheritedNote =
  "the group's settings apply, and a write changes nothing: disable inheritance for this project on the server first";

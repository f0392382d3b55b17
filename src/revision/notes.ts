import { kinds } from "../model/kinds.ts";
import type { Fields, Resource } from "../model/types.ts";
import { shiftOf } from "../routes/audience.ts";
import { declaredListeners, receivesEvents } from "../routes/listeners.ts";
import type { DraftChange } from "./compared.ts";

/** Who will receive events no longer, in sentences, as far as declared parameters tell. */
export function notesOf(change: Pick<DraftChange, "kind" | "key" | "action" | "before" | "after">): readonly string[] {
  const { kind, key, action, before, after } = change;
  if (!kinds[kind].listens) return [];
  if (action === "disable") return receivesEvents(key) ? [`${key} will receive no events`] : [];
  if (action !== "edit" || !before || !after) return [];
  // What is not declared any more is left as it is.
  const [was] = listenersOf({ kind, key, fields: before });
  const [is] = listenersOf({ kind, key, fields: { ...before, ...after } });
  return shiftOf(was, is).lost;
}

function listenersOf(resource: Resource & { readonly fields: Fields }) {
  return declaredListeners([{ ...resource, presence: "present", origin: { place: () => nowhere } }]);
}

const nowhere = { file: "", line: 1, column: 1 };

import { columnOf, kinds } from "../model/kinds.ts";
import type { Fields, Resource } from "../model/types.ts";
import { shiftOf } from "../routes/audience.ts";
import { declaredListeners, receivesEvents } from "../routes/listeners.ts";

/** Who will receive events no longer where something is off from now on. */
export function disableNotes({ kind, key }: Pick<Resource, "kind" | "key">): readonly string[] {
  return kinds[kind].listens && receivesEvents(key) ? [`${key} will receive no events`] : [];
}

/** The same where fields are others, as far as what is declared tells; what is not declared any more is left as it is. */
export function editNotes(
  { kind, key }: Pick<Resource, "kind" | "key">,
  before: Fields,
  after: Fields,
): readonly string[] {
  if (!kinds[kind].listens) return [];
  const names = Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name]);
  if (!names.some((name) => name === "active" || columnOf({ kind, key }, name)?.route)) return [];
  const [was] = listenersOf({ kind, key, fields: before });
  const [is] = listenersOf({ kind, key, fields: { ...before, ...after } });
  return shiftOf(was, is).lost;
}

function listenersOf(resource: Resource) {
  return declaredListeners([{ ...resource, presence: "present", origin: { place: () => nowhere } }]);
}

const nowhere = { file: "", line: 1, column: 1 };

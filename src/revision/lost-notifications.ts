import type { Catalogue } from "../model/catalogue.ts";
import { integrationOf, kindOf } from "../model/kinds.ts";
import type { Fields, Resource } from "../model/types.ts";
import { shiftOf } from "../routes/audience.ts";
import { decidesRoutes, declaredListeners, receivesEvents } from "../routes/listeners.ts";

/** Who will receive events no longer where something is off from now on. */
export function disableNotes(catalogue: Catalogue, { kind, key }: Pick<Resource, "kind" | "key">): readonly string[] {
  return kindOf(catalogue, kind).listens && receivesEvents(integrationOf(catalogue, { kind, key }))
    ? [`${key} will receive no events`]
    : [];
}

/** The same where fields are others, as far as what is declared tells; what is not declared any more is left as it is. */
export function editNotes(
  catalogue: Catalogue,
  { kind, key }: Pick<Resource, "kind" | "key">,
  before: Fields,
  after: Fields,
): readonly string[] {
  if (!kindOf(catalogue, kind).listens) return [];
  const names = Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name]);
  const spec = integrationOf(catalogue, { kind, key });
  if (!names.some((name) => decidesRoutes(spec, name))) return [];
  const [was] = listenersOf(catalogue, { kind, key, fields: before });
  const [is] = listenersOf(catalogue, { kind, key, fields: { ...before, ...after } });
  return shiftOf(was, is).lost;
}

function listenersOf(catalogue: Catalogue, resource: Resource) {
  return declaredListeners([{ ...resource, presence: "present" }], catalogue);
}

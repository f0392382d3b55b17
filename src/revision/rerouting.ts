import type { Catalogue } from "../model/catalogue.ts";
import { integrationOf, kindOf } from "../model/kinds.ts";
import type { Fields, Resource } from "../model/types.ts";
import { noRerouting, type Rerouting, reroutingOf } from "../routes/audience.ts";
import { decidesRoutes, declaredListeners, receivesEvents } from "../routes/listeners.ts";

/** Who will receive events no longer where something is off from now on. */
export function disableRerouting(catalogue: Catalogue, { kind, key }: Pick<Resource, "kind" | "key">): Rerouting {
  return kindOf(catalogue, kind).listens && receivesEvents(integrationOf(catalogue, { kind, key }))
    ? { ...noRerouting, lost: [`${key} will receive no events`] }
    : noRerouting;
}

/**
 * Who will receive which events no longer, or in whose place, where fields are others, as far as what is declared tells;
 * what is not declared any more is left as it is.
 */
export function editRerouting(
  catalogue: Catalogue,
  { kind, key }: Pick<Resource, "kind" | "key">,
  before: Fields,
  after: Fields,
): Rerouting {
  if (!kindOf(catalogue, kind).listens) return noRerouting;
  const names = Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name]);
  const spec = integrationOf(catalogue, { kind, key });
  if (!names.some((name) => decidesRoutes(spec, name))) return noRerouting;
  const [was] = listenersOf(catalogue, { kind, key, fields: before });
  const [is] = listenersOf(catalogue, { kind, key, fields: { ...before, ...after } });
  return was && is ? reroutingOf(was, is) : noRerouting;
}

function listenersOf(catalogue: Catalogue, resource: Resource) {
  return declaredListeners([{ ...resource, presence: "present" }], catalogue);
}

import { partsOfAddress } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { Desired, Fields } from "../model/types.ts";
import { declaredListeners } from "../routes/listeners.ts";
import { type Route, routesOf } from "../routes/routes.ts";
import type { ProjectSnapshot, SeenDifference } from "../state/snapshots/snapshot.ts";

type Settings = Pick<Desired, "kind" | "key" | "fields" | "presence">;

/** Who is notified of an event. */
interface Audience {
  /** The event, in the plural. */
  readonly many: string;
  readonly routes: readonly Route[];
}

/** Who is notified of which events, as the project was last observed. What the server does not report is as declared. */
export function liveAudiences(seen: ProjectSnapshot, catalogue: Catalogue): readonly Audience[] {
  const listeners = declaredListeners(liveSettings(seen), catalogue);
  const all = [...catalogue.events].map(([event, { many }]) => ({ many, routes: routesOf(listeners, { event }) }));
  return all.filter(({ routes }) => routes.length > 0);
}

/** The settings of a project as they were last observed: those that are declared, with what differs. */
function liveSettings({ project, entries, differences }: ProjectSnapshot): readonly Settings[] {
  const differing = new Map(differences.map((each) => [each.rest, each]));
  const settings = entries.flatMap(({ kind, key, fields }): Settings | readonly [] => {
    const rest = key === "" ? kind : `${kind}/${key}`;
    const difference = differing.get(rest);
    differing.delete(rest);
    const live = difference ? liveFields(fields, difference) : fields;
    return live ? { kind, key, fields: live, presence: "present" } : [];
  });
  const unlisted = [...differing.values()].flatMap(({ rest, before }): Settings | readonly [] => {
    const parts = partsOfAddress(`${project}:${rest}`);
    return parts && before ? { kind: parts.kind, key: parts.key, fields: before, presence: "present" } : [];
  });
  return [...settings, ...unlisted];
}

function liveFields(declared: Fields | null, { action, before, after }: SeenDifference): Fields | null {
  if (action === "create") return null;
  const unset = new Set(Object.keys(after ?? {}).filter((name) => !(name in (before ?? {}))));
  const kept = Object.entries(declared ?? {}).filter(([name]) => !unset.has(name));
  return { ...Object.fromEntries(kept), ...before };
}

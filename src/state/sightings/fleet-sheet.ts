import { isObject } from "../../base/json.ts";
import type { Sheets } from "../state.ts";
import { formattedText, parsedText } from "./sheet-format.ts";
import { type FleetIndex, fleetCounts } from "./sighting.ts";

/** The name of the sheet that stands above all others. */
export const fleetIndex = "fleet";

/** Its text. */
export function fleetIndexText(fleet: FleetIndex): string {
  return formattedText(fleet);
}

/** What such a text holds; undefined where it is none. @throws UserError for one of a later format. */
export function fleetIn(text: string | undefined): FleetIndex | undefined {
  const { server, whole, sheets, exceptions } = parsedText(text);
  if (typeof server !== "string" || !isObject(sheets)) return undefined;
  return {
    server,
    whole: (isObject(whole) ? whole : null) as FleetIndex["whole"],
    exceptions: (Array.isArray(exceptions) ? exceptions : []) as FleetIndex["exceptions"],
    sheets: sheets as FleetIndex["sheets"],
  };
}

/** As {@link fleetIn}, of what a state keeps. */
export async function readFleetIndex(sheets: Pick<Sheets, "read">): Promise<FleetIndex | undefined> {
  return fleetIn((await sheets.read([fleetIndex])).get(fleetIndex));
}

/** How many projects a state has seen. */
export async function seenProjects(sheets: Pick<Sheets, "read">): Promise<number> {
  const fleet = await readFleetIndex(sheets);
  return fleet ? Object.values(fleetCounts(fleet)).reduce((sum, count) => sum + count, 0) : 0;
}

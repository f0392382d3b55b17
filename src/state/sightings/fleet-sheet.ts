import { isObject } from "../../base/json.ts";
import type { Sheets } from "../state.ts";
import { formattedText, parsedText } from "./sheet-format.ts";
import { type FleetSheet, fleetCounts } from "./sighting.ts";

/** The name of the sheet that stands above all others. */
export const fleetSheet = "fleet";

/** Its text. */
export function fleetSheetText(fleet: FleetSheet): string {
  return formattedText(fleet);
}

/** What such a text holds; undefined where it is none. @throws Refusal for one of a later format. */
export function fleetIn(text: string | undefined): FleetSheet | undefined {
  const { server, whole, sheets, exceptions } = parsedText(text);
  if (typeof server !== "string" || !isObject(sheets)) return undefined;
  return {
    server,
    whole: (isObject(whole) ? whole : null) as FleetSheet["whole"],
    exceptions: (Array.isArray(exceptions) ? exceptions : []) as FleetSheet["exceptions"],
    sheets: sheets as FleetSheet["sheets"],
  };
}

/** As {@link fleetIn}, of what a state keeps. */
export async function readFleetSheet(sheets: Pick<Sheets, "read">): Promise<FleetSheet | undefined> {
  return fleetIn((await sheets.read([fleetSheet])).get(fleetSheet));
}

/** How many projects a state has seen. */
export async function seenProjects(sheets: Pick<Sheets, "read">): Promise<number> {
  const fleet = await readFleetSheet(sheets);
  return fleet ? Object.values(fleetCounts(fleet)).reduce((sum, count) => sum + count, 0) : 0;
}

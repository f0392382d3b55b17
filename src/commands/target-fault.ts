import { targetFault } from "../model/address.ts";
import { catalogueOf } from "../model/catalogue.ts";
import { catalogueAround } from "../workspace/load.ts";

/**
 * The fault of a glob over addresses. The kinds of the workspace around a folder are read only if the bundled ones do not
 * explain it.
 */
export function targetFaultIn(folder: string): (glob: string) => string | undefined {
  return (glob) => targetFault(glob, catalogueOf()) && targetFault(glob, catalogueAround(folder));
}

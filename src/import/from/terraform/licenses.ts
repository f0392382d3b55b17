import { kinds, removedSection } from "../../../model/kinds.ts";
import { licenseStatuses } from "../../../model/license-status.ts";
import type { Platform } from "../../../model/types.ts";
import type { ImportedEntry } from "../../imported.ts";
import type { ProviderResource } from "./resources.ts";

/** The license that a resource manages; or why it is not taken over. */
export function licenseBy({ attributes }: ProviderResource, platform: Platform): ImportedEntry | string {
  const { policy, normalise } = kinds.license;
  const { section = "", only = "" } = policy ?? {};
  const removed = removedSection("license", section, platform);
  if (removed) return removed;
  const [name, status] = ["name", only].map((attribute) => attributes.get(attribute));
  const unknown = [name, status].find((each) => each?.unknown !== undefined)?.unknown;
  if (unknown !== undefined) return `${unknown} is not known from these files`;
  const key = typeof name?.value === "string" ? name.value.trim() : "";
  if (key === "") return "it states no name";
  const value = normalise(typeof status?.value === "string" ? status.value : null);
  if (!licenseStatuses.some((each) => each === value)) return `its ${only} is not ${licenseStatuses.join(" or ")}`;
  return { kind: "license", key, fields: new Map([[only, { form: "value", value }]]), remarks: [] };
}

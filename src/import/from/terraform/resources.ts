import table from "../../../../schemas/coming-from/terraform.json" with { type: "json" };
import { catalogueOf } from "../../../model/catalogue.ts";
import { kindOf, removedSection } from "../../../model/kinds.ts";
import { licenseStatuses } from "../../../model/license-status.ts";
import type { Place, Platform } from "../../../model/types.ts";
import type { ImportedEntry } from "../../imported-project.ts";
import type { ForeignIntegration, ForeignValue } from "../foreign.ts";

/** An integration of a project in Terraform's names. */
export interface ProviderResource {
  /** `gitlab_integration_slack.chat["key"]`. */
  readonly address: string;
  readonly type: string;
  readonly attributes: ReadonlyMap<string, ForeignValue>;
  readonly place: () => Place;
}

interface Row {
  readonly slug: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly readOnly?: readonly string[];
}

const rows = new Map<string, Row>(Object.entries(table.integrations));
const readOnly: ReadonlySet<string> = new Set(table.readOnly);
const inherits = "use_inherited_settings";

/** Whether a resource type is an integration or a license of a project, in any version of the provider. */
export function isMapped(type: string): boolean {
  return nameIn(type) !== undefined || isLicense(type);
}

/** Whether a resource type is a managed license of a project. */
export function isLicense(type: string): boolean {
  return type === table.license;
}

/** Whether a resource type is an integration of a group, which policies cannot declare. */
export function isOfGroup(type: string): boolean {
  return /^gitlab_group_integration_/.test(type);
}

function nameIn(type: string): string | undefined {
  const name = /^gitlab_(?:project_)?(?:integration|service)_(\w+)$/.exec(type)?.[1];
  return name?.startsWith("account") ? undefined : name;
}

/** The integration of a resource in the platform's names, or why it is not imported. */
export function declaredBy({ type, attributes, place }: ProviderResource): ForeignIntegration | string {
  const name = nameIn(type) ?? "";
  const row = rows.get(name);
  if (!row) return `${type} is not known`;
  const inherited = attributes.get(inherits);
  if (inherited && inherited.value !== false && inherited.value !== null) return "it inherits the settings of a group";
  const left = new Set([...readOnly, ...(row.readOnly ?? []), "project", inherits]);
  const own = [...attributes].filter(([attribute]) => !left.has(attribute));
  const parameters = new Map(own.map(([attribute, value]) => [row.attributes?.[attribute] ?? attribute, value]));
  return { slug: row.slug, isOff: false, parameters, place };
}

const license = "license";

/** The license that a resource manages; or why it is not imported. */
export function licenseBy({ attributes }: ProviderResource, platform: Platform): ImportedEntry | string {
  const row = kindOf(catalogueOf(platform.dialect), license);
  const { policy, normalise } = row;
  const { section = "", only = "" } = policy ?? {};
  const removed = removedSection(row, section, platform);
  if (removed) return removed;
  const [name, status] = ["name", only].map((attribute) => attributes.get(attribute));
  const unknown = [name, status].find((each) => each?.unknown !== undefined)?.unknown;
  if (unknown !== undefined) return `${unknown} is not known from these files`;
  const key = typeof name?.value === "string" ? name.value.trim() : "";
  if (key === "") return "it states no name";
  const value = normalise(typeof status?.value === "string" ? status.value : null);
  if (!licenseStatuses.some((each) => each === value)) return `its ${only} is not ${licenseStatuses.join(" or ")}`;
  return { kind: license, key, fields: new Map([[only, { form: "value", value }]]), remarks: [] };
}

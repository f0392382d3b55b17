import type { Endpoint } from "./endpoints.ts";
import type { Integration } from "./integration.ts";
import type { ResourceKind } from "./resource-kind.ts";
import type { CallAction, Fields } from "./types.ts";

/**
 * The properties of a kind of resource: one row per kind, so that manifests, reading, diff, plan, apply, import and reports
 * are independent of specific kinds.
 */
export interface KindRow {
  readonly policy?: PolicyColumn;
  readonly file: ResourceKind;
  /** The resources that can exist, by key; omitted if any text is a valid key. They receive events. */
  readonly keys?: ReadonlyMap<string, Integration>;
  readonly read?: {
    readonly list: Endpoint;
    readonly isSingle?: true;
    /** The field of a row with the key, also in the POST that creates a resource. */
    readonly key: string;
    /** True if calls identify a resource by the `id` of its row: `:row.id` in their paths. */
    readonly numbered: boolean;
    readonly single?: Endpoint;
    /** The name of the list in error messages; omitted if they name single resources by key. */
    readonly title?: string;
  };
  readonly removal: Extract<CallAction, "disable" | "delete">;
  /** The endpoint of each action, possibly by the key of the resource. */
  readonly calls: Readonly<Partial<Record<CallAction, Endpoint | ((key: string) => Endpoint)>>>;
  readonly items?: readonly ItemColumn[];
  readonly identity: (key: string) => string;
  readonly removed: { readonly before: Fields; readonly after: Fields | null };
}

export interface ItemColumn {
  readonly field: string;
  readonly key: string;
  /** Omitted if the calls of the resource carry the items. */
  readonly create?: Endpoint;
  readonly update?: Endpoint;
  readonly delete: Endpoint;
}

export interface PolicyColumn {
  /** The section of a policy, and the plural in reports; below another key with a dot: `create.projects`. */
  readonly section: string;
  /** The only field, which a policy sets directly; omitted if policies set fields in a mapping. */
  readonly only?: string;
  readonly off?: string;
}

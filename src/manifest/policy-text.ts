import type { JsonObject } from "../base/json.ts";
import type { PolicyColumn } from "../model/kinds.ts";

/** A Policy document as people write it, once its shape is known to be right. */
export interface PolicyText extends Readonly<Record<PolicyColumn["section"], JsonObject>> {
  readonly name: string;
  readonly projects: readonly (string | number)[];
  readonly except: readonly (string | number)[];
  readonly priority: number;
  readonly until: string;
  readonly reason: string;
  readonly vars: Readonly<Record<string, string | number | boolean>>;
  readonly integrations: Readonly<Record<string, JsonObject>>;
  readonly disabled: readonly string[];
  readonly licenses: Readonly<Record<string, string>>;
  readonly exclusive: readonly PolicyColumn["section"][];
}

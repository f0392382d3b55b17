import type { JsonObject } from "../base/json.ts";

/** A Policy document as written, if it conforms to the schema. */
export interface PolicyText {
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
  readonly exclusive: readonly string[];
}

/** The section of a kind in a policy; empty if there is none. */
export function sectionIn(text: Partial<PolicyText>, section: string): JsonObject {
  return (text as Readonly<Record<string, JsonObject>>)[section] ?? {};
}

/** The keys in a list of a policy, such as `disabled`. */
export function keysIn(text: Partial<PolicyText>, name: string): readonly string[] | undefined {
  return (text as Readonly<Record<string, readonly string[]>>)[name];
}

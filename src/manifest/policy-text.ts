import type { JsonObject } from "../base/json.ts";

/** A Policy document as people write it, once its shape is known to be right. */
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

/** What a policy says in the section of a kind; empty where it has none. */
export function sectionIn(text: Partial<PolicyText>, section: string): JsonObject {
  return (text as Readonly<Record<string, JsonObject>>)[section] ?? {};
}

/** The keys that a policy lists under a name, such as `disabled`. */
export function keysIn(text: Partial<PolicyText>, name: string): readonly string[] | undefined {
  return (text as Readonly<Record<string, readonly string[]>>)[name];
}

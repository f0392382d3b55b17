import { isObject, type JsonObject } from "../base/json.ts";
import type { Owner } from "../model/owner.ts";

/** A Policy document as written, if it conforms to the schema. */
export interface PolicyText {
  readonly name: string;
  readonly projects: readonly (string | number)[];
  /** In place of `projects`: then everything else is about groups. */
  readonly groups: readonly (string | number)[];
  readonly except: readonly (string | number)[];
  readonly priority: number;
  readonly until: string;
  readonly reason: string;
  readonly vars: Readonly<Record<string, string | number | boolean>>;
  readonly integrations: Readonly<Record<string, JsonObject>>;
  readonly disabled: readonly string[];
  readonly licenses: Readonly<Record<string, string>>;
  readonly absent: Readonly<Record<string, true | readonly string[]>>;
  readonly exclusive: readonly string[];
}

/** The key of the list that selects projects or groups. */
export type SelectorKey = "projects" | "groups";

/** Whether a policy, as it is written, is about projects or about groups. */
export function ownerOfPolicy(written: unknown): Owner {
  return isObject(written) && "groups" in written && !("projects" in written) ? "group" : "project";
}

/** The key of the list that selects what a policy is about. */
export const selectorKeys: Readonly<Record<Owner, SelectorKey>> = { project: "projects", group: "groups" };

/** The section of a kind in a policy; undefined if there is none. */
export function sectionIn(text: Partial<PolicyText>, section: string): JsonObject | undefined {
  return (text as Readonly<Record<string, JsonObject>>)[section];
}

/** The keys in a list of a policy, such as `disabled`. */
export function keysIn(text: Partial<PolicyText>, name: string): readonly string[] | undefined {
  return (text as Readonly<Record<string, readonly string[]>>)[name];
}

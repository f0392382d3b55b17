import { isObject, type JsonObject, valueAtPath } from "../base/json.ts";
import { memoized } from "../base/memoize.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { type PolicyKind, policyKinds } from "../model/kinds.ts";
import { type Owner, owners } from "../model/owner.ts";

export interface PolicyText {
  readonly name: string;
  readonly projects: readonly (string | number)[];
  readonly groups: readonly (string | number)[];
  readonly instance: true;
  readonly except: readonly (string | number)[];
  readonly where: string;
  readonly archived: "include";
  readonly priority: number;
  readonly enforce: boolean;
  readonly until: string;
  readonly reason: string;
  readonly vars: Readonly<Record<string, string | number | boolean>>;
  readonly integrations: Readonly<Record<string, JsonObject>>;
  readonly disabled: readonly string[];
  readonly licenses: Readonly<Record<string, string>>;
  readonly absent: Readonly<Record<string, true | readonly string[]>>;
  readonly exclusive: readonly string[];
}

export type SelectorKey = "projects" | "groups" | "instance";

export function ownerOfPolicy(written: unknown): Owner {
  return (isObject(written) && owners.find((owner) => selectorKeys[owner] in written)) || "project";
}

export const selectorKeys = {
  project: "projects",
  group: "groups",
  instance: "instance",
} as const satisfies Readonly<Record<Owner, SelectorKey>>;

/** The path of a section in a policy: `create.projects` is below `create`. */
export const sectionPath = memoized((section: string): readonly string[] => section.split("."));

export function sectionIn(text: Partial<PolicyText>, section: string): JsonObject | undefined {
  return valueAtPath(text, sectionPath(section)) as JsonObject | undefined;
}

export function keysIn(text: Partial<PolicyText>, name: string): readonly string[] | undefined {
  return (text as Readonly<Record<string, readonly string[]>>)[name];
}

/** The kinds that the keys of a policy name. Cached by set of keys, because many policies have the same. */
export function kindsNamedIn(catalogue: Catalogue, owner: Owner, policy: object): readonly PolicyKind[] {
  return kindsByKeys(catalogue)(owner)(Object.keys(policy).join("\0"));
}

const kindsByKeys = memoized(
  (catalogue: Catalogue) =>
    memoized((owner: Owner) =>
      memoized((keys: string) => {
        const names = new Set(keys.split("\0"));
        const kinds = policyKinds(catalogue, owner);
        if (names.has("absent") || names.has("exclusive")) return kinds;
        return kinds.filter(({ section, off = section }) => names.has(sectionPath(section)[0] ?? "") || names.has(off));
      }),
    ),
  new WeakMap(),
);

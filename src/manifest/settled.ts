import { memoized } from "../base/memoize.ts";
import type { PolicyKind } from "../model/kinds.ts";
import type { Desired } from "../model/types.ts";
import { isScalar } from "../model/values.ts";
import type { Declared } from "./parameters.ts";
import type { Workspace } from "./workspace.ts";

/** A resource that is the same in every policy that writes its key and its value so. */
type Settled = Pick<Desired, "kind" | "key" | "fields" | "identity">;

/** What reading a resource says of it. */
interface Said extends Pick<Declared, "problems" | "plaintext"> {
  readonly entry: { readonly desired: Desired; readonly written: unknown } | undefined;
}

/**
 * The resources of a kind that one value stands for, by key and value as they are written: without problems, secrets or
 * interpolations, they are worked out once for all policies of a workspace.
 */
class SettledResources {
  readonly #byValue = new Map<unknown, Map<string, Settled>>();

  get isEmpty(): boolean {
    return this.#byValue.size === 0;
  }

  of(key: string, value: unknown): Settled | undefined {
    return this.#byValue.get(value)?.get(key);
  }

  /** Keeps what was read of a resource if it is settled, and tells whether it is. */
  settle(key: string, value: unknown, { entry, problems, plaintext }: Said): boolean {
    if (!isScalar(value) || !entry || entry.written) return false;
    if (problems.length > 0 || plaintext.length > 0) return false;
    const { kind, key: name, fields, identity } = entry.desired;
    const byKey = this.#byValue.get(value) ?? new Map<string, Settled>();
    this.#byValue.set(value, byKey.set(key, { kind, key: name, fields, identity }));
    return true;
  }
}

/** By workspace and kind: platforms differ in what they have. */
export const settledIn = memoized(
  (_workspace: Workspace) => memoized((_row: PolicyKind) => new SettledResources(), new WeakMap()),
  new WeakMap(),
);

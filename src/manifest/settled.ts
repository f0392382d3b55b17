import type { JsonObject } from "../base/json.ts";
import { memoized } from "../base/memoize.ts";
import type { Desired, Kind } from "../model/types.ts";
import { isScalar } from "../model/values.ts";
import { isCommon } from "./common-blocks.ts";
import type { Declared } from "./parameters.ts";
import type { Workspace } from "./workspace.ts";

/** A resource that is the same in every policy that writes its key and its value so. */
type Settled = Pick<Desired, "kind" | "key" | "fields" | "identity">;

/** What reading a resource gives. */
interface ReadResource extends Pick<Declared, "problems" | "plaintext"> {
  readonly entry: { readonly desired: Desired; readonly written: unknown } | undefined;
}

/**
 * The resources of a kind that one value stands for, by key and value as they are written: without problems, secrets or
 * interpolations, they are worked out once for all policies of a workspace.
 */
class SettledResources {
  readonly #byValue = new Map<unknown, Map<string, Settled>>();
  readonly #settled = new WeakSet<JsonObject>();
  readonly #sound = new WeakSet<JsonObject>();

  get isEmpty(): boolean {
    return this.#byValue.size === 0;
  }

  of(key: string, value: unknown): Settled | undefined {
    return this.#byValue.get(value)?.get(key);
  }

  /** Keeps what was read of a resource if it is settled, and tells whether it is. */
  settle(key: string, value: unknown, { entry, problems, plaintext }: ReadResource): boolean {
    if (!isScalar(value) || !entry || entry.written) return false;
    if (problems.length > 0 || plaintext.length > 0) return false;
    const { kind, key: name, fields, identity } = entry.desired;
    const byKey = this.#byValue.get(value) ?? new Map<string, Settled>();
    this.#byValue.set(value, byKey.set(key, { kind, key: name, fields, identity }));
    return true;
  }

  /** Whether all resources of a section are settled, as far as it is known. */
  isSettled(section: JsonObject): boolean {
    return this.#settled.has(section);
  }

  /** Keeps that all resources of a section are settled, if other policies have the section too. */
  settleAll(section: JsonObject): void {
    if (isCommon(section)) this.#settled.add(section);
  }

  /** Whether nothing is wrong with a section, as far as it is known. */
  isSound(section: JsonObject | undefined): boolean {
    return section !== undefined && this.#sound.has(section);
  }

  /** Keeps that nothing is wrong with a section, if other policies have it too. */
  foundSound(section: JsonObject): void {
    if (isCommon(section)) this.#sound.add(section);
  }
}

/** By workspace and kind: platforms differ in what they have. */
export const settledIn = memoized(
  (_workspace: Workspace) => memoized((_kind: Kind) => new SettledResources()),
  new WeakMap(),
);

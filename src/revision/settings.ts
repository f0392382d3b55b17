import equal from "fast-deep-equal";
import { isObject } from "../base/json.ts";
import type { Workspace } from "../manifest/workspace.ts";
import type { Place } from "../model/types.ts";

/** A setting of `evenkeel.yaml`, or something that a rule or a policy states, that is another; undefined (left out of JSON) where it is not set. */
export interface SettingChange {
  /** Dotted, such as `guards.deletePercent`; `rule NAME except`. */
  readonly setting: string;
  readonly before: unknown;
  readonly after: unknown;
  /** Why a reviewer should look at it first; left out where nothing becomes laxer by it. */
  readonly alarm?: string;
  /** Left out for settings of `evenkeel.yaml`. */
  readonly place?: Place;
}

type Alarm = (before: unknown, after: unknown) => string | undefined;

const whenTrue =
  (why: string): Alarm =>
  (_, after) =>
    after === true ? why : undefined;
const always =
  (why: string): Alarm =>
  () =>
    why;
const whenHigher: Alarm = (before, after) =>
  Number(after) > Number(before) ? "a guard lets more be removed" : undefined;

/** Settings that a reviewer should look at first, and when. */
const alarms: Readonly<Record<string, Alarm>> = {
  "server.url": always("everything goes to another server"),
  "server.allowInsecure": whenTrue("the token may be sent over plain http"),
  "server.ca": always("other authorities are trusted"),
  "guards.deletePercent": whenHigher,
  "guards.deleteMinimum": whenHigher,
  protected: always("what must never be removed is another"),
  notify: always("others are told what a watcher finds, or nobody is"),
  allowPlaintextSecrets: whenTrue("secrets may be written into manifests"),
};

/** What a workspace knows of its settings, and nobody states. */
const derived: ReadonlySet<string> = new Set(["server.isReleaseAssumed"]);

/** The settings in which two workspaces differ. */
export function changedSettings(before: Workspace, after: Workspace): readonly SettingChange[] {
  const [was, is] = [flat(before), flat(after)];
  const names = [...new Set([...Object.keys(alarms), ...was.keys(), ...is.keys()])];
  const changed = names.filter((name) => !derived.has(name) && !equal(was.get(name), is.get(name)));
  return changed.map((setting): SettingChange => {
    const [first, second] = [was.get(setting), is.get(setting)];
    const alarm = alarms[setting]?.(first, second);
    return { setting, before: first, after: second, ...(alarm !== undefined && { alarm }) };
  });
}

/** Those to look at first in front. */
export function alarmingFirst(changes: readonly SettingChange[]): readonly SettingChange[] {
  return changes.toSorted((a, b) => Number(b.alarm !== undefined) - Number(a.alarm !== undefined));
}

function flat(value: object, prefix = ""): ReadonlyMap<string, unknown> {
  const entries = Object.entries(value).flatMap(([key, each]): (readonly [string, unknown])[] =>
    isObject(each) ? [...flat(each, `${prefix}${key}.`)] : [[`${prefix}${key}`, each]],
  );
  return new Map(entries);
}

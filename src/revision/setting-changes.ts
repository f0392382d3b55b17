import equal from "fast-deep-equal";
import { isObject } from "../base/json.ts";
import { rateText } from "../base/rate.ts";
import { waveText } from "../manifest/waves.ts";
import { namedFiles, type Workspace } from "../manifest/workspace.ts";
import type { Place } from "../model/types.ts";

/** A setting of `evenkeel.yaml`, or something that a rule, a policy or a kind states, that is another; undefined (left out of JSON) where it is not set. */
export interface SettingChange {
  /** Dotted, such as `guards.deletePercent`; `rule NAME except`; `kind NAME calls.delete`. */
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
  "server.url": always("all requests go to another server"),
  "server.allowInsecure": whenTrue("the token may be sent over plain http"),
  "server.ca": always("other authorities are trusted"),
  "guards.deletePercent": whenHigher,
  "guards.deleteMinimum": whenHigher,
  protected: always("other resources are protected"),
  notify: always("watch notifications go to different recipients, or to none"),
  allowPlaintextSecrets: whenTrue("secrets may be written into manifests"),
};

/** What a workspace knows of its settings, and no one states. */
const derived: ReadonlySet<string> = new Set(["server.isReleaseAssumed"]);

/** The settings in which two workspaces differ. */
export function changedSettings(before: Workspace, after: Workspace): readonly SettingChange[] {
  const [was, is] = [settingsOf(before), settingsOf(after)];
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

/** What each key of a workspace comes to as settings that people can read; a secret stays a reference. */
const readable: { readonly [Key in keyof Omit<Workspace, "catalogue">]: (value: Workspace[Key]) => unknown } = {
  name: asIs,
  server: asIs,
  manifests: asIs,
  concurrency: asIs,
  rateLimit: (rate) => rate && rateText(rate),
  waves: (waves) => waves?.map(waveText),
  canary: (selectors) => selectors.map(({ written }) => written),
  requestTimeout: asIs,
  guards: asIs,
  protected: asIs,
  ledger: asIs,
  notify: asIs,
  allowPlaintextSecrets: asIs,
};

function asIs(value: unknown): unknown {
  return value;
}

function settingsOf(workspace: Workspace): ReadonlyMap<string, unknown> {
  const keys = Object.keys(readable) as (keyof typeof readable)[];
  return dotted(Object.fromEntries(keys.map((key) => [key, (readable[key] as typeof asIs)(workspace[key])])));
}

/** Files that both workspaces name by the same setting and path, with another content. */
export function changedContents(before: NamedContents, after: NamedContents): readonly SettingChange[] {
  const was = new Map(namedFiles(before.workspace).map(({ setting, path }) => [setting, path]));
  return namedFiles(after.workspace).flatMap(({ setting, path }) => {
    const [first, second] = [before, after].map(({ contents }) => contents?.get(setting));
    if (!before.contents || !after.contents || was.get(setting) !== path || first === second) return [];
    const alarm = alarms[setting]?.(first, second);
    const shown = (digest: string | undefined) => `${path} (${digest ? `sha256:${digest.slice(0, 12)}` : "missing"})`;
    return [{ setting, before: shown(first), after: shown(second), ...(alarm !== undefined && { alarm }) }];
  });
}

interface NamedContents {
  readonly workspace: Workspace;
  readonly contents?: ReadonlyMap<string, string> | undefined;
}

/** What an object holds, at any depth, by dotted names such as `guards.deletePercent`. */
export function dotted(value: object, prefix = ""): ReadonlyMap<string, unknown> {
  const entries = Object.entries(value).flatMap(([key, each]): (readonly [string, unknown])[] =>
    isObject(each) ? [...dotted(each, `${prefix}${key}.`)] : [[`${prefix}${key}`, each]],
  );
  return new Map(entries);
}

import equal from "fast-deep-equal";
import { isObject } from "../../base/json.ts";
import { rateText } from "../../base/rate.ts";
import type { Document } from "../../manifest/document.ts";
import type { Policy } from "../../manifest/policies.ts";
import type { PlanRule } from "../../manifest/rules.ts";
import { waveText } from "../../manifest/waves.ts";
import { namedFiles, type Workspace } from "../../manifest/workspace.ts";
import { ownersOf, type ResourceKind, writtenCall } from "../../model/resource-kind.ts";
import type { Place } from "../../model/types.ts";

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
function dotted(value: object, prefix = ""): ReadonlyMap<string, unknown> {
  const entries = Object.entries(value).flatMap(([key, each]): (readonly [string, unknown])[] =>
    isObject(each) ? [...dotted(each, `${prefix}${key}.`)] : [[`${prefix}${key}`, each]],
  );
  return new Map(entries);
}

/** Kinds of the workspace itself that differ, or that only one revision has: they decide which requests are sent. */
export function changedKinds(before: readonly Document[], after: readonly Document[]): readonly SettingChange[] {
  const [was, is] = [kindsByName(before), kindsByName(after)];
  const names = [...new Set([...was.keys(), ...is.keys()])];
  return names.flatMap((name) => changesOf(was.get(name), is.get(name)));
}

interface OwnKind {
  readonly document: Document;
  readonly kind: ResourceKind;
}

/** Two kinds may share a name, if one is of projects and the other of groups. */
function kindsByName(documents: readonly Document[]): ReadonlyMap<string, OwnKind> {
  return new Map(
    documents.map((document) => {
      const kind = document.value as ResourceKind;
      return [`${kind.name} of ${ownersOf(kind).join(" and ")}`, { document, kind }];
    }),
  );
}

function changesOf(was: OwnKind | undefined, is: OwnKind | undefined): readonly SettingChange[] {
  const either = is ?? was;
  if (!either) return [];
  const setting = `kind ${either.kind.name}`;
  if (!was || !is) {
    const place = either.document.place(["name"], "key");
    return [
      {
        setting,
        before: requestsOf(was),
        after: requestsOf(is),
        place,
        ...(is && { alarm: "policies can send these requests" }),
      },
    ];
  }
  const [earlier, later] = [partsOf(was), partsOf(is)];
  const names = [...new Set([...earlier.keys(), ...later.keys()])];
  return names.flatMap((name): readonly SettingChange[] => {
    const [first, second] = [earlier.get(name), later.get(name)];
    if (equal(first, second)) return [];
    const place = is.document.place(second === undefined ? ["name"] : name.split("."), "key");
    const alarm = requests.test(name) ? "other requests are sent" : "other values may be read, compared or sent";
    return [{ setting: `${setting} ${name}`, before: first, after: second, alarm, place }];
  });
}

const requests = /^calls\.|\.x-lookup$/;

function requestsOf(own: OwnKind | undefined): readonly string[] | undefined {
  return own && Object.values(own.kind.calls).map((call) => Object.values(writtenCall(call)).join(" "));
}

/** What a kind states, by its path, without what people alone read. */
function partsOf({ kind }: OwnKind): ReadonlyMap<string, unknown> {
  return new Map([...dotted(kind)].filter(([name]) => !prose.test(name)));
}

const prose = /(?:^|\.)(?:title|description|sources|notes|deprecationMessage|x-source)$/;

/** Rules that are others, or that only one revision has: a rule that holds for less lets more through. */
export function changedRules(before: readonly PlanRule[], after: readonly PlanRule[]): readonly SettingChange[] {
  const [was, is] = [byName(before), byName(after)];
  const names = [...new Set([...was.keys(), ...is.keys()])];
  return names.flatMap((name) => aspects.flatMap((aspect) => changeOf(aspect, was.get(name), is.get(name))));
}

/** Last days that are others, of policies that both revisions have. */
export function changedLastDays(before: readonly Policy[], after: readonly Policy[]): readonly SettingChange[] {
  const was = byName(before);
  return after.flatMap((policy) => {
    const earlier = was.get(policy.name);
    if (!earlier || earlier.until === policy.until) return [];
    const place = policy.document.place([policy.until === undefined ? "name" : "until"], "key");
    const alarm = isLater(earlier.until, policy.until) ? { alarm: "the policy counts for longer" } : {};
    return [{ setting: `policy ${policy.name} until`, before: earlier.until, after: policy.until, ...alarm, place }];
  });
}

function byName<Each extends { readonly name: string }>(named: readonly Each[]): ReadonlyMap<string, Each> {
  return new Map(named.map((each) => [each.name, each]));
}

/** One thing that a rule says. */
interface Aspect {
  readonly key: "severity" | "when" | "on" | "except" | "until" | "message";
  /** After the rule's name; the severity stands for the rule itself. */
  readonly title: string;
  readonly alarm: (was: PlanRule, is: PlanRule | undefined) => string | undefined;
}

const mayObjectToLess = () => "the rule may object to less";

const aspects: readonly Aspect[] = [
  {
    key: "severity",
    title: "",
    alarm: (_, is) => (is === undefined ? "the rule is gone" : is.severity === "warning" ? "it only warns" : undefined),
  },
  { key: "when", title: " when", alarm: mayObjectToLess },
  { key: "on", title: " on", alarm: mayObjectToLess },
  {
    key: "except",
    title: " except",
    alarm: (was, is) => (is?.except.some((glob) => !was.except.includes(glob)) ? "the rule holds for less" : undefined),
  },
  {
    key: "until",
    title: " until",
    alarm: (was, is) => (isLater(was.until, is?.until) ? "its exceptions hold for longer" : undefined),
  },
  { key: "message", title: " message", alarm: () => undefined },
];

function changeOf(
  { key, title, alarm }: Aspect,
  was: PlanRule | undefined,
  is: PlanRule | undefined,
): readonly SettingChange[] {
  const rule = is ?? was;
  if (!rule || String(was?.[key]) === String(is?.[key]) || (key !== "severity" && !(was && is))) return [];
  const why = was && alarm(was, is);
  const place = rule.document.place([rule[key] === undefined || title === "" ? "name" : key], "key");
  const change = { setting: `rule ${rule.name}${title}`, before: was?.[key], after: is?.[key], place };
  return [{ ...change, ...(why !== undefined && { alarm: why }) }];
}

/** No last day is the latest. */
function isLater(was: string | undefined, is: string | undefined): boolean {
  return was !== undefined && (is === undefined || is > was);
}

import equal from "fast-deep-equal";
import { isObject } from "../../base/json.ts";
import { rateText } from "../../base/rate.ts";
import type { Document } from "../../manifest/document.ts";
import type { Policy } from "../../manifest/policies.ts";
import type { PlanRule } from "../../manifest/rules.ts";
import { waveText } from "../../manifest/waves.ts";
import { namedFiles, type Workspace } from "../../manifest/workspace.ts";
import { lookUpTemplates } from "../../model/look-ups.ts";
import { ownersOf, precedingCall, type ResourceKind, writtenCall } from "../../model/resource-kind.ts";
import type { Place } from "../../model/types.ts";

/**
 * A changed setting of `evenkeel.yaml`, a rule, a policy or a kind; undefined (omitted in JSON) on a side without it.
 */
export interface SettingChange {
  /** Dotted, such as `guards.deletePercent`; `rule NAME except`; `kind NAME calls.delete`. */
  readonly setting: string;
  readonly before: unknown;
  readonly after: unknown;
  /** The reason for a reviewer to see it first; omitted if nothing becomes laxer. */
  readonly alarm?: string;
  /** Omitted for settings of `evenkeel.yaml`. */
  readonly place?: Place;
}

export interface SettingSide {
  readonly workspace: Workspace;
  /** Digests of files that settings name, by setting; undefined if unknown. */
  readonly contents?: ReadonlyMap<string, string> | undefined;
  readonly rules: readonly PlanRule[];
  /** Documents of the workspace's own kinds. */
  readonly kinds: readonly Document[];
  readonly policies: readonly Policy[];
}

/** Changes other than the desired state of projects; those with an alarm first. */
export function compareSettings(before: SettingSide, after: SettingSide): readonly SettingChange[] {
  const changes = [
    ...compareSubject(workspaceSubject(before, after), workspaceSubject(after, before)),
    ...compareSubjects(before.rules.map(ruleSubject), after.rules.map(ruleSubject)),
    ...compareSubjects(before.kinds.map(kindSubject), after.kinds.map(kindSubject)),
    ...compareSubjects(before.policies.map(policySubject), after.policies.map(policySubject)),
  ];
  return changes.toSorted((a, b) => Number(b.alarm !== undefined) - Number(a.alarm !== undefined));
}

/** A source of settings: the workspace, a rule, a kind or a policy. */
interface Subject {
  readonly id: string;
  readonly title: string;
  readonly document?: Document;
  /** The value shown if only one revision has the subject. */
  readonly whole?: unknown;
  /** Values by dotted path; an empty path is the subject itself. */
  readonly parts: ReadonlyMap<string, unknown>;
  readonly alarm: (path: string, before: unknown, after: unknown) => string | undefined;
}

function compareSubjects(before: readonly Subject[], after: readonly Subject[]): readonly SettingChange[] {
  const byId = (subjects: readonly Subject[]) => new Map(subjects.map((each) => [each.id, each]));
  const [was, is] = [byId(before), byId(after)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((id) => compareSubject(was.get(id), is.get(id)));
}

function compareSubject(was: Subject | undefined, is: Subject | undefined): readonly SettingChange[] {
  const either = is ?? was;
  if (!either) return [];
  const { title, document, alarm } = either;
  const partsOf = (subject: Subject | undefined) => (was && is ? subject?.parts : new Map([["", subject?.whole]]));
  const [earlier, later] = [partsOf(was) ?? new Map(), partsOf(is) ?? new Map()];
  return [...new Set([...earlier.keys(), ...later.keys()])].flatMap((path): readonly SettingChange[] => {
    const [before, after] = [earlier.get(path), later.get(path)];
    if (equal(before, after)) return [];
    const why = alarm(path, before, after);
    const isStated = path !== "" && (is ? after : before) !== undefined;
    const place = document?.place(isStated ? path.split(".") : ["name"], "key");
    const setting = [title, path].filter(Boolean).join(" ");
    return [{ setting, before, after, ...(why !== undefined && { alarm: why }), ...(place && { place }) }];
  });
}

interface Alarm {
  readonly why: string;
  /** Omitted: any change. */
  readonly when?: (before: unknown, after: unknown) => boolean;
}

const isTrue: Alarm["when"] = (_, after) => after === true;
const isHigher: Alarm["when"] = (before, after) => Number(after) > Number(before);

/** Settings that a reviewer should see first. */
const alarms: Readonly<Record<string, Alarm>> = {
  "server.url": { why: "all requests go to another server" },
  "server.dialect": { why: "an integration with another name there counts as withdrawn and declared" },
  "server.allowInsecure": { why: "the token may be sent over plain http", when: isTrue },
  "server.ca": { why: "other authorities are trusted" },
  "guards.deletePercent": { why: "a guard lets more be removed", when: isHigher },
  "guards.deleteMinimum": { why: "a guard lets more be removed", when: isHigher },
  protected: { why: "other resources are protected" },
  notify: { why: "watch notifications go to different recipients, or to none" },
  allowPlaintextSecrets: { why: "secrets may be written into manifests", when: isTrue },
};

/** `other`: the workspace of the other side. */
function workspaceSubject({ workspace, contents }: SettingSide, other: SettingSide): Subject {
  const { catalogue: _, faultyKinds: __, server: own, guards, rateLimit, waves, canary, ...rest } = workspace;
  const { isReleaseAssumed: ___, ...server } = own;
  const readable = {
    ...{ server, guards, ...rest },
    rateLimit: rateLimit && rateText(rateLimit),
    waves: waves?.map(waveText),
    canary: canary.map(({ written }) => written),
  };
  const parts = new Map(flatten(readable));
  // The same file with other content.
  for (const { setting, path } of namedFiles(workspace)) {
    const digest = contents?.get(setting);
    const isKnown = contents !== undefined && other.contents !== undefined && digest !== other.contents.get(setting);
    const isSamePath = namedFiles(other.workspace).some((each) => each.setting === setting && each.path === path);
    if (isKnown && isSamePath) parts.set(setting, `${path} (${digest ? `sha256:${digest.slice(0, 12)}` : "missing"})`);
  }
  const alarm: Subject["alarm"] = (path, before, after) => {
    const { why, when } = alarms[path] ?? {};
    return when?.(before, after) === false ? undefined : why;
  };
  return { id: "", title: "", parts, alarm };
}

/** Flattens an object to dotted names such as `guards.deletePercent`. */
function flatten(value: object, prefix = ""): ReadonlyMap<string, unknown> {
  const entries = Object.entries(value).flatMap(([key, each]): (readonly [string, unknown])[] =>
    isObject(each) ? [...flatten(each, `${prefix}${key}.`)] : [[`${prefix}${key}`, each]],
  );
  return new Map(entries);
}

/** A rule with a narrower scope lets more through. */
function ruleSubject({ name, severity, when, on, except, until, message, document }: PlanRule): Subject {
  const parts = new Map(Object.entries({ "": severity, when, on, except, until, message }));
  return { id: name, title: `rule ${name}`, document, whole: severity, parts, alarm: ruleAlarm };
}

function ruleAlarm(path: string, before: unknown, after: unknown): string | undefined {
  if (path === "message" || (path === "" && before === undefined)) return undefined;
  if (path === "until") return isLater(before, after) ? "its exceptions hold for longer" : undefined;
  if (path === "when" || path === "on") return "the rule may object to less";
  if (path === "except") {
    const [was, is] = [before, after] as readonly (readonly unknown[])[];
    return is?.some((glob) => !was?.includes(glob)) ? "the rule holds for less" : undefined;
  }
  return after === undefined ? "the rule is gone" : after === "warning" ? "it only warns" : undefined;
}

/** Kinds determine the requests that are sent. A kind of projects and one of groups may share a name. */
function kindSubject(document: Document): Subject {
  const kind = document.value as ResourceKind;
  return {
    id: `${kind.name} of ${ownersOf(kind).join(" and ")}`,
    title: `kind ${kind.name}`,
    document,
    whole: [
      ...Object.values(kind.calls).flatMap((call) => {
        const { before } = precedingCall(call);
        return [...(before === undefined ? [] : [before]), Object.values(writtenCall(call)).join(" ")];
      }),
      ...lookUpTemplates(kind),
    ],
    parts: new Map([...flatten(kind)].filter(([name]) => !prose.test(name))),
    alarm: kindAlarm,
  };
}

/** Keys that are only for people. */
const prose = /(?:^|\.)(?:title|description|sources|notes|deprecationMessage|x-source)$/;

function kindAlarm(path: string, before: unknown): string | undefined {
  if (path === "") return before === undefined ? "policies can send these requests" : undefined;
  if (/^calls\.|\.x-lookup$/.test(path)) return "other requests are sent";
  if (/^(?:loosened|tightened)$|\.x-strict$/.test(path)) return "other changes count as loosening";
  return "other values may be read, compared or sent";
}

/** The last day of a policy that both revisions have; other changes appear in projects. */
function policySubject({ name, until, document }: Policy): Subject {
  const alarm: Subject["alarm"] = (_, before, after) =>
    isLater(before, after) ? "the policy counts for longer" : undefined;
  return { id: name, title: `policy ${name}`, document, parts: new Map([["until", until]]), alarm };
}

/** Without a last day, a policy never expires. */
function isLater(was: unknown, is: unknown): boolean {
  return typeof was === "string" && (typeof is !== "string" || is > was);
}

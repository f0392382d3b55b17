import equal from "fast-deep-equal";
import { isObject } from "../../base/json.ts";
import { rateText } from "../../base/rate.ts";
import type { Document } from "../../manifest/document.ts";
import type { Policy } from "../../manifest/policies.ts";
import type { PlanRule } from "../../manifest/rules.ts";
import { waveText } from "../../manifest/waves.ts";
import { namedFiles, type Workspace } from "../../manifest/workspace.ts";
import { lookUpTemplates } from "../../model/look-ups.ts";
import { callDetails, ownersOf, type ResourceKind, writtenCall } from "../../model/resource-kind.ts";
import type { Place } from "../../model/types.ts";

/** A changed setting of `evenkeel.yaml`, a rule, policy or kind; undefined (omitted in JSON) on a side without it. */
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
  const [was, is] = [subjectsOf(before, after), subjectsOf(after, before)];
  const changes = [...new Set([...was.keys(), ...is.keys()])].flatMap((id) => compareSubject(was.get(id), is.get(id)));
  return changes.toSorted((a, b) => Number(b.alarm !== undefined) - Number(a.alarm !== undefined));
}

interface Subject {
  readonly type: "workspace" | "rule" | "kind" | "policy";
  readonly name: string;
  /** The owners of a kind: one of projects and one of groups may share a name. */
  readonly owners?: string;
  readonly document?: Document;
  /** The value shown if only one revision has the subject. */
  readonly whole?: unknown;
  /** Values by dotted path; an empty path is the subject itself. */
  readonly parts: ReadonlyMap<string, unknown>;
}

function subjectsOf(side: SettingSide, other: SettingSide): ReadonlyMap<string, Subject> {
  const subjects = [
    workspaceSubject(side, other),
    ...side.rules.map(({ name, severity, when, on, except, until, message, document }): Subject => {
      const parts = new Map(Object.entries({ "": severity, when, on, except, until, message }));
      return { type: "rule", name, document, whole: severity, parts };
    }),
    ...side.kinds.map(kindSubject),
    // The last day of a policy that both revisions have; other changes appear in projects.
    ...side.policies.map(({ name, until, document }): Subject => {
      return { type: "policy", name, document, parts: new Map([["until", until]]) };
    }),
  ];
  return new Map(subjects.map((each) => [[each.type, each.name, each.owners].join(" "), each]));
}

function compareSubject(was: Subject | undefined, is: Subject | undefined): readonly SettingChange[] {
  const either = is ?? was;
  if (!either) return [];
  const { type, name, document } = either;
  const partsOf = (subject: Subject | undefined) => (was && is ? subject?.parts : new Map([["", subject?.whole]]));
  const [earlier, later] = [partsOf(was) ?? new Map(), partsOf(is) ?? new Map()];
  return [...new Set([...earlier.keys(), ...later.keys()])].flatMap((path): readonly SettingChange[] => {
    const [before, after] = [earlier.get(path), later.get(path)];
    if (equal(before, after)) return [];
    const alarm = alarms.find(
      ([of, paths, , when]) => of === type && paths.test(path) && (!when || when(before, after)),
    );
    const isStated = path !== "" && (is ? after : before) !== undefined;
    const place = document?.place(isStated ? path.split(".") : ["name"], "key");
    const setting = [type === "workspace" ? "" : `${type} ${name}`, path].filter(Boolean).join(" ");
    return [{ setting, before, after, ...(alarm && { alarm: alarm[2] }), ...(place && { place }) }];
  });
}

type Alarm = readonly [
  of: Subject["type"],
  paths: RegExp,
  why: string,
  /** Default: any change. */
  when?: (before: unknown, after: unknown) => boolean,
];

const isTrue: Alarm[3] = (_, after) => after === true;
const isHigher: Alarm[3] = (before, after) => Number(after) > Number(before);
/** True for a later last day, or for none any more: such a policy never expires. */
const isLater: Alarm[3] = (was, is) => typeof was === "string" && (typeof is !== "string" || is > was);
const isLonger: Alarm[3] = (was, is) =>
  (is as readonly unknown[]).some((item) => !(was as readonly unknown[]).includes(item));

/** Changes that a reviewer should see first; the first that applies counts. */
const alarms: readonly Alarm[] = [
  ["workspace", /^server\.url$/, "all requests go to another server"],
  ["workspace", /^server\.dialect$/, "an integration with another name there counts as withdrawn and declared"],
  ["workspace", /^server\.allowInsecure$/, "the token may be sent over plain http", isTrue],
  ["workspace", /^server\.ca$/, "other authorities are trusted"],
  ["workspace", /^guards\.delete(?:Percent|Minimum)$/, "a guard lets more be removed", isHigher],
  ["workspace", /^protected$/, "other resources are protected"],
  ["workspace", /^notify$/, "watch notifications go to different recipients, or to none"],
  ["workspace", /^allowPlaintextSecrets$/, "secrets may be written into manifests", isTrue],
  ["rule", /^$/, "the rule is gone", (_, after) => after === undefined],
  ["rule", /^$/, "it only warns", (before, after) => before !== undefined && after === "warning"],
  ["rule", /^(?:when|on)$/, "the rule may object to less"],
  ["rule", /^except$/, "the rule holds for less", isLonger],
  ["rule", /^until$/, "its exceptions hold for longer", isLater],
  ["kind", /^$/, "policies can send these requests", (before) => before === undefined],
  ["kind", /^calls\.|\.x-lookup$/, "other requests are sent"],
  ["kind", /^(?:loosened|tightened)$|\.x-strict$/, "other changes count as loosening"],
  ["kind", /./, "other values may be read, compared or sent"],
  ["policy", /^until$/, "the policy counts for longer", isLater],
];

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
  return { type: "workspace", name: "", parts };
}

/** Flattens an object to dotted names such as `guards.deletePercent`. */
function flatten(value: object, prefix = ""): readonly (readonly [string, unknown])[] {
  return Object.entries(value).flatMap(([key, each]) =>
    isObject(each) ? flatten(each, `${prefix}${key}.`) : [[`${prefix}${key}`, each] as const],
  );
}

/** Kinds determine the requests that are sent. */
function kindSubject(document: Document): Subject {
  const kind = document.value as ResourceKind;
  const calls = Object.values(kind.calls).flatMap((call) => [
    callDetails(call).before ?? [],
    Object.values(writtenCall(call)).join(" "),
  ]);
  return {
    ...{ type: "kind", name: kind.name, owners: ownersOf(kind).join(" and "), document },
    whole: [...calls.flat(), ...lookUpTemplates(kind)],
    parts: new Map(flatten(kind).filter(([name]) => !prose.test(name))),
  };
}

/** Keys that are only for people. */
const prose = /(?:^|\.)(?:title|description|sources|notes|deprecationMessage|x-source)$/;

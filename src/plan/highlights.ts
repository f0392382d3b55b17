import { grouped } from "../base/grouped.ts";
import { compareTexts, counted, thousands } from "../base/text-format.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { policyKind } from "../model/kinds.ts";
import { effectOfCommonFields } from "../model/policy-effect.ts";
import { turnsOff } from "../model/removal-changes.ts";
import type { Fields, PolicyEffect } from "../model/types.ts";
import { inlineText, replaceReferences } from "../model/values.ts";
import { subjectOf } from "./groups.ts";
import { namesCounted } from "./heading.ts";
import { actionOf, type ChangedBy, type Plan, type PlannedChange, planDigest, visibleOf } from "./plan.ts";

export const attention = "Needs attention";

type Highlightable = Pick<
  PlannedChange,
  "address" | "project" | "kind" | "key" | "change" | "policy_effect" | "lost_notifications" | "moved_notifications"
>;

export interface Highlight<Each = PlannedChange> {
  readonly topic:
    | "looser"
    | "loosened"
    | "lost-notifications"
    | "moved-notifications"
    | "disabled"
    | "deleted"
    | "replaced";
  readonly changes: readonly [Each, ...Each[]];
  readonly title: string;
  /** The first few groups of equal changes, and the number of the others. */
  readonly details: readonly string[];
}

const mostDetails = 3;

export function highlightLine({ title, details }: Pick<Highlight, "title" | "details">): string {
  return `${title}: ${details.join("; ")}`;
}

type Visible = ReturnType<typeof visibleOf>;

interface Topic<Each = Highlightable> {
  readonly topic: Highlight["topic"];
  readonly holds: (planned: Each) => boolean;
  readonly says: (count: number) => string;
  readonly word: (planned: Each, catalogue: Catalogue) => string;
}

const topics: readonly Topic[] = [
  {
    topic: "loosened",
    holds: ({ policy_effect }) => policy_effect === "loosened",
    says: (count) => changesDo(count, "loosen", "the policy"),
    word: (planned, catalogue) => loosening(visibleOf(planned), catalogue),
  },
  {
    topic: "lost-notifications",
    holds: ({ lost_notifications = [] }) => lost_notifications.length > 0,
    says: (count) => changesDo(count, "stop", "notifications"),
    word: ({ lost_notifications = [] }) => lost_notifications.join(", "),
  },
  {
    topic: "moved-notifications",
    holds: ({ moved_notifications = [] }) => moved_notifications.length > 0,
    says: (count) => changesDo(count, "move", "notifications"),
    word: ({ moved_notifications = [] }) => moved_notifications.join(", "),
  },
  {
    topic: "disabled",
    holds: (planned) => turnsOff(visibleOf(planned)) && planned.change.actions[0] !== "delete",
    says: (count) => `${thousands(count)} to disable`,
    word: subjectOf,
  },
  {
    topic: "deleted",
    holds: (planned) => actionOf(planned) === "delete",
    says: (count) => `${thousands(count)} to delete`,
    word: subjectOf,
  },
  {
    topic: "replaced",
    holds: (planned) => actionOf(planned) === "replace",
    says: (count) => `${thousands(count)} to delete and create again`,
    word: subjectOf,
  },
];

function changesDo(count: number, verb: string, what: string): string {
  return `${counted(count, "change")} ${verb}${count === 1 ? "s" : ""} ${what}`;
}

/** Live state that is looser than declared: the most serious drift. */
function looserTopic(changes: readonly PlannedChange[], at: string): Topic<PlannedChange> {
  const holds = ({ policy_effect }: PlannedChange) => policy_effect === "tightened";
  const since = ({ differs_since = at }: PlannedChange) => differs_since;
  const ages = changes
    .filter(holds)
    .sort((a, b) => compareTexts(since(a), since(b)))
    .map((change) => ageWords(change, at));
  const [oldest] = ages;
  const isSame = oldest !== undefined && ages.every((age) => age === oldest);
  const age = !oldest ? "" : isSame ? ` ${oldest}` : ` ${oldest.replace("for", "for up to")}`;
  return {
    topic: "looser",
    holds,
    says: (count) => `${counted(count, "setting")} ${count === 1 ? "is" : "are"} ${directions.tightened}${age}`,
    word: subjectOf,
  };
}

export function highlightsOf<Each extends Highlightable>(
  changes: readonly Each[],
  catalogue: Catalogue,
  sought: readonly Topic<Each>[] = topics,
): Highlight<Each>[] {
  return sought.flatMap(({ topic, holds, says, word }) => {
    const [first, ...others] = changes.filter(holds);
    if (!first) return [];
    const all = [first, ...others] as const;
    return { topic, changes: all, title: says(all.length), details: detailLines(all, (each) => word(each, catalogue)) };
  });
}

/** Like {@link highlightsOf}, for drift: live state that is looser than declared replaces changes that loosen. */
export function driftHighlights(
  { resource_changes: changes, created_at: at }: Pick<Plan, "resource_changes" | "created_at">,
  catalogue: Catalogue,
): Highlight[] {
  return highlightsOf(changes, catalogue, [
    looserTopic(changes, at),
    ...topics.filter(({ topic }) => topic !== "loosened"),
  ]);
}

/** Effects and locations of changes, equal ones joined: the first few, and the number of others. */
export function detailLines<Each extends Pick<PlannedChange, "project">>(
  changes: readonly Each[],
  word: (change: Each) => string,
): readonly string[] {
  const lines = Array.from(grouped(changes, word), ([subject, those]) => {
    return `${subject} in ${those.length === 1 ? those[0].project : namesCounted(those.map(({ project }) => project))}`;
  });
  const more = lines.length - mostDetails;
  return more > 1 ? [...lines.slice(0, mostDetails), `${thousands(more)} more`] : lines;
}

function loosening(change: Pick<Visible, "kind" | "key" | "before" | "after">, catalogue: Catalogue): string {
  const { kind, before, after } = change;
  const subject = subjectOf(change);
  const isOne = policyKind(catalogue, kind)?.only !== undefined;
  const loosens = looseningFields(change, catalogue);
  const values = Object.entries(after ?? before ?? {})
    .filter(([name]) => loosens.has(name))
    .map(([name, value]) => [name, inlineText(replaceReferences(value, () => "(secret)") ?? null)] as const);
  const texts = values.map(([, text]) => text).join(", ");
  if (after === null) return `${subject} is no longer ${isOne ? texts : "there"}`;
  if (isOne) return `${subject} becomes ${texts}`;
  return `${subject}: ${values.map(([name, text]) => `${name} becomes ${text}`).join(", ")}`;
}

/** The fields that loosen a policy by themselves; all of them if none does. */
function looseningFields(
  { kind, before, after }: Pick<Visible, "kind" | "before" | "after">,
  catalogue: Catalogue,
): ReadonlySet<string> {
  const names = Object.keys(after ?? before ?? {});
  const only = (fields: Fields | null, name: string) => fields && { [name]: fields[name] ?? null };
  const loosens = (name: string) =>
    effectOfCommonFields({ kind, before: only(before, name), after: only(after, name) }, catalogue) === "loosened";
  const found = before && after ? names.filter(loosens) : [];
  return new Set(found.length > 0 ? found : names);
}

/** Compares live with declared state, by the effect that an apply would have on the policy. */
export const directions: Readonly<Record<PolicyEffect, string>> = {
  tightened: "looser than declared",
  loosened: "stricter than declared",
};

/** Describes a change as drift: live values and their age, not the effect of an apply. `at`: when it was found. */
export function asDrift({ policy_effect: effect, ...planned }: PlannedChange, at: string): PlannedChange {
  const reason = planned.action_reason;
  const compared = effect ? reason.replace(`, ${effect}`, `, ${directions[effect]}`) : reason;
  const age = ageWords(planned, at);
  const dated = age && effect ? `${compared} ${age}` : [compared, ...(age ? [age] : [])].join(", ");
  const author = planned.changed_by ? `, ${authorText(planned.changed_by)}` : "";
  return { ...planned, action_reason: dated + author };
}

/** `changed by ada, 2026-11-20 14:02`, in UTC. */
export function authorText({ author, at }: ChangedBy): string {
  const time = Number.isNaN(Date.parse(at)) ? at : new Date(at).toISOString().slice(0, 16).replace("T", " ");
  return `changed by ${author}, ${time}`;
}

/** `for 10 days`; empty if unknown or less than an hour. */
function ageWords({ differs_since: since = "" }: Pick<PlannedChange, "differs_since">, at: string): string {
  const hours = (Date.parse(at) - Date.parse(since)) / 3_600_000;
  if (!(hours >= 1)) return "";
  return `for ${hours < 48 ? counted(Math.floor(hours), "hour") : counted(Math.floor(hours / 24), "day")}`;
}

/** Adds the time when each difference was first seen: ISO 8601 by address. */
export function datedPlan(plan: Plan, since: ReadonlyMap<string, string>): Plan {
  const changes = plan.resource_changes.map((planned): PlannedChange => {
    const firstSeen = since.get(planned.address);
    return firstSeen === undefined ? planned : { ...planned, differs_since: firstSeen };
  });
  const dated = { ...plan, resource_changes: changes };
  return { ...dated, digest: planDigest(dated) };
}

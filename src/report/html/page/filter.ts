import { isReference } from "../../../model/normalise.ts";
import type { PlannedChange } from "../../../plan/plan.ts";

/** What changes can be counted and filtered by. */
export type Facet = "policy_effect" | "events" | "action" | "kind" | "outcome";

/** What is looked for. The URL's hash holds it, so a link brings it back. An empty set lets everything through. */
export interface Filter extends Readonly<Record<Facet, ReadonlySet<string>>> {
  /** Words that must all occur. */
  readonly q: string;
  /** A project's name, or a part of it. */
  readonly project: string;
}

/** What a filter finds, and how many changes each facet's words would find with all other parts of the filter. */
export interface FilterResult {
  readonly matches: PlannedChange[];
  readonly counts: Readonly<Record<Facet, Map<string, number>>>;
  readonly actionsOfKind: Map<string, Map<string, number>>;
}

const facets: readonly Facet[] = ["policy_effect", "events", "action", "kind", "outcome"];

/** The word of each facet that a change has; empty where it has none. */
export const facetOf: Readonly<Record<Facet, (change: PlannedChange) => string>> = {
  policy_effect: ({ policy_effect }) => policy_effect ?? "",
  events: ({ lost_notifications }) => (lost_notifications ? "lost" : ""),
  action: ({ change }) => change.actions[0],
  kind: ({ kind }) => kind,
  outcome: ({ outcome }) => outcome?.status ?? "",
};

/** The filter in a hash; what is mangled there is left out. */
export function filterOf(hash: string): Filter {
  const asked = new URLSearchParams(hash.replace(/^#/, ""));
  const words = (facet: Facet) => new Set((asked.get(facet) ?? "").split(",").filter(Boolean));
  const [q, project] = [asked.get("q") ?? "", asked.get("project") ?? ""];
  const [policy_effect, events] = [words("policy_effect"), words("events")];
  return { q, project, policy_effect, events, action: words("action"), kind: words("kind"), outcome: words("outcome") };
}

/** Without a leading `#`; empty for a filter that lets everything through. */
export function hashOf(filter: Partial<Filter>): string {
  const words = facets.map((facet) => [facet, [...(filter[facet] ?? [])].join(",")] as const);
  const pairs = [["q", filter.q], ["project", filter.project], ...words] as const;
  return pairs.flatMap(([name, text]) => (text ? [`${name}=${inHash(text)}`] : [])).join("&");
}

/** The filter with a word more in one of its facets, or without it where it was there. */
export function toggled(filter: Filter, facet: Facet, word: string): Filter {
  const words = new Set(filter[facet]);
  if (!words.delete(word)) words.add(word);
  return { ...filter, [facet]: words };
}

/** Encoded, but for what addresses are made of: links are read by people, too. */
function inHash(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/%(?:2F|3A|2C)/g, decodeURIComponent);
}

const haystacks = new WeakMap<PlannedChange, string>();

/** All that can be searched for in a change, in lower case. */
function haystackOf(change: PlannedChange): string {
  const haystack = haystacks.get(change) ?? searchableText(change).toLowerCase();
  haystacks.set(change, haystack);
  return haystack;
}

function searchableText({
  address,
  change,
  action_reason: reason,
  notes = [],
  source,
  call,
  outcome,
}: PlannedChange): string {
  const fields = [change.before, change.after].flatMap((side) => Object.entries(side ?? {}));
  const values = fields.map(([name, value]) => `${name}: ${isReference(value) ? value.secret : value}`);
  const place = `${source.file}:${source.line}`;
  return [address, ...values, reason, ...notes, place, `${call.method} ${call.path}`, outcome?.error ?? ""].join("\n");
}

/** The changes that a filter lets through, in their order, and the counts for its facets. */
export function filterChanges(changes: readonly PlannedChange[], filter: Filter): FilterResult {
  const result: FilterResult = {
    matches: [],
    counts: { policy_effect: new Map(), events: new Map(), action: new Map(), kind: new Map(), outcome: new Map() },
    actionsOfKind: new Map(),
  };
  for (const change of changes.filter(textMatcher(changes, filter))) tally(result, change, filter);
  return result;
}

/** Whether a change has the filter's words and project. A whole address, or name of a project, finds no longer one. */
function textMatcher(changes: readonly PlannedChange[], filter: Filter): (change: PlannedChange) => boolean {
  const words = filter.q.toLowerCase().split(/\s+/).filter(Boolean);
  const project = filter.project.trim().toLowerCase();
  const only = filter.q.trim().toLowerCase();
  const isAddress = only !== "" && changes.some(({ address }) => address.toLowerCase() === only);
  const isWhole = project !== "" && changes.some((change) => change.project.toLowerCase() === project);
  return (change) => {
    const name = project === "" ? "" : change.project.toLowerCase();
    if (isWhole ? name !== project : !name.includes(project)) return false;
    if (isAddress) return change.address.toLowerCase() === only;
    return words.every((word) => haystackOf(change).includes(word));
  };
}

function tally({ matches, counts, actionsOfKind }: FilterResult, change: PlannedChange, filter: Filter): void {
  const barred = facets.filter((facet) => filter[facet].size > 0 && !filter[facet].has(facetOf[facet](change)));
  if (barred.length > 1) return;
  if (barred.length === 0) matches.push(change);
  const counting = barred.length === 0 ? facets : barred;
  for (const facet of counting) increment(counts[facet], facetOf[facet](change));
  if (!counting.includes("kind")) return;
  const ofKind = actionsOfKind.get(change.kind) ?? new Map<string, number>();
  actionsOfKind.set(change.kind, increment(ofKind, facetOf.action(change)));
}

function increment(counts: Map<string, number>, word: string): Map<string, number> {
  return counts.set(word, (counts.get(word) ?? 0) + 1);
}

/** What changes can be counted and filtered by. */
export const facets = ["policy_effect", "events", "action", "kind", "outcome"] as const;

export type Facet = (typeof facets)[number];

/** A filter of the list of changes. An empty set matches everything. The URL fragment contains it, so that links keep it. */
export interface Filter extends Readonly<Record<Facet, ReadonlySet<string>>> {
  /** Words that must all occur. */
  readonly q: string;
  /** A project's name, or a part of it. */
  readonly project: string;
}

/** The filter in a URL fragment; anything invalid in it is left out. */
export function filterOf(hash: string): Filter {
  const query = new URLSearchParams(hash.replace(/^#/, ""));
  const words = (facet: Facet) => new Set((query.get(facet) ?? "").split(",").filter(Boolean));
  const [policy_effect, events] = [words("policy_effect"), words("events")];
  const [action, kind, outcome] = [words("action"), words("kind"), words("outcome")];
  return { q: query.get("q") ?? "", project: query.get("project") ?? "", policy_effect, events, action, kind, outcome };
}

/** The URL fragment of a filter without `#`; empty for a filter that matches everything. */
export function filterLink(filter: Partial<Filter>): string {
  const words = facets.map((facet) => [facet, [...(filter[facet] ?? [])].join(",")] as const);
  const pairs = [["q", filter.q], ["project", filter.project], ...words] as const;
  return pairs.flatMap(([name, text]) => (text ? [`${name}=${encoded(text)}`] : [])).join("&");
}

/** Percent-encoded except for the characters that separate the parts of addresses, so that links stay readable. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/%(?:2F|3A|2C)/g, decodeURIComponent);
}

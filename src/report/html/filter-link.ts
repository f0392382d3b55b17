export const facets = ["policy_effect", "events", "action", "kind", "outcome"] as const;

export type Facet = (typeof facets)[number];

/** A filter of the list of changes, kept in the URL fragment; an empty set matches everything. */
export interface Filter extends Readonly<Record<Facet, ReadonlySet<string>>> {
  /** Words that must all occur. */
  readonly q: string;
  readonly project: string;
}

/** Parses a URL fragment; ignores anything invalid. */
export function filterOf(hash: string): Filter {
  const query = new URLSearchParams(hash.replace(/^#/, ""));
  const words = (facet: Facet) => new Set((query.get(facet) ?? "").split(",").filter(Boolean));
  const [policy_effect, events] = [words("policy_effect"), words("events")];
  const [action, kind, outcome] = [words("action"), words("kind"), words("outcome")];
  return { q: query.get("q") ?? "", project: query.get("project") ?? "", policy_effect, events, action, kind, outcome };
}

/** The URL fragment without `#`; empty if the filter matches everything. */
export function filterLink(filter: Partial<Filter>): string {
  const words = facets.map((facet) => [facet, [...(filter[facet] ?? [])].join(",")] as const);
  const pairs = [["q", filter.q], ["project", filter.project], ...words] as const;
  return pairs.flatMap(([name, text]) => (text ? [`${name}=${encodePart(text)}`] : [])).join("&");
}

/** Percent-encodes all but the separators of addresses, so that links stay readable. */
function encodePart(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/%(?:2F|3A|2C)/g, decodeURIComponent);
}

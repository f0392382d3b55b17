/**
 * What is looked for. It lives in the URL's hash, so that a link brings it back; an empty set lets everything through.
 * @typedef {object} Filter
 * @property {string} q words that must all occur
 * @property {string} project its name, or a part of it
 * @property {ReadonlySet<string>} action
 * @property {ReadonlySet<string>} kind
 * @property {ReadonlySet<string>} outcome
 */

/** @typedef {"action" | "kind" | "outcome"} Facet */

/**
 * What a filter finds, and how many changes each facet's words would find with all other parts of the filter.
 * @typedef {object} Found
 * @property {PlannedChange[]} matches
 * @property {Record<Facet, Map<string, number>>} counts
 * @property {Map<string, Map<string, number>>} actionsOfKind
 */

/** @type {readonly Facet[]} */
const facets = ["action", "kind", "outcome"];

/** @type {Record<Facet, (change: PlannedChange) => string>} */
const facetOf = {
  action: ({ change }) => change.actions[0],
  kind: ({ kind }) => kind,
  outcome: ({ outcome }) => outcome?.status ?? "",
};

/**
 * @param {string} hash
 * @returns {Filter}
 */
function filterOf(hash) {
  const asked = new URLSearchParams(hash.replace(/^#/, ""));
  const words = (/** @type {Facet} */ facet) => new Set((asked.get(facet) ?? "").split(",").filter(Boolean));
  return {
    q: asked.get("q") ?? "",
    project: asked.get("project") ?? "",
    action: words("action"),
    kind: words("kind"),
    outcome: words("outcome"),
  };
}

/**
 * Without a leading `#`; empty for a filter that lets everything through.
 * @param {Partial<Filter>} filter
 */
function hashOf(filter) {
  const pairs = [
    ["q", filter.q],
    ["project", filter.project],
    ...facets.map((facet) => [facet, [...(filter[facet] ?? [])].join(",")]),
  ];
  return pairs.flatMap(([name, text]) => (text ? [`${name}=${inHash(text)}`] : [])).join("&");
}

/**
 * Encoded, but for what addresses are made of: links are read by people, too.
 * @param {string} text
 */
function inHash(text) {
  return encodeURIComponent(text.toWellFormed()).replace(/%(?:2F|3A|2C)/g, decodeURIComponent);
}

/** @type {WeakMap<PlannedChange, string>} */
const haystacks = new WeakMap();

/**
 * All that can be searched for in a change, in lower case.
 * @param {PlannedChange} change
 */
function haystackOf(change) {
  const known = haystacks.get(change);
  if (known !== undefined) return known;
  const made = haystackFor(change).toLowerCase();
  haystacks.set(change, made);
  return made;
}

/** @param {PlannedChange} change */
function haystackFor({ address, change, action_reason: reason, source, call, outcome }) {
  const fields = [change.before, change.after].flatMap((side) => Object.entries(side ?? {}));
  const values = fields.map(([name, value]) => `${name}: ${isReference(value) ? value.secret : value}`);
  const place = `${source.file}:${source.line}`;
  return [address, ...values, reason, place, `${call.method} ${call.path}`, outcome?.error ?? ""].join("\n");
}

/**
 * @param {readonly PlannedChange[]} changes
 * @param {Filter} filter
 * @returns {Found}
 */
function select(changes, filter) {
  const isSought = soughtBy(changes, filter);
  /** @type {Found} */
  const selection = {
    matches: [],
    counts: { action: new Map(), kind: new Map(), outcome: new Map() },
    actionsOfKind: new Map(),
  };
  for (const change of changes) if (isSought(change)) tally(selection, change, filter);
  return selection;
}

/**
 * @param {readonly PlannedChange[]} changes
 * @param {Filter} filter
 * @returns {(change: PlannedChange) => boolean}
 */
function soughtBy(changes, filter) {
  const words = filter.q.toLowerCase().split(/\s+/).filter(Boolean);
  const project = filter.project.trim().toLowerCase();
  const isWhole = project !== "" && changes.some((change) => change.project.toLowerCase() === project);
  return (change) => {
    const name = project === "" ? "" : change.project.toLowerCase();
    if (isWhole ? name !== project : !name.includes(project)) return false;
    return words.length === 0 || words.every((word) => haystackOf(change).includes(word));
  };
}

/**
 * @param {Found} selection
 * @param {PlannedChange} change
 * @param {Filter} filter
 */
function tally({ matches, counts, actionsOfKind }, change, filter) {
  const barred = facets.filter((facet) => filter[facet].size > 0 && !filter[facet].has(facetOf[facet](change)));
  if (barred.length === 0) matches.push(change);
  if (barred.length > 1) return;
  for (const facet of barred.length === 0 ? facets : barred) addTo(counts[facet], facetOf[facet](change));
  if (barred.length === 0 || barred[0] === "kind") {
    addTo(
      at(actionsOfKind, change.kind, () => new Map()),
      facetOf.action(change),
    );
  }
}

/**
 * @param {Map<string, number>} counts
 * @param {string} word
 */
function addTo(counts, word) {
  counts.set(word, (counts.get(word) ?? 0) + 1);
}

/**
 * What a map holds, made where it is not there yet.
 * @template Held
 * @param {Map<string, Held>} map
 * @param {string} key
 * @param {() => Held} make
 */
function at(map, key, make) {
  const held = map.get(key) ?? make();
  map.set(key, held);
  return held;
}

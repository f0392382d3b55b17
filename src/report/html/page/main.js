/** @type {Plan} */
const plan = JSON.parse(part("plan").textContent ?? "");
const rank = (/** @type {PlannedChange} */ change) => actions.indexOf(actionOf(change));
const changes = plan.resource_changes.toSorted((a, b) => rank(a) - rank(b));
const kinds = [...Map.groupBy(changes, ({ kind }) => kind)].sort(([, a], [, b]) => b.length - a.length);
const largestKind = kinds[0]?.[1].length ?? 1;
const projects = [...new Set(changes.map(({ project }) => project))].filter(Boolean).sort();

/** Rows that have been drawn once stay as the reader left them. @type {Map<PlannedChange, HTMLLIElement>} */
const rows = new Map();
const step = 100;
const inputs = {
  q: /** @type {HTMLInputElement} */ (part("search")),
  project: /** @type {HTMLInputElement} */ (part("project")),
};

let filter = filterOf(location.hash);
/** @type {PlannedChange[]} */
let matches = [];
let drawn = 0;
let areOpen = changes.length <= 8;

/** @param {PlannedChange} change */
function drawnRow(change) {
  const row = rows.get(change) ?? rowOf(change);
  rows.set(change, row);
  const details = row.querySelector("details");
  if (details && (areOpen || matches.length === 1)) details.open = true;
  return row;
}

/** @param {PlannedChange[]} batch */
function drawRows(batch) {
  const groups = Map.groupBy(batch, actionOf);
  for (const [action, group] of groups) {
    part(`group-${action}`).hidden = false;
    part(`rows-${action}`).append(...group.map(drawnRow));
  }
}

/** @param {number} size */
function drawMore(size) {
  drawRows(matches.slice(drawn, drawn + size));
  drawn = Math.min(drawn + size, matches.length);
  const left = matches.length - drawn;
  part("more").hidden = left === 0;
  part("more").textContent = `Show ${grouped(Math.min(left, step))} more of ${grouped(left)}`;
}

/** Draws all that depends on the filter. */
function redraw() {
  const selection = select(changes, filter);
  matches = selection.matches;
  drawn = 0;
  for (const action of actions) clearGroup(action);
  drawMore(step);
  drawFacets(selection);
  drawCount();
}

/** @param {Action} action */
function clearGroup(action) {
  part(`group-${action}`).hidden = true;
  part(`rows-${action}`).replaceChildren();
  const count = matches.reduce((sum, change) => sum + Number(actionOf(change) === action), 0);
  part(`count-${action}`).textContent = grouped(count);
}

function drawCount() {
  const isFiltered = hashOf(filter) !== "";
  const all = counted(changes.length, "change");
  part("count").textContent = isFiltered ? `${grouped(matches.length)} of ${all}` : all;
  part("clear").hidden = !isFiltered;
  part("none").hidden = matches.length > 0;
}

/**
 * Takes up a filter and writes it into the URL, without a step in the browser's history for each letter.
 * @param {Filter} next
 */
function follow(next) {
  filter = next;
  const hash = hashOf(filter);
  history.replaceState(null, "", hash ? `#${hash}` : `${location.pathname}${location.search}`);
  redraw();
}

function takeUpHash() {
  filter = filterOf(location.hash);
  inputs.q.value = filter.q;
  inputs.project.value = filter.project;
  redraw();
}

function suggestProjects() {
  const typed = inputs.project.value.toLowerCase();
  const near = projects.filter((project) => project.toLowerCase().includes(typed)).slice(0, 50);
  const options = near.map((project) => {
    const option = element("option", "");
    option.value = project;
    return option;
  });
  fill(part("projects"), ...options);
}

/** @param {boolean} open */
function openAll(open) {
  areOpen = open;
  part("expand").textContent = open ? "Close all" : "Open all";
  for (const row of rows.values()) for (const details of row.querySelectorAll("details")) details.open = open;
}

/** What was unfolded for paper only. @type {Set<HTMLDetailsElement>} */
const unfolded = new Set();

/** Paper does not scroll or unfold: all that matches is printed in full. */
function preparePrint() {
  drawMore(matches.length);
  for (const change of matches) {
    const details = rows.get(change)?.querySelector("details");
    if (!details || details.open) continue;
    details.open = true;
    unfold(details, change);
    unfolded.add(details);
  }
}

function putAwayPrint() {
  for (const details of unfolded) details.open = false;
  unfolded.clear();
  redraw();
}

function goToChanges() {
  part("changes").scrollIntoView();
  part("changes-title").focus({ preventScroll: true });
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const isTyping = event.target instanceof HTMLInputElement;
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  inputs.q.focus();
}

function drawChanges() {
  const statuses = Object.entries(plan.summary.outcomes ?? {}).filter(([, count]) => count > 0);
  fill(part("actions"), ...actions.map(tileOf));
  fill(part("kinds"), ...kinds.map(([kind]) => barOf(kind)));
  fill(part("outcomes"), ...statuses.map(([status]) => chipOf(status)));
  fill(part("list"), ...actions.map(groupOf));
  part("overview").hidden = false;
  part("changes").hidden = false;
  part("outcomes-set").hidden = statuses.length === 0;
  openAll(areOpen);
  takeUpHash();
}

function listen() {
  inputs.q.addEventListener("input", () => follow({ ...filter, q: inputs.q.value }));
  inputs.project.addEventListener("input", () => follow({ ...filter, project: inputs.project.value }));
  for (const name of ["input", "focus"]) inputs.project.addEventListener(name, suggestProjects);
  part("more").addEventListener("click", () => drawMore(step));
  new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && drawMore(step), {
    rootMargin: "400px",
  }).observe(part("more"));
  part("clear").addEventListener("click", () => {
    follow(filterOf(""));
    takeUpHash();
    inputs.q.focus();
  });
  part("expand").addEventListener("click", () => openAll(!areOpen));
  addEventListener("beforeprint", preparePrint);
  addEventListener("afterprint", putAwayPrint);
  addEventListener("keydown", onKey);
  addEventListener("hashchange", () => {
    takeUpHash();
    goToChanges();
  });
}

part("skip").addEventListener("click", (event) => {
  event.preventDefault();
  goToChanges();
});
drawHead();
if (changes.length > 0) {
  drawChanges();
  listen();
}

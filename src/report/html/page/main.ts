import { quantity, thousands } from "../../../base/text-format.ts";
import type { Plan } from "../../../plan/plan.ts";
import { inSections, revealOnly, showChanges, startList } from "./change-list.ts";
import { element, input, part } from "./dom.ts";
import { drawFacets, startFacets } from "./facets.ts";
import { type Filter, filterChanges, filterOf, hashOf, toggled } from "./filter.ts";
import { drawHead } from "./head.ts";
import { listing } from "./listed.ts";

const plan = JSON.parse(part("plan").textContent) as Plan;
const changes = inSections(plan.resource_changes);
const rowsOf = listing(changes);
const projects = [...new Set(changes.map(({ project }) => project))].filter(Boolean).sort();
const inputs = { q: input("search"), project: input("project") };

let filter = filterOf("");

/** Takes up a filter and writes it into the URL, without a step in the browser's history for each letter. */
function follow(next: Filter): void {
  const hash = hashOf(next);
  history.replaceState(null, "", hash ? `#${hash}` : `${location.pathname}${location.search}`);
  draw(next);
}

function takeUpHash(): void {
  const next = filterOf(location.hash);
  inputs.q.value = next.q;
  inputs.project.value = next.project;
  draw(next);
}

function draw(next: Filter): void {
  filter = next;
  const result = filterChanges(changes, filter);
  showChanges(rowsOf(result.matches));
  drawFacets(result, filter);
  drawCount(result.matches.length);
}

function drawCount(found: number): void {
  const isFiltered = hashOf(filter) !== "";
  const all = quantity(changes.length, "change");
  part("count").textContent = isFiltered ? `${thousands(found)} of ${all}` : all;
  part("clear").hidden = !isFiltered;
  part("none").hidden = found > 0;
}

function clearFilters(): void {
  follow(filterOf(""));
  takeUpHash();
  inputs.q.focus();
}

function suggestProjects(): void {
  const typed = inputs.project.value.toLowerCase();
  const near = projects.filter((project) => project.toLowerCase().includes(typed)).slice(0, 50);
  const options = near.map((project) => Object.assign(element("option", ""), { value: project }));
  part("projects").replaceChildren(...options);
}

function goToChanges(): void {
  part("changes").scrollIntoView();
  part("changes-title").focus({ preventScroll: true });
}

function onKey(event: KeyboardEvent): void {
  const isTyping = event.target instanceof HTMLInputElement;
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  inputs.q.focus();
}

function listen(): void {
  inputs.q.addEventListener("input", () => follow({ ...filter, q: inputs.q.value }));
  inputs.project.addEventListener("input", () => follow({ ...filter, project: inputs.project.value }));
  for (const name of ["input", "focus"]) inputs.project.addEventListener(name, suggestProjects);
  part("clear").addEventListener("click", clearFilters);
  addEventListener("keydown", onKey);
  addEventListener("hashchange", () => {
    takeUpHash();
    const line = revealOnly();
    if (line) line.focus({ preventScroll: true });
    else goToChanges();
  });
}

part("skip").addEventListener("click", (event) => {
  event.preventDefault();
  goToChanges();
});
drawHead(plan);
if (changes.length > 0) {
  startFacets(changes, plan.summary, (facet, word) => follow(toggled(filter, facet, word)));
  startList(changes.length <= 8);
  takeUpHash();
  if (filter.q !== "") revealOnly();
  listen();
}

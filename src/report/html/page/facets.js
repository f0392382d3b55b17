/** @param {Found} selection */
function drawFacets({ counts, actionsOfKind }) {
  for (const button of document.querySelectorAll("button[data-facet]")) {
    const { facet, word } = /** @type {{ facet: Facet, word: string }} */ (/** @type {HTMLElement} */ (button).dataset);
    button.setAttribute("aria-pressed", String(filter[facet].has(word)));
    const number = button.querySelector(".number");
    if (number) number.textContent = grouped(counts[facet].get(word) ?? 0);
    const bar = button.querySelector(".bar");
    if (bar) drawBar(/** @type {HTMLElement} */ (bar), counts.kind.get(word) ?? 0, actionsOfKind.get(word));
  }
}

/**
 * A kind's bar: as long as its share of the plan's largest kind, in parts by action.
 * @param {HTMLElement} bar
 * @param {number} count
 * @param {Map<string, number> | undefined} byAction
 */
function drawBar(bar, count, byAction) {
  bar.style.width = count > 0 ? `${Math.max(1, (count / largestKind) * 100)}%` : "0";
  for (const piece of bar.querySelectorAll("i")) {
    piece.hidden = !byAction?.has(piece.className);
    piece.style.flexGrow = String(byAction?.get(piece.className) ?? 0);
  }
}

/**
 * @param {Facet} facet
 * @param {string} word
 * @param {...(Node | string)} children
 */
function facetButton(facet, word, ...children) {
  const button = element("button", `${facet} ${word}`, ...children);
  button.type = "button";
  button.dataset.facet = facet;
  button.dataset.word = word;
  button.addEventListener("click", () => {
    const words = new Set(filter[facet]);
    if (!words.delete(word)) words.add(word);
    follow({ ...filter, [facet]: words });
  });
  return button;
}

/** @param {Action} action */
function tileOf(action) {
  const symbol = element("span", `symbol ${action}`, symbols[action]);
  symbol.ariaHidden = "true";
  const words = element("span", "word", symbol, ` to ${action}`);
  const tile = facetButton("action", action, element("span", "number"), " ", words);
  tile.disabled = !changes.some((change) => actionOf(change) === action);
  return tile;
}

/** @param {string} kind */
function barOf(kind) {
  const bar = element("span", "bar", ...actions.map((action) => element("i", action)));
  bar.ariaHidden = "true";
  const track = element("span", "track", bar);
  return facetButton("kind", kind, element("span", "word", kind), track, " ", element("span", "number"));
}

/** @param {Action} action */
function groupOf(action) {
  const number = element("span", "number");
  number.id = `count-${action}`;
  const list = element("ul", "rows");
  list.id = `rows-${action}`;
  const heading = element("h3", action, `To ${action} `, number);
  heading.id = `heading-${action}`;
  const group = element("section", "group", heading, list);
  group.id = `group-${action}`;
  group.setAttribute("aria-labelledby", heading.id);
  return group;
}

/** @param {string} status */
function chipOf(status) {
  return facetButton("outcome", status, element("span", "word", status), " ", element("span", "number"));
}

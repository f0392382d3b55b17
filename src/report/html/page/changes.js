/** What turns something off comes first. @type {readonly Action[]} */
const actions = ["delete", "disable", "create", "update"];

/** @type {Record<Action, string>} */
const symbols = { delete: "−", disable: "×", create: "+", update: "~" };

/** @param {PlannedChange} change */
function actionOf({ change }) {
  return change.actions[0];
}

/**
 * A change as a line that unfolds. What is folded is built only when somebody looks.
 * @param {PlannedChange} change
 */
function rowOf(change) {
  const details = element("details", "change", summaryOf(change));
  details.addEventListener("toggle", () => unfold(details, change));
  return element("li", "", details);
}

/**
 * @param {HTMLDetailsElement} details
 * @param {PlannedChange} change
 */
function unfold(details, change) {
  if (!details.open || details.childElementCount > 1) return;
  details.append(detailOf(change));
  for (const mark of details.querySelectorAll("mark")) showMark(mark);
}

/**
 * Brings the part that differs into sight where a value is longer than its box.
 * @param {HTMLElement} mark
 */
function showMark(mark) {
  const box = mark.closest("code");
  if (box && mark.offsetTop > box.clientHeight / 2) box.scrollTop = mark.offsetTop - box.clientHeight / 2;
}

/** @param {PlannedChange} change */
function summaryOf(change) {
  const { project, kind, key, outcome, source } = change;
  const symbol = element("span", `symbol ${actionOf(change)}`, symbols[actionOf(change)]);
  symbol.setAttribute("aria-hidden", "true");
  const where = project ? element("span", "project", visible(project)) : "";
  const name = element("span", "name", element("span", "kind", `${kind}/`), element("b", "", visible(key)));
  const place = element("span", "place", placeOf(source));
  const summary = element("summary", "", symbol, element("span", "unseen", actionOf(change)));
  summary.append(element("span", "what", where, " ", name), element("span", "brief", ...briefOf(change)));
  summary.append(element("span", "end", outcome ? outcomeNode(outcome.status) : "", place));
  return summary;
}

/** @param {string} status */
function outcomeNode(status) {
  return element("span", `outcome ${status}`, status);
}

/** @param {{ file?: string, line?: number }} source */
function placeOf({ file, line }) {
  return file === undefined ? "" : visible(`${file}:${line}`);
}

/**
 * The first field that changes, and how many more do.
 * @param {PlannedChange} change
 */
function briefOf({ change, action_reason: reason }) {
  const { before, after } = change;
  const [name, ...more] = namesOf(change);
  if (name === undefined || after === null) return [visible(reason)];
  if (before === null) return [[name, ...more].map(visible).join(", ")];
  const rest = more.length > 0 ? [" ", element("span", "rest", `+${more.length} more`)] : [];
  return [element("span", "field-name", visible(name)), " ", ...transition(before[name], after[name]), ...rest];
}

/**
 * @param {Value | undefined} was
 * @param {Value | undefined} becomes
 */
function transition(was, becomes) {
  const short = (/** @type {Value | undefined} */ value, /** @type {string} */ absent) =>
    element("code", "", value === undefined ? absent : clipped(written(value)));
  return [short(was, "not reported"), " ", arrow(), " ", short(becomes, "unset")];
}

function arrow() {
  const sign = element("span", "arrow", "→");
  sign.ariaHidden = "true";
  return element("span", "", sign, element("span", "unseen", "becomes"));
}

/** @param {string} text */
function clipped(text) {
  return text.length > 48 ? `${text.slice(0, 47)}…` : text;
}

/** @param {PlannedChange["change"]} change */
function namesOf({ before, after }) {
  return [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();
}

/** @param {PlannedChange} change */
function detailOf(change) {
  const { action_reason: reason, outcome } = change;
  const detail = element("div", "detail", element("p", "reason", visible(reason)));
  if (outcome?.error) detail.append(element("p", "error", visible(outcome.error)));
  if (outcome?.not_kept?.length) detail.append(element("p", "error", notKept(outcome.not_kept)));
  if (namesOf(change.change).length > 0) detail.append(fieldsTable(change));
  detail.append(element("p", "origin", ...originOf(change)));
  return detail;
}

/** @param {readonly string[]} names */
function notKept(names) {
  return `Sent, but the server answered another value: ${names.map(visible).join(", ")}`;
}

/** @param {PlannedChange} change */
function fieldsTable({ address, change }) {
  const sides = /** @type {const} */ (["before", "after"]).filter((side) => change[side] !== null);
  const heads = ["Field", ...sides.map((side) => (side === "before" ? "Before" : "After"))].map(headOf);
  const rows = namesOf(change).map((name) => {
    const head = element("th", "", visible(name));
    head.scope = "row";
    return element("tr", "", head, ...sides.map((side) => fieldOf(change, name, side)));
  });
  const caption = element("caption", "unseen", `Fields of ${visible(address)}`);
  return element(
    "table",
    "",
    caption,
    element("thead", "", element("tr", "", ...heads)),
    element("tbody", "", ...rows),
  );
}

/** @param {string} text */
function headOf(text) {
  const head = element("th", "", text);
  head.scope = "col";
  return head;
}

/**
 * @param {PlannedChange["change"]} change
 * @param {string} name
 * @param {"before" | "after"} side
 */
function fieldOf(change, name, side) {
  const other = change[side === "before" ? "after" : "before"];
  return element("td", side, valueNode(change[side]?.[name], other?.[name], side));
}

/** @param {PlannedChange} change */
function originOf({ address, source, call, live }) {
  const facts = [
    ["Declared at", `${placeOf(source)}:${source.column}`],
    ["Request", visible(`${call.method} ${call.path}`)],
    ["Live state of", live?.updated_at ? visible(momentOf(live.updated_at)) : ""],
  ];
  const told = facts.filter(([, text]) => text).map(([name, text]) => fact(name ?? "", text ?? ""));
  return [...told, linkTo(address, "Link to this change")];
}

/**
 * @param {string} name
 * @param {string} text
 */
function fact(name, text) {
  return element("span", "fact", `${name} `, element("code", "", text));
}

/**
 * A link that shows one change alone.
 * @param {string} address
 */
function linkTo(address, text = visible(address)) {
  const link = element("a", "", text);
  link.href = `#${hashOf({ q: address })}`;
  return link;
}

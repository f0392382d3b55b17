/**
 * A list that grows by a button, so that long ones cost nothing until they are read.
 * @template Listed
 * @param {readonly Listed[]} listed
 * @param {(one: Listed) => (Node | string)[]} lineOf
 */
function growingList(listed, lineOf, step = 20) {
  const list = element("ul", "lines");
  const more = element("button", "quiet", "");
  more.type = "button";
  const grow = () => {
    const from = list.childElementCount;
    list.append(...listed.slice(from, from + step).map((one) => element("li", "", ...lineOf(one))));
    const left = listed.length - list.childElementCount;
    more.textContent = `Show ${grouped(Math.min(left, step))} more of ${grouped(left)}`;
    more.hidden = left === 0;
  };
  more.addEventListener("click", grow);
  grow();
  return element("div", "", list, more);
}

/**
 * @template Listed
 * @param {{ id: string, tone: string, title: string, isOpen: boolean }} about
 * @param {readonly Listed[]} listed
 * @param {(one: Listed) => (Node | string)[]} lineOf
 * @returns {HTMLElement[]} nothing where nothing is to be told
 */
function notice({ id, tone, title, isOpen }, listed, lineOf) {
  if (listed.length === 0) return [];
  const heading = element("h2", "", title);
  heading.id = id;
  const details = element("details", `notice ${tone}`, element("summary", "", heading), growingList(listed, lineOf));
  details.open = isOpen;
  const section = element("section", "", details);
  section.setAttribute("aria-labelledby", id);
  return [section];
}

/** @param {Plan} plan */
function noticesOf({ problems, warnings, objections, unverified, resource_changes: changes }) {
  const troubled = changes.filter(({ outcome }) => outcome && outcome.status !== "applied");
  const title = {
    problems: counted(problems.length, "problem"),
    troubled: `${counted(troubled.length, "change")} not applied`,
    objections: "A guard would refuse this plan",
    warnings: counted(warnings.length, "warning"),
    unverified: `${counted(unverified.length, "resource")} with parameters that could not be compared`,
  };
  return [
    ...notice({ id: "problems", tone: "bad", title: title.problems, isOpen: true }, problems, problemLine),
    ...notice({ id: "troubled", tone: "bad", title: title.troubled, isOpen: true }, troubled, troubleLine),
    ...notice({ id: "objections", tone: "bad", title: title.objections, isOpen: true }, objections, objectionLine),
    ...notice(
      { id: "warnings", tone: "doubt", title: title.warnings, isOpen: warnings.length < 4 },
      warnings,
      problemLine,
    ),
    ...notice({ id: "unverified", tone: "plain", title: title.unverified, isOpen: false }, unverified, unverifiedLine),
  ];
}

/** @param {ReportedProblem} problem */
function problemLine({ file, line, column, path, project, message, rule }) {
  const where = file === undefined ? project : `${file}:${line}:${column}`;
  const before = [where, path].flatMap((text) => (text ? [element("code", "", visible(text)), " "] : []));
  return [...before, visible(message), " ", element("span", "rule", rule)];
}

/** @param {PlannedChange} change */
function troubleLine({ address, outcome }) {
  return [outcomeNode(outcome?.status ?? ""), " ", linkTo(address), " ", visible(outcome?.error ?? "")];
}

/** @param {Plan["objections"][number]} objection */
function objectionLine({ guard, message, addresses }) {
  const told = [visible(message), " ", element("span", "rule", guard)];
  const [only] = addresses;
  if (addresses.length === 1 && only !== undefined) return [...told, " ", linkTo(only, "Show it")];
  const list = growingList(addresses, (address) => [linkTo(address)]);
  return [
    ...told,
    element("details", "", element("summary", "", counted(addresses.length, "address", "addresses")), list),
  ];
}

/** @param {Plan["unverified"][number]} unverified */
function unverifiedLine({ address, fields }) {
  return [element("code", "", visible(address)), " ", fields.map(visible).join(", ")];
}

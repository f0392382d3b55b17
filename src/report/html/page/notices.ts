import type { ReportedProblem } from "../../../model/problem-line.ts";
import type { Plan, PlannedChange } from "../../../plan/plan.ts";
import { linkTo, outcomeNode } from "./change-row.ts";
import { button, element } from "./dom.ts";
import { quantity, thousands, visible } from "./words.ts";

type Line = readonly (Node | string)[];

interface Look {
  readonly id: string;
  readonly tone: "bad" | "doubt" | "plain";
  readonly title: string;
  readonly isOpen: boolean;
}

/** What a reader should know before the changes: what went wrong, what is refused, what is in doubt. */
export function noticesOf(plan: Plan): readonly HTMLElement[] {
  const { problems, warnings, objections, unverified } = plan;
  const troubled = plan.resource_changes.filter(({ outcome }) => outcome && outcome.status !== "applied");
  const title = {
    problems: quantity(problems.length, "problem"),
    troubled: `${quantity(troubled.length, "change")} not applied`,
    objections: "A guard would refuse this plan",
    warnings: quantity(warnings.length, "warning"),
    unverified: `${quantity(unverified.length, "resource")} with parameters that could not be compared`,
  };
  const bad = { tone: "bad", isOpen: true } as const;
  const doubt = { tone: "doubt", isOpen: warnings.length < 4 } as const;
  const plain = { tone: "plain", isOpen: false } as const;
  return [
    notice({ id: "problems", title: title.problems, ...bad }, problems, problemLine),
    notice({ id: "troubled", title: title.troubled, ...bad }, troubled, troubleLine),
    notice({ id: "objections", title: title.objections, ...bad }, objections, objectionLine),
    notice({ id: "warnings", title: title.warnings, ...doubt }, warnings, problemLine),
    notice({ id: "unverified", title: title.unverified, ...plain }, unverified, unverifiedLine),
  ].flat();
}

function notice<Listed>(look: Look, listed: readonly Listed[], lineOf: (one: Listed) => Line): readonly HTMLElement[] {
  if (listed.length === 0) return [];
  const { id, tone, title, isOpen } = look;
  const heading = Object.assign(element("h2", "", title), { id });
  const details = element("details", `notice ${tone}`, element("summary", "", heading), growingList(listed, lineOf));
  const section = element("section", "", Object.assign(details, { open: isOpen }));
  section.setAttribute("aria-labelledby", id);
  return [section];
}

/** A list that grows by a button, so that long ones cost nothing until they are read. */
function growingList<Listed>(listed: readonly Listed[], lineOf: (one: Listed) => Line): HTMLElement {
  const step = 20;
  const list = element("ul", "lines");
  const more = button("quiet");
  const grow = () => {
    const from = list.childElementCount;
    list.append(...listed.slice(from, from + step).map((one) => element("li", "", ...lineOf(one))));
    const left = listed.length - list.childElementCount;
    more.textContent = `Show ${thousands(Math.min(left, step))} more of ${thousands(left)}`;
    more.hidden = left === 0;
  };
  more.addEventListener("click", grow);
  grow();
  return element("div", "", list, more);
}

function problemLine({ file, line, column, path, project, message, rule }: ReportedProblem): Line {
  const where = file === undefined ? project : `${file}:${line}:${column}`;
  const before = [where, path].flatMap((text) => (text ? [element("code", "", visible(text)), " "] : []));
  return [...before, visible(message), " ", element("span", "rule", rule)];
}

function troubleLine({ address, outcome }: PlannedChange): Line {
  return outcome ? [outcomeNode(outcome.status), " ", linkTo(address), " ", visible(outcome.error ?? "")] : [];
}

function objectionLine({ guard, message, addresses }: Plan["objections"][number]): Line {
  const told = [visible(message), " ", element("span", "rule", guard)];
  const [only, ...others] = addresses;
  if (only !== undefined && others.length === 0) return [...told, " ", linkTo(only, "Show it")];
  const summary = element("summary", "", quantity(addresses.length, "address", "addresses"));
  const list = growingList(addresses, (address) => [linkTo(address)]);
  return [...told, element("details", "", summary, list)];
}

function unverifiedLine({ address, fields }: Plan["unverified"][number]): Line {
  return [element("code", "", visible(address)), " ", fields.map(visible).join(", ")];
}

import { firstFew, quantity, thousands } from "../../../base/text-format.ts";
import type { ReportedProblem } from "../../../model/problem-line.ts";
import type { Action } from "../../../model/types.ts";
import { objectionGroups } from "../../../plan/guards.ts";
import { waveLines } from "../../../plan/heading.ts";
import type { Plan, PlannedChange } from "../../../plan/plan.ts";
import { linkTo, outcomeNode } from "./change-row.ts";
import { button, element } from "./dom.ts";
import { type Filter, hashOf } from "./filter.ts";
import { written } from "./value.ts";
import { visible } from "./words.ts";

type Line = readonly (Node | string)[];

interface Look {
  readonly id: string;
  readonly tone: "bad" | "doubt" | "plain";
  readonly title: string;
  readonly isOpen: boolean;
}

/** What a reader should know before the changes: what went wrong, what is refused, what is in doubt. */
export function noticesOf(plan: Plan): readonly HTMLElement[] {
  const { problems, warnings, unverified } = plan;
  const troubled = plan.resource_changes.filter(({ outcome }) => outcome && outcome.status !== "applied");
  const waves = waveLines(plan);
  const title = {
    problems: quantity(problems.length, "problem"),
    troubled: `${quantity(troubled.length, "change")} not applied`,
    warnings: quantity(warnings.length, "warning"),
    unverified: `${quantity(unverified.length, "resource")} with parameters that could not be compared`,
  };
  const bad = { tone: "bad", isOpen: true } as const;
  const doubt = { tone: "doubt", isOpen: warnings.length < 4 } as const;
  const plain = { tone: "plain", isOpen: false } as const;
  return [
    notice({ id: "problems", title: title.problems, ...bad }, problems, problemLine),
    notice({ id: "troubled", title: title.troubled, ...bad }, troubled, troubleLine),
    notice({ id: "first", title: "Look at these first", ...bad }, firstLooks(plan.resource_changes), (line) => line),
    ...objectionGroups(plan.objections).map(([heading, objections]) => {
      const { waived } = objections[0] ?? {};
      const look = waived ? ({ id: "waived", ...doubt } as const) : ({ id: "objections", ...bad } as const);
      return notice({ ...look, title: heading }, objections, objectionLine);
    }),
    notice({ id: "waves", title: quantity(waves.length, "wave"), ...plain, isOpen: true }, waves, (line) => [
      visible(line),
    ]),
    notice({ id: "warnings", title: title.warnings, ...doubt }, warnings, problemLine),
    notice({ id: "unverified", title: title.unverified, ...plain }, unverified, unverifiedLine),
  ].flat();
}

/** What makes a policy laxer, who loses events and what goes, equal ones once, each line with a link to the changes. */
function firstLooks(changes: readonly PlannedChange[]): readonly Line[] {
  const loosened = changes.filter(({ policy_effect }) => policy_effect === "loosened");
  const losing = changes.filter(({ lost_notifications }) => lost_notifications);
  const loosen = `${quantity(loosened.length, "license change")} ${loosened.length === 1 ? "loosens" : "loosen"} the policy`;
  const going = (action: Action) => changes.filter(({ change }) => change.actions[0] === action);
  const cost = `${quantity(losing.length, "change")} ${losing.length === 1 ? "stops" : "stop"} notifications`;
  return [
    ...lookLine(loosen, { policy_effect: new Set(["loosened"]) }, loosened.map(loosening)),
    ...lookLine(
      cost,
      { events: new Set(["lost"]) },
      losing.flatMap(({ lost_notifications = [] }) => lost_notifications),
    ),
    ...removals.flatMap((action) => {
      const names = going(action).map(({ kind, key }) => `${kind}/${key}`);
      return lookLine(`${thousands(names.length)} to ${action}`, { action: new Set([action]) }, names);
    }),
  ];
}

const removals: readonly Action[] = ["disable", "delete"];

/** What a policy says of a thing from then on. */
function loosening({ kind, key, change: { before, after } }: PlannedChange): string {
  const said = Object.values(after ?? before ?? {})
    .map(written)
    .join(", ");
  return `${kind}/${key} ${after === null ? "is no longer" : "becomes"} ${said}`;
}

function lookLine(title: string, filter: Partial<Filter>, words: readonly string[]): readonly Line[] {
  if (words.length === 0) return [];
  const link = Object.assign(element("a", "", title), { href: `#${hashOf(filter)}` });
  const counts = [...Map.groupBy(words, (word) => word)].map(([word, { length }]) => {
    return length > 1 ? `${visible(word)} (${quantity(length, "project")})` : visible(word);
  });
  return [[link, `: ${firstFew(counts, 5)}`]];
}

function notice<Told>(look: Look, listed: readonly Told[], lineOf: (one: Told) => Line): readonly HTMLElement[] {
  if (listed.length === 0) return [];
  const { id, tone, title, isOpen } = look;
  const heading = Object.assign(element("h2", "", title), { id });
  const details = element("details", `notice ${tone}`, element("summary", "", heading), growingList(listed, lineOf));
  const section = element("section", "", Object.assign(details, { open: isOpen }));
  section.setAttribute("aria-labelledby", id);
  return [section];
}

/** A list that grows by a button, so that long ones cost nothing until they are read. */
function growingList<Told>(listed: readonly Told[], lineOf: (one: Told) => Line): HTMLElement {
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

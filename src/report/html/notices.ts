import { counted, thousands } from "../../base/text-format.ts";
import { type ReportedProblem, withoutRepeats } from "../../model/problem-line.ts";
import { objectionGroups } from "../../plan/blocking-text.ts";
import { waveLines } from "../../plan/heading.ts";
import { attention, type Highlight } from "../../plan/highlights.ts";
import { actionOf, type Plan, type PlannedChange } from "../../plan/plan.ts";
import { linkTo } from "./change-rows.ts";
import { type Filter, filterLink } from "./filter-link.ts";
import { each, longList, type Markup, markup } from "./markup.ts";
import { badge, sourceText } from "./values.ts";

interface NoticeSection {
  readonly id: string;
  readonly tone: "bad" | "doubt" | "plain";
  readonly title: string;
  readonly lines: readonly Markup[];
  readonly isOpen?: boolean;
  /** More lines than this are folded. */
  readonly most?: number;
}

/** Lines to read before the changes, under a heading; nothing if there are none. */
export function noticeNode({
  id,
  tone,
  title,
  lines,
  isOpen = tone === "bad",
  most = mostLines,
}: NoticeSection): Markup {
  if (lines.length === 0) return markup``;
  const items = each(lines, (line) => markup`<li>${line}</li>\n`);
  const list = longList(items, most, "lines", `${thousands(lines.length - most)} more`);
  return markup`<section aria-labelledby="${id}"><details class="notice ${tone}"${isOpen ? markup` open` : ""}><summary><h2 id="${id}">${title}</h2></summary><div>${list}</div></details></section>
`;
}

const mostLines = 20;

/** A guard may object to each project; the first objection is to the fleet. */
const mostObjections = 5;

/** What a reviewer should know before the changes: failures, objections, and what could not be compared. */
export function planNotices(plan: Plan, highlights: readonly Highlight[]): readonly Markup[] {
  const { problems, warnings, unverified, inherited = [], resource_changes: changes } = plan;
  const failed = changes.filter(({ outcome }) => outcome && outcome.status !== "applied");
  const waves = waveLines(plan);
  const objections = objectionGroups(plan.objections).map(objectionNotice);
  const notices: readonly NoticeSection[] = [
    ...objections.filter(({ tone }) => tone === "bad"),
    {
      id: "problems",
      tone: "bad",
      title: counted(problems.length, "problem"),
      lines: withoutRepeats(problems).map(problemLine),
    },
    {
      id: "failed",
      tone: "bad",
      title: `${counted(failed.length, "change")} not applied`,
      lines: failed.map(failedLine),
    },
    { id: "first", tone: "bad", title: attention, lines: highlights.map(highlightLine) },
    ...objections.filter(({ tone }) => tone !== "bad"),
    { id: "waves", tone: "plain", title: counted(waves.length, "wave"), lines: waves.map(plainLine), isOpen: true },
    {
      ...{ id: "warnings", tone: "doubt", title: counted(warnings.length, "warning") },
      ...{ lines: withoutRepeats(warnings).map(problemLine), isOpen: warnings.length < 4 },
    },
    {
      ...{ id: "unverified", tone: "plain", lines: unverified.map(unverifiedLine) },
      title: `${counted(unverified.length, "resource")} with parameters that could not be compared`,
    },
    {
      ...{ id: "inherited", tone: "plain", lines: inherited.map((address) => markup`<code>${address}</code>`) },
      title: `${counted(inherited.length, "resource")} inherited from a group, as declared`,
    },
  ];
  return notices.map(noticeNode);
}

function objectionNotice([title, objections]: ReturnType<typeof objectionGroups>[number]): NoticeSection {
  const isWaived = objections[0]?.waived ?? false;
  const [id, tone] = isWaived ? (["waived", "doubt"] as const) : (["objections", "bad"] as const);
  return { id, tone, title, lines: objections.map(objectionLine), isOpen: true, most: mostObjections };
}

/** A line without links. */
export function plainLine(text: string): Markup {
  return markup`${text}`;
}

function highlightLine({ topic, title, details, changes }: Highlight): Markup {
  const filter = filters[topic];
  const isExact = filter.action === undefined || changes.every((change) => filter.action?.has(actionOf(change)));
  const head = isExact ? markup`<a href="#${filterLink(filter)}">${title}</a>` : markup`${title}`;
  return markup`${head}: ${details.join("; ")}`;
}

const filters: Readonly<Record<Highlight["topic"], Partial<Filter>>> = {
  looser: { policy_effect: new Set(["tightened"]) },
  loosened: { policy_effect: new Set(["loosened"]) },
  "lost-notifications": { events: new Set(["lost"]) },
  "moved-notifications": { events: new Set(["moved"]) },
  disabled: { action: new Set(["disable"]) },
  deleted: { action: new Set(["delete"]) },
  replaced: { action: new Set(["replace"]) },
};

function problemLine({ file, line, column, path, project, message, rule }: ReportedProblem): Markup {
  const where = file === undefined ? project : sourceText({ file, line, column } as { file: string });
  const codes = [where, path].flatMap((text) => text || []);
  return markup`${each(codes, (text) => markup`<code>${text}</code> `)}${message} ${ruleNode(rule)}`;
}

function ruleNode(rule: string): Markup {
  return markup`<span class="rule">(${rule})</span>`;
}

function failedLine({ address, outcome }: PlannedChange): Markup {
  return markup`${badge(outcome?.status ?? "")} ${linkTo(address)} ${outcome?.error ?? ""}`;
}

function objectionLine({ guard, message, addresses }: Plan["objections"][number]): Markup {
  const head = markup`${message} ${ruleNode(guard)}`;
  const [only, ...others] = addresses;
  if (only === undefined) return head;
  if (others.length === 0) return markup`${head} ${linkTo(only, "Show it")}`;
  const title = counted(addresses.length, "address", "addresses");
  const items = each(addresses, (address) => markup`<li>${linkTo(address)}</li>`);
  return markup`${head}<details><summary>${title}</summary>${longList(items, mostLines, "lines", `${thousands(addresses.length - mostLines)} more`)}</details>`;
}

function unverifiedLine({ address, fields }: Plan["unverified"][number]): Markup {
  return markup`<code>${address}</code> ${fields.join(", ")}`;
}

import { projectHref } from "../base/console-paths.ts";
import { printable } from "../base/printable.ts";
import { counted } from "../base/text-format.ts";
import type { NotifyEvent } from "../manifest/workspace.ts";
import { addressParts } from "../model/address.ts";
import type { ReportedProblem } from "../model/problem-line.ts";
import type { Value } from "../model/types.ts";
import { inlineText, isReference } from "../model/values.ts";
import { fieldNamesOf, type PlannedGroup, plannedGroups, type Sides, subjectOf } from "../plan/groups.ts";
import { namesCounted } from "../plan/heading.ts";
import { directions } from "../plan/highlights.ts";
import { actionOf, type Plan, type PlannedChange } from "../plan/plan.ts";

export interface Notification {
  readonly event: NotifyEvent;
  readonly headline: string;
  readonly lines?: readonly string[];
  readonly addresses?: readonly string[];
  readonly changes?: readonly PlannedChange[];
  /** The run that it is about; null if the state could not save it. */
  readonly run: string | null;
}

export type Counts = Readonly<Record<"projects" | "drift" | "pending" | "problems", number>>;

/** The body of a notification (docs/watching.md). */
export interface MessageBody {
  readonly text: string;
  readonly workspace: string;
  readonly run: string | null;
  readonly event: NotifyEvent;
  readonly counts: Counts & { readonly addresses: number };
  readonly addresses: readonly string[];
  /** The page of the console, if EVENKEEL_CONSOLE_URL is set. */
  readonly url?: string;
}

const mostAddresses = 20;
const mostLines = 5;

/** The body of a notification; `console` is the URL of the console, without a slash at its end. */
export function messageBody(
  workspace: string,
  notification: Notification,
  counts: Counts,
  console?: string,
): MessageBody {
  const { event, headline, lines: own = [], addresses = [], run, changes = [] } = notification;
  const lines = [...own, ...(changes.length > 0 ? plannedGroups(changes).map(groupText) : addresses)];
  const items = lines.slice(0, mostLines).map((line) => `- ${inChat(line)}`);
  const more = lines.length > mostLines ? [`and ${lines.length - mostLines} more`] : [];
  const url = console === undefined ? undefined : console + consolePage(notification);
  const seen = [...(run === null ? [] : [`Run ${run}`]), ...(url === undefined ? [] : [url])];
  return {
    text: [`${inChat(workspace)}: ${inChat(headline)}`, ...items, ...more, ...seen].join("\n"),
    workspace,
    run,
    event,
    counts: { ...counts, addresses: addresses.length },
    addresses: addresses.slice(0, mostAddresses),
    ...(url !== undefined && { url }),
  };
}

function consolePage({ addresses = [], run }: Notification): string {
  const [project, ...others] = new Set(addresses.map((address) => addressParts(address)[0]));
  if (project !== undefined && others.length === 0) return projectHref(project);
  return run === null ? "/" : `/runs/${run}`;
}

/** Escapes foreign text for chat: no mentions, no links, no invisible characters. */
function inChat(text: string): string {
  const marks: Readonly<Record<string, string>> = { "<": "‹", ">": "›", "@": "＠", "&": "＆", "`": "'" };
  return printable(text)
    .replace(/[<>@&`]/g, (mark) => marks[mark] ?? mark)
    .replaceAll("](", "] (")
    .replaceAll("://", ": //");
}

export function problemWords({ file, line, project, message }: ReportedProblem): string {
  const where = file === undefined ? project : `${file}:${line}`;
  return where === undefined ? message : `${where}: ${message}`;
}

export function changesAt({ resource_changes: changes }: Plan, addresses: readonly string[]): readonly PlannedChange[] {
  const wanted = new Set(addresses);
  return changes.filter(({ address }) => wanted.has(address));
}

function groupText({ members, projects, shared }: PlannedGroup): string {
  const [first] = members;
  const what = members.length === 1 ? first.address : `${subjectOf(first)} in ${namesCounted(projects)}`;
  const direction = first.policy_effect ? ` (${directions[first.policy_effect]})` : "";
  return `${what}: ${describeState(first, shared)}${direction}`;
}

const states: Readonly<Partial<Record<ReturnType<typeof actionOf>, string>>> = {
  create: "is missing",
  delete: "exists, and is not declared",
  disable: "is on, declared off",
};

function describeState(change: PlannedChange, sides: Sides): string {
  const state = states[actionOf(change)];
  if (state !== undefined) return state;
  const [name, ...others] = fieldNamesOf(sides);
  if (name === undefined) return change.action_reason;
  const more = others.length > 0 ? `, and ${counted(others.length, "more field")}` : "";
  return `${name} is ${formatValue(sides.before?.[name])}, declared ${formatValue(sides.after?.[name])}${more}`;
}

const longestInLine = 80;

function formatValue(value: Value | undefined): string {
  if (value === undefined) return "not set";
  const text = isReference(value) ? `secret ${value.secret}` : inlineText(value);
  return text.length > longestInLine ? `${text.slice(0, longestInLine).toWellFormed()}…` : text;
}

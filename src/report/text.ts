import { grouped } from "../base/grouped.ts";
import { printable } from "../base/printable.ts";
import { shellWord } from "../base/shell-word.ts";
import { counted } from "../base/text.ts";
import { isReference } from "../model/normalise.ts";
import type { Action, Fields, Value } from "../model/types.ts";
import { type Plan, type PlannedChange, removalsOf, type Summary } from "../plan/plan.ts";
import { movingNotes } from "./moves.ts";
import type { Palette } from "./palette.ts";

const symbols: Readonly<Record<Action, string>> = { create: "+", update: "~", disable: "x", delete: "-" };

const paints: Readonly<Record<Action, keyof Palette>> = {
  create: "add",
  update: "change",
  disable: "remove",
  delete: "remove",
};

/** A plan for people: projects grouped, what is in sync hidden, addresses and counts at the end. */
export function planText(plan: Plan, palette: Palette): string {
  const changes = plan.resource_changes;
  const groups = [...grouped(changes, ({ project }) => project)].map(([project, group]) =>
    projectText(project, group, palette),
  );
  return paragraphs([
    ...groups,
    changes.length > 0 ? addressesText(changes, palette) : "",
    movingNotes(plan, palette),
    objectionsText(plan, palette),
    headline(plan, palette),
    countsText(plan),
  ]);
}

function projectText(project: string, changes: readonly PlannedChange[], palette: Palette): string {
  return [palette.strong(printable(project)), ...changes.map((change) => changeText(change, palette))].join("\n");
}

function changeText(planned: PlannedChange, palette: Palette): string {
  const { kind, key, source, action_reason: reason } = planned;
  const cause = palette.faint(printable(`${reason}, ${source.file}:${source.line}`));
  const notes = planned.notes?.map((note) => `      ${palette.warn("note:")} ${printable(note)}`) ?? [];
  const head = `  ${mark(planned, palette)} ${printable(`${kind}/${key}`)}  ${cause}`;
  return [head, ...fieldsText(planned, palette), ...notes].join("\n");
}

function mark({ change }: PlannedChange, palette: Palette): string {
  const [action] = change.actions;
  return palette[paints[action]](symbols[action]);
}

function fieldsText({ change }: PlannedChange, palette: Palette): string[] {
  const { before, after } = change;
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names.map((name) => `      ${printable(name)}: ${transition(name, before, after, palette)}`);
}

function transition(name: string, before: Fields | null, after: Fields | null, palette: Palette): string {
  if (before === null) return shown(after?.[name]);
  if (after === null) return shown(before[name]);
  const was = before[name] === undefined ? "(not reported)" : shown(before[name]);
  return `${was} ${palette.faint("->")} ${shown(after[name])}`;
}

/** A value as people read it: a reference by its name, anything else as in JSON. */
export function shown(value: Value | undefined): string {
  if (value === undefined) return "(unset)";
  return printable(isReference(value) ? `(secret ${value.secret})` : JSON.stringify(value));
}

function addressesText(changes: readonly PlannedChange[], palette: Palette): string {
  const lines = changes.map((change) => `  ${mark(change, palette)} ${printable(change.address)}`);
  return [palette.strong("Changes by address"), ...lines].join("\n");
}

function objectionsText({ objections }: Plan, palette: Palette): string {
  if (objections.length === 0) return "";
  const lines = objections.map(({ message }) => `  ${palette.warn("!")} ${printable(message)}`);
  return [palette.strong("A guard would refuse this plan"), ...lines].join("\n");
}

/** More of them make no line that anyone reads. */
const mostWaivers = 8;

/** The narrowest options that let a plan pass its guards, those of many addresses in words; empty where none does. */
export function waiversText({ objections, resource_changes }: Pick<Plan, "objections" | "resource_changes">): string {
  const isTooMuch = objections.some(({ guard }) => guard === "delete-percent");
  const deletes = isTooMuch ? [`--allow-deletes ${removalsOf({ resource_changes }).length}`] : [];
  const guarded = objections.filter(({ guard }) => guard === "protected").flatMap(({ addresses }) => addresses);
  return [...deletes, ...protectedWaivers([...new Set(guarded)])].join(" ");
}

function protectedWaivers(addresses: readonly string[]): readonly string[] {
  if (addresses.length <= mostWaivers) return addresses.map((address) => `--allow-protected ${shellWord(address)}`);
  return [`--allow-protected ADDRESS for each of the ${addresses.length} protected addresses`];
}

function headline({ summary, problems }: Plan, palette: Palette): string {
  const unread = problems.length > 0 ? " among what could be read" : "";
  if (summary.writes === 0)
    return palette.strong(`No changes${unread}: ${counted(summary.projects, "project")} in sync.`);
  const actions = (["create", "update", "disable", "delete"] as const).map(
    (action) => `${summary[action]} to ${action}`,
  );
  return palette.strong(
    `Plan: ${actions.join(", ")}; ${summary.changed_projects} of ${counted(summary.projects, "project")} changed.`,
  );
}

function countsText({ summary, unverified: entries }: Plan): string {
  const { unmanaged, unverified, reads, writes } = summary;
  const named = unverified > 0 ? `: ${unverifiedText(entries)}` : "";
  return [
    `${unmanaged} unmanaged (live, listed by no policy).`,
    `${unverified} unverified (declared, not reported by the server)${named}.`,
    `Requests: ${reads} made to read, ${writes} to write.`,
  ].join("\n");
}

const mostNamed = 8;

/** Unverified parameters, each once, with how many projects it is in: a fleet repeats itself. */
function unverifiedText(entries: Plan["unverified"]): string {
  const counts = new Map<string, number>();
  for (const { address, fields } of entries) {
    const resource = address.slice(address.indexOf(":") + 1).replace(/^integration\//, "");
    for (const field of fields) counts.set(`${resource} ${field}`, (counts.get(`${resource} ${field}`) ?? 0) + 1);
  }
  const names = [...counts].map(([name, count]) => printable(count > 1 ? `${name} (${count})` : name)).sort();
  const more = names.length - mostNamed;
  return [...names.slice(0, mostNamed), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** What an apply did, for people: what went wrong in full, then the counts. */
export function outcomesText(plan: Plan, palette: Palette): string {
  const troubled = plan.resource_changes.filter(({ outcome }) => outcome && outcome.status !== "applied");
  return paragraphs([
    troubled.map((change) => outcomeText(change, palette)).join("\n"),
    outcomeCounts(plan.summary, palette),
  ]);
}

function outcomeText({ address, outcome }: PlannedChange, palette: Palette): string {
  return `  ${palette.remove(outcome?.status ?? "")} ${printable(`${address}: ${outcome?.error ?? ""}`)}`;
}

function outcomeCounts({ outcomes }: Summary, palette: Palette): string {
  const parts = Object.entries(outcomes ?? {}).filter(([status, n]) => n > 0 || status === "applied");
  return palette.strong(`Apply: ${parts.map(([status, n]) => `${n} ${status}`).join(", ")}.`);
}

function paragraphs(parts: readonly string[]): string {
  return parts.filter(Boolean).join("\n\n");
}

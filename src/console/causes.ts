import { grouped } from "../base/grouped.ts";
import { memoized } from "../base/memoize.ts";
import { shellWord } from "../base/text-format.ts";
import type { NextStep } from "../report/terminal.ts";
import type { DifferenceShape, ProjectSummary } from "../state/snapshots/summaries.ts";

export interface FleetCause {
  readonly id: string;
  readonly cause: DifferenceShape["cause"];
  /** The differences; a sample if there are many. */
  readonly shapes: readonly [DifferenceShape, ...DifferenceShape[]];
  /** True if the same fields have different values in different projects. */
  readonly isVarious: boolean;
  readonly projects: number;
  /** ISO 8601: when the first of the projects was seen to differ. */
  readonly since: string;
  /** The innermost group that contains all of them, or the path of the only one; "" for the whole fleet. */
  readonly within: string;
}

/** Causes of these projects: drift first, then unreadable, then pending; within each, the most projects first. */
export const findCauses = memoized((heads: readonly ProjectSummary[]): readonly FleetCause[] => {
  const seen = heads.flatMap(({ project, shapes }) => shapes.map((each) => ({ ...each, project })));
  const causes = [...grouped(seen, ({ shape }) => shape.group)];
  return [...grouped(causes, ([, [first]]) => first?.shape.topic)].flatMap(joinVariants).sort(mostUrgentFirst);
}, new WeakMap());

export function hasCause({ shapes }: ProjectSummary, id: string): boolean {
  return shapes.some(({ shape }) => shape.group === id || shape.topic === id);
}

/** A difference of one project. */
interface Seen {
  readonly project: string;
  readonly shape: DifferenceShape;
  readonly since: string;
}

const maxVariants: Readonly<Record<FleetCause["cause"], number>> = { drift: 4, pending: 4, unreadable: 12 };

/** The causes of a topic; a single one if there are many. */
function joinVariants([topic, causes]: readonly [
  topic: string,
  causes: readonly (readonly [id: string, seen: readonly Seen[]])[],
]): readonly FleetCause[] {
  const kind = causes[0]?.[1][0]?.shape.cause ?? "drift";
  if (causes.length <= maxVariants[kind]) return causes.flatMap(([id, seen]) => makeCause(id, [seen]));
  return makeCause(
    topic,
    causes.map(([, seen]) => seen),
  );
}

const maxShapes = 50;

function makeCause(id: string, parts: readonly (readonly Seen[])[]): readonly FleetCause[] {
  const [first, ...others] = parts.flatMap(firstShapes).slice(0, maxShapes);
  if (!first) return [];
  const all = parts.flat();
  return [
    {
      id,
      cause: first.cause,
      shapes: [first, ...others],
      isVarious: parts.length > 1 || (first.before === null && first.after === null),
      projects: parts.reduce((sum, part) => sum + new Set(part.map(({ project }) => project)).size, 0),
      since: all.reduce((least, { since }) => (since < least ? since : least), all[0]?.since ?? ""),
      within: all.map(({ project }) => project).reduce(commonGroup),
    },
  ];
}

function firstShapes(seen: readonly Seen[]): readonly DifferenceShape[] {
  return [...new Map(seen.map(({ shape }) => [shape.id, shape])).values()].slice(0, maxShapes);
}

function commonGroup(one: string, other: string): string {
  if (one === "" || other.startsWith(`${one}/`)) return one;
  const [parts, others] = [one.split("/"), other.split("/")];
  const differs = parts.findIndex((part, index) => part !== others[index]);
  return parts.slice(0, differs < 0 ? parts.length : differs).join("/");
}

const urgency: Readonly<Record<FleetCause["cause"], number>> = { drift: 0, unreadable: 1, pending: 2 };

function mostUrgentFirst(a: FleetCause, b: FleetCause): number {
  return urgency[a.cause] - urgency[b.cause] || b.projects - a.projects || (a.since < b.since ? -1 : 1);
}

export function commandsForDifference(address: string, cause: "drift" | "pending"): readonly NextStep[] {
  return listCommands([escapeGlob(address)], cause);
}

/** Commands for all projects of a cause; empty if they are unreadable. */
export function commandsForCause({ cause, shapes, within, projects }: FleetCause): readonly NextStep[] {
  if (cause === "unreadable") return [];
  const [scope, rests] = [scopeGlob(within, projects), [...new Set(shapes.map(({ rest }) => rest))]];
  const globs = rests.length > maxTargets ? [scope] : rests.map((rest) => `${scope}:${toGlob(rest)}`);
  return listCommands(globs, cause);
}

const maxTargets = 3;

function listCommands(globs: readonly string[], cause: "drift" | "pending"): readonly NextStep[] {
  const apply = `evenkeel apply ${globs.map((glob) => `--target ${shellWord(glob)}`).join(" ")}`;
  const accept = `evenkeel accept ${globs.map(shellWord).join(" ")}`;
  if (cause === "pending") return [[apply, "to apply it"]];
  return [
    [apply, "to restore what is declared"],
    [accept, "to keep what is live"],
  ];
}

function scopeGlob(within: string, projects: number): string {
  if (projects === 1) return escapeGlob(within);
  return within === "" ? "*" : `${escapeGlob(within)}/*`;
}

/** The glob of a difference, with `*` in place of each project's own path. */
function toGlob(rest: string): string {
  return rest.endsWith("/*")
    ? rest
    : rest
        .split(/\$\{(?:project|group)\.path\}/)
        .map((part) => escapeGlob(part.replaceAll("$${", "${")))
        .join("*");
}

/** A glob that matches a text literally: `?` replaces characters with a meaning in globs. */
function escapeGlob(text: string): string {
  return text.replace(/[*?[\]{}\\!]/g, "?");
}

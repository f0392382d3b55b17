import { memoized } from "../base/memoize.ts";
import { shellWord } from "../base/text-format.ts";
import type { ShownCommand } from "../report/html/markup.ts";
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
export const findCauses = memoized(
  (heads: readonly ProjectSummary[]): readonly FleetCause[] => joinVariants(gatherCauses(heads)).sort(mostUrgentFirst),
  new WeakMap(),
);

export function hasCause({ shapes }: ProjectSummary, id: string): boolean {
  return shapes.some(({ shape }) => shape.group === id || shape.topic === id);
}

interface Gathering {
  readonly shapes: Map<string, DifferenceShape>;
  projects: number;
  since: string;
  within: string;
  /** The project counted last, which may have several differences of one cause. */
  last: string;
}

const maxShapes = 50;

function gatherCauses(heads: readonly ProjectSummary[]): ReadonlyMap<string, Gathering> {
  const causes = new Map<string, Gathering>();
  for (const { project, shapes } of heads) {
    for (const { shape, since } of shapes) {
      const known = causes.get(shape.group);
      if (known) count(known, project, since);
      else causes.set(shape.group, { shapes: new Map(), projects: 1, since, within: project, last: project });
      const gathering = causes.get(shape.group);
      if (gathering && gathering.shapes.size < maxShapes) gathering.shapes.set(shape.id, shape);
    }
  }
  return causes;
}

function count(known: Gathering, project: string, since: string): void {
  if (since < known.since) known.since = since;
  if (known.last === project) return;
  known.projects++;
  known.last = project;
  known.within = commonGroup(known.within, project);
}

function commonGroup(one: string, other: string): string {
  if (one === "" || other.startsWith(`${one}/`)) return one;
  const [parts, others] = [one.split("/"), other.split("/")];
  const differs = parts.findIndex((part, index) => part !== others[index]);
  return parts.slice(0, differs < 0 ? parts.length : differs).join("/");
}

const maxVariants: Readonly<Record<FleetCause["cause"], number>> = { drift: 4, pending: 4, unreadable: 12 };

function joinVariants(causes: ReadonlyMap<string, Gathering>): FleetCause[] {
  const topics = new Map<string, [string, Gathering][]>();
  for (const [id, gathering] of causes) {
    const [shape] = gathering.shapes.values();
    const topic = shape?.topic ?? id;
    const members = topics.get(topic);
    if (members) members.push([id, gathering]);
    else topics.set(topic, [[id, gathering]]);
  }
  return [...topics].flatMap(([topic, members]) => {
    const [shape] = members.flatMap(([, each]) => [...each.shapes.values()].slice(0, 1));
    if (!shape || members.length <= maxVariants[shape.cause])
      return members.flatMap(([id, each]) => makeCause(id, [each]));
    return makeCause(
      topic,
      members.map(([, each]) => each),
    );
  });
}

function makeCause(id: string, parts: readonly Gathering[]): FleetCause[] {
  const shapes = parts.flatMap((part) => [...part.shapes.values()]).slice(0, maxShapes);
  const [first, ...others] = shapes;
  if (!first) return [];
  return [
    {
      id,
      cause: first.cause,
      shapes: [first, ...others],
      isVarious: parts.length > 1 || (first.before === null && first.after === null),
      projects: parts.reduce((sum, { projects }) => sum + projects, 0),
      since: parts.reduce((least, { since }) => (since < least ? since : least), parts[0]?.since ?? ""),
      within: parts.map(({ within }) => within).reduce(commonGroup),
    },
  ];
}

const urgency: Readonly<Record<FleetCause["cause"], number>> = { drift: 0, unreadable: 1, pending: 2 };

function mostUrgentFirst(a: FleetCause, b: FleetCause): number {
  return urgency[a.cause] - urgency[b.cause] || b.projects - a.projects || (a.since < b.since ? -1 : 1);
}

export function commandsForDifference(address: string, cause: "drift" | "pending"): readonly ShownCommand[] {
  return listCommands([escapeGlob(address)], cause);
}

/** Commands for all projects of a cause; empty if they are unreadable. */
export function commandsForCause({ cause, shapes, within, projects }: FleetCause): readonly ShownCommand[] {
  if (cause === "unreadable") return [];
  const [scope, rests] = [scopeGlob(within, projects), [...new Set(shapes.map(({ rest }) => rest))]];
  const globs = rests.length > maxTargets ? [scope] : rests.map((rest) => `${scope}:${toGlob(rest)}`);
  return listCommands(globs, cause);
}

const maxTargets = 3;

function listCommands(globs: readonly string[], cause: "drift" | "pending"): readonly ShownCommand[] {
  const apply = `evenkeel apply ${globs.map((glob) => `--target ${shellWord(glob)}`).join(" ")}`;
  const accept = `evenkeel accept ${globs.map(shellWord).join(" ")}`;
  if (cause === "pending") return [{ purpose: "To apply it", line: apply }];
  return [
    { purpose: "To restore what is declared", line: apply },
    { purpose: "To keep what is live", line: accept },
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

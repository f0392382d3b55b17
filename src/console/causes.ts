import { memoized } from "../base/memoize.ts";
import { shellWord } from "../base/text-format.ts";
import type { ShownCommand } from "../report/html/markup.ts";
import type { DifferenceShape, ProjectSummary } from "../state/snapshots/summaries.ts";

/** One cause why projects are not in sync. */
export interface FleetCause {
  /** What the filter of the list of projects names it by. */
  readonly id: string;
  readonly cause: DifferenceShape["cause"];
  /** What differs by it; of many differences, some. */
  readonly shapes: readonly [DifferenceShape, ...DifferenceShape[]];
  /** Whether the same fields have different values in different projects. */
  readonly isVarious: boolean;
  readonly projects: number;
  /** ISO 8601: when the first of them was seen to differ. */
  readonly since: string;
  /** The group that all of them are in, or the path of the only one; "" for the whole fleet. */
  readonly within: string;
}

/** The causes of these projects: drift first, then what cannot be read, then what waits for an apply; of each the one of most projects first. */
export const causesOf = memoized(
  (heads: readonly ProjectSummary[]): readonly FleetCause[] => folded(gathered(heads)).sort(mostUrgentFirst),
  new WeakMap(),
);

/** Whether a project differs by a cause. */
export function hasCause({ shapes }: ProjectSummary, id: string): boolean {
  return shapes.some(({ shape }) => shape.group === id || shape.topic === id);
}

interface Gathering {
  readonly shapes: Map<string, DifferenceShape>;
  projects: number;
  since: string;
  within: string;
  /** The project that was counted last: it may have several differences of one cause. */
  last: string;
}

/** Differences that a cause names. */
const maxShapes = 50;

function gathered(heads: readonly ProjectSummary[]): ReadonlyMap<string, Gathering> {
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
  known.within = groupOfBoth(known.within, project);
}

/** The innermost group of two paths. */
function groupOfBoth(one: string, other: string): string {
  if (one === "" || other.startsWith(`${one}/`)) return one;
  const [parts, others] = [one.split("/"), other.split("/")];
  const differs = parts.findIndex((part, index) => part !== others[index]);
  return parts.slice(0, differs < 0 ? parts.length : differs).join("/");
}

/** Causes of one topic that are shown apart: where it has more, its values are as many as projects. Reasons are fewer. */
const maxVariants: Readonly<Record<FleetCause["cause"], number>> = { drift: 4, pending: 4, unreadable: 12 };

/** The causes of a topic with many values are one. */
function folded(causes: ReadonlyMap<string, Gathering>): FleetCause[] {
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
      return members.flatMap(([id, each]) => causeOf(id, [each]));
    return causeOf(
      topic,
      members.map(([, each]) => each),
    );
  });
}

function causeOf(id: string, parts: readonly Gathering[]): FleetCause[] {
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
      within: parts.map(({ within }) => within).reduce(groupOfBoth),
    },
  ];
}

const urgency: Readonly<Record<FleetCause["cause"], number>> = { drift: 0, unreadable: 1, pending: 2 };

function mostUrgentFirst(a: FleetCause, b: FleetCause): number {
  return urgency[a.cause] - urgency[b.cause] || b.projects - a.projects || (a.since < b.since ? -1 : 1);
}

/** Commands for one difference: what the manifests declare is applied, or what is live is written into them. */
export function commandsForDifference(address: string, cause: "drift" | "pending"): readonly ShownCommand[] {
  return commandsFor([literal(address)], cause);
}

/** The same for all projects of a cause; none for projects that cannot be read. */
export function commandsForCause({ cause, shapes, within, projects }: FleetCause): readonly ShownCommand[] {
  if (cause === "unreadable") return [];
  const [scope, rests] = [scopeOf(within, projects), [...new Set(shapes.map(({ rest }) => rest))]];
  const globs = rests.length > maxTargets ? [scope] : rests.map((rest) => `${scope}:${globOf(rest)}`);
  return commandsFor(globs, cause);
}

/** Globs that a command names one by one. */
const maxTargets = 3;

function commandsFor(globs: readonly string[], cause: "drift" | "pending"): readonly ShownCommand[] {
  const apply = `evenkeel apply ${globs.map((glob) => `--target ${shellWord(glob)}`).join(" ")}`;
  const accept = `evenkeel accept ${globs.map(shellWord).join(" ")}`;
  if (cause === "pending") return [{ purpose: "To apply it", line: apply }];
  return [
    { purpose: "To restore what is declared", line: apply },
    { purpose: "To keep what is live", line: accept },
  ];
}

function scopeOf(within: string, projects: number): string {
  if (projects === 1) return literal(within);
  return within === "" ? "*" : `${literal(within)}/*`;
}

/** A difference of several projects, with any path where each has its own. */
function globOf(rest: string): string {
  return rest.endsWith("/*")
    ? rest
    : rest
        .split(/\$\{(?:project|group)\.path\}/)
        .map((part) => literal(part.replaceAll("$${", "${")))
        .join("*");
}

/** A glob that matches a text; `?` stands for a character that means something in globs. */
function literal(text: string): string {
  return text.replace(/[*?[\]{}\\!]/g, "?");
}

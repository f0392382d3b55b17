import { createHash } from "node:crypto";
import { memoized } from "../../base/memoize.ts";
import { commonForm } from "../../base/text-format.ts";
import { resourceName } from "../../model/address.ts";
import type { Action, Fields, Kind, PolicyEffect } from "../../model/types.ts";
import { generalFields, generalText } from "../../plan/groups.ts";
import type { Readable } from "../state.ts";
import { readShard } from "./read-snapshots.ts";
import type { ProjectSnapshot, SeenDifference, SeenEntry } from "./snapshot.ts";

export interface ProjectSummary extends Pick<ProjectSnapshot, "project" | "syncStatus" | "since" | "seen" | "run"> {
  readonly differences: number;
  /** The differences, or the reason why the project could not be read. */
  readonly shapes: readonly SeenShape[];
  readonly labels: Labels;
}

interface Labels {
  readonly keys: Readonly<Partial<Record<Kind, ReadonlySet<string>>>>;
  readonly policies: ReadonlySet<string>;
}

/** Equal texts and labels are shared, because a console keeps those of a whole fleet. @throws UserError. */
export async function readSummaries(state: Readable, name: string): Promise<readonly ProjectSummary[]> {
  const shapesOf = shapesByProject();
  const shared = memoized((text: string) => text);
  const labels = new Map<string, Labels>();
  const labelsOf = (entries: readonly SeenEntry[]) => {
    const id = entries.map(({ kind, key, policy }) => `${kind}\0${key}\0${policy}`).join("\n");
    const own = labels.get(id) ?? collectLabels(entries);
    labels.set(id, own);
    return own;
  };
  return (await readShard(state, name)).map((snapshot) => ({
    project: snapshot.project,
    syncStatus: snapshot.syncStatus,
    since: shared(snapshot.since),
    seen: shared(snapshot.seen),
    run: shared(snapshot.run),
    differences: snapshot.differences.length,
    shapes: shapesOf(snapshot),
    labels: labelsOf(snapshot.entries),
  }));
}

function collectLabels(entries: readonly SeenEntry[]): Labels {
  const keys: Partial<Record<Kind, Set<string>>> = {};
  for (const { kind, key } of entries) keys[kind] = (keys[kind] ?? new Set()).add(key);
  return { keys, policies: new Set(entries.map(({ policy }) => policy)) };
}

/** A difference without its project, whose path is `${project.path}` in it. Equal ones of a shard are one object. */
export interface DifferenceShape {
  /** Equal for equal shapes of different shards. */
  readonly id: string;
  /** Equal for differences with one cause: the same commit, or the same values. */
  readonly group: string;
  /** Equal for all differences in the same fields, whatever their values. */
  readonly topic: string;
  readonly cause: SeenDifference["cause"] | "unreadable";
  readonly rest: string;
  readonly action: Action;
  /** Null if a shard has many values. */
  readonly before: Fields | null;
  readonly after: Fields | null;
  readonly effect?: PolicyEffect;
  readonly commit: string | null;
  readonly policy: string;
  readonly reason: string;
}

interface SeenShape {
  readonly shape: DifferenceShape;
  readonly since: string;
}

type NewShape = Omit<DifferenceShape, "id">;

const none: readonly SeenShape[] = [];

/** Maximum number of variants per topic, and of shapes, per shard: there may be as many values as projects. */
const [maxVariants, maxShapes] = [40, 400];

/** Describes the differences of a shard's projects. Projects with equal differences share the result. */
function shapesByProject(): (snapshot: ProjectSnapshot) => readonly SeenShape[] {
  const shapes = new Map<string, DifferenceShape>();
  const variants = new Map<string, number>();
  const lists = new Map<string, readonly SeenShape[]>();
  const known = (made: NewShape): DifferenceShape => {
    const id = digest([made.group, made.rest, made.before, made.after, made.action]);
    const shape = shapes.get(id);
    if (shape) return shape;
    const count = variants.get(made.topic) ?? 0;
    const hasValues = made.before !== null || made.after !== null;
    if (hasValues && shapes.size >= maxShapes) return known(dropKey(made));
    if (hasValues && count >= maxVariants) return known({ ...made, before: null, after: null, group: made.topic });
    variants.set(made.topic, count + 1);
    const added = { ...made, id };
    shapes.set(id, added);
    return added;
  };
  return ({ project, syncStatus, since, entries, differences, problems }) => {
    if (differences.length === 0 && syncStatus !== "unreadable") return none;
    const seen = differences.map((each) => ({ shape: known(toShape(each, project, entries)), since: each.since }));
    const [problem] = problems;
    if (problem !== undefined) seen.push({ shape: known(unreadableShape(commonForm(problem, project))), since });
    const id = seen.map(({ shape, since: at }) => `${shape.id} ${at}`).join();
    const list = lists.get(id) ?? seen;
    lists.set(id, list);
    return list;
  };
}

function toShape(difference: SeenDifference, project: string, entries: readonly SeenEntry[]): NewShape {
  const { cause, action, effect, reason } = difference;
  const entry = entries.find(({ kind, key }) => resourceName(kind, key) === difference.rest);
  const { commit = null } = entry ?? {};
  const policy = difference.policy ?? entry?.policy ?? "";
  const rest = generalText(difference.rest, project);
  const [before, after] = [generalise(difference.before, project), generalise(difference.after, project)];
  const topic = digest([cause, rest, action, Object.keys(before ?? {}), Object.keys(after ?? {})]);
  const isOfCommit = cause === "pending" && commit !== null;
  const group = isOfCommit ? digest(["commit", commit]) : digest([topic, before, after]);
  const what = { cause, rest, action, before, after, ...(effect && { effect }) };
  return { ...what, group, topic: isOfCommit ? group : topic, commit, policy, reason };
}

function generalise(fields: Fields | null, project: string): Fields | null {
  return fields && generalFields(fields, project);
}

/** Replaces the key, for kinds with as many keys as projects. */
function dropKey(shape: NewShape): NewShape {
  const rest = `${shape.rest.split("/")[0]}/*`;
  const group = digest([shape.cause, rest, shape.action]);
  return { ...shape, rest, group, topic: group, before: null, after: null };
}

function unreadableShape(reason: string): NewShape {
  const group = digest(["unreadable", reason]);
  const nothing = { action: "update", before: null, after: null, commit: null, policy: "" } as const;
  return { ...nothing, group, topic: digest(["unreadable"]), cause: "unreadable", rest: "", reason };
}

/** Short enough for a URL; a collision would show two causes as one. */
function digest(content: unknown): string {
  return createHash("sha256").update(JSON.stringify(content)).digest("base64url").slice(0, 10);
}

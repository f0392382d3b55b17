import equal from "fast-deep-equal";
import type { Editable } from "../format/edit.ts";
import { type Draft, policyText } from "../import/policy.ts";
import { selectorFor } from "../import/project-drafts.ts";
import type { Policy } from "../manifest/policies.ts";
import { compareLayers, isLevel, isMatch, type Layer, matchingLayers } from "../manifest/selection.ts";
import type { Selector } from "../manifest/selector.ts";
import type { Project } from "../model/types.ts";
import { documentsIn, type Manifests } from "./manifests.ts";

/** A file that can be made for a policy of one project, and where the schema of manifests lies, seen from there. */
export interface NewEditTarget {
  readonly file: string;
  readonly schema: string;
}

/** A policy for one project alone that can be edited: an existing one, or a new one. */
export interface EditTarget extends Editable {
  readonly file: string;
  /** In words that complete "in …". */
  readonly words: string;
}

/** Whether a policy selects one project alone. A glob never does, because it also selects future projects. */
export function isOwn({ projects }: Policy, { id, path }: Project): boolean {
  return projects.every((selector) => selector.form !== "glob" && isMatch(selector, id, path?.toLowerCase()));
}

/**
 * Where a project can be given something that overrides a policy: policies of its own, then a new one. None of them
 * expires: what is accepted stays.
 */
export function editTargetsFor(
  manifests: Manifests,
  project: Project,
  beaten: Policy | undefined,
  made: NewEditTarget | undefined,
): readonly EditTarget[] {
  const layers = matchingLayers(manifests.policies, project);
  const rival = layers.find(({ policy }) => policy === beaten);
  const isLasting = ({ policy }: Layer) => policy.until === undefined && isOwn(policy, project);
  const own = layers.filter((layer) => isLasting(layer) && (!rival || wins(layer, rival)));
  const targets = own.map(({ policy: { document } }): EditTarget => {
    const text = manifests.texts.get(document.file) ?? "";
    return { file: document.file, text, document: document.index, words: document.file };
  });
  return [...targets, newEditTarget(manifests, project, rival, made)];
}

function wins(layer: Layer, rival: Layer): boolean {
  return layer === rival || (compareLayers(layer, rival) < 0 && !isLevel(layer, rival));
}

/** A file of its own or, where none can be made, a document behind those of the policy that it wins over. */
function newEditTarget(
  manifests: Manifests,
  project: Project,
  rival: Layer | undefined,
  made: NewEditTarget | undefined,
): EditTarget {
  const isNear = rival?.literal === Number.POSITIVE_INFINITY;
  const text = emptyPolicy(made?.schema, {
    name: freeName(manifests, project.name),
    projects: [selectorFor(project)],
    ...(isNear && { priority: rival.policy.priority + 1 }),
  });
  if (made && !manifests.texts.has(made.file))
    return { file: made.file, text, document: 0, words: `${made.file}, a new file` };
  const file = rival?.policy.document.file ?? manifests.policies[0]?.document.file ?? "";
  return { ...behind(manifests, file, text), file };
}

/**
 * A policy for the projects of another one except this project: it takes what that one must no longer declare for the project
 * any more. It counts as long as the other one, for the same reason. One that is there is used again.
 */
export function editTargetExcept(manifests: Manifests, policy: Policy, project: Project): EditTarget {
  const { file } = policy.document;
  const [projects, except, own] = [policy.projects.map(writtenOf), policy.except.map(writtenOf), selectorFor(project)];
  const wanted = { projects, except: [...except, own] };
  const there = manifests.policies.find((each) => {
    const is = { projects: each.projects.map(writtenOf), except: each.except.map(writtenOf) };
    return each.document.file === file && equal(weightOf(each), weightOf(policy)) && equal(is, wanted);
  });
  const words = (name: string) => `${file}, in policy ${name}`;
  const text = manifests.texts.get(file) ?? "";
  if (there) return { file, text, document: there.document.index, words: words(there.name) };
  const name = freeName(manifests, `${policy.name}-except-${project.name}`);
  const { priority, ...rest } = weightOf(policy);
  const draft = { name, ...wanted, ...(priority !== 0 && { priority }), ...rest };
  return { ...behind(manifests, file, emptyPolicy(undefined, draft)), file, words: words(name) };
}

/** What decides, beside its selectors, how much and how long a policy counts, and why. */
function weightOf({ priority, until, reason }: Policy): Pick<Policy, "priority" | "until" | "reason"> {
  return { priority, ...(until !== undefined && { until }), ...(reason !== undefined && { reason }) };
}

function writtenOf({ form, written }: Selector): string | number {
  return form === "id" ? Number(written) : written;
}

function emptyPolicy(schema: string | undefined, draft: Pick<Draft, "name" | "projects"> & Partial<Draft>): string {
  return policyText({ file: "", except: [], heading: [], entries: [], remarks: [], ...draft }, schema ?? "");
}

/** A document behind those of a file. */
function behind({ texts }: Manifests, file: string, text: string): Omit<EditTarget, "file"> {
  const before = texts.get(file) ?? "";
  const document = documentsIn(file, before);
  return { text: appended(before, text), document, words: `${file}, a new document` };
}

function appended(before: string, text: string): string {
  const end = before.includes("\r\n") ? "\r\n" : "\n";
  const body = text
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join(end);
  return `${before}${before.endsWith("\n") ? "" : end}---${end}${body}`;
}

function freeName({ policies, otherNames }: Manifests, wanted: string): string {
  const taken = new Set([...policies.map(({ name }) => name), ...otherNames]);
  let name = wanted;
  for (let count = 2; taken.has(name); count++) name = `${wanted}-${count}`;
  return name;
}

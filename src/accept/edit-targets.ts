import equal from "fast-deep-equal";
import { freeName } from "../base/free-name.ts";
import type { Editable } from "../format/edit.ts";
import { type Draft, policyText } from "../import/policy.ts";
import { selectorFor } from "../import/project-drafts.ts";
import type { Policy } from "../manifest/policies.ts";
import { compareLayers, isLevel, isMatch, type Layer, matchingLayers } from "../manifest/selection.ts";
import type { Selector } from "../manifest/selector.ts";
import { bareName } from "../model/owner.ts";
import type { Project } from "../model/types.ts";
import { documentsIn, type Manifests } from "./manifests.ts";

/** A new file for a policy of one project, and the relative path of the schema of manifests. */
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
export function isOwn({ projects }: Policy, project: Project): boolean {
  return projects.every((selector) => selector.form !== "glob" && isMatch(selector, project));
}

/**
 * Where to override a policy for a project: its own policies, then a new one. None of them
 * expires.
 */
export function editTargetsFor(
  manifests: Manifests,
  project: Project,
  overridden: Policy | undefined,
  newFile: NewEditTarget | undefined,
): readonly EditTarget[] {
  const layers = matchingLayers(manifests.policies, project);
  const rival = layers.find(({ policy }) => policy === overridden);
  const isLasting = ({ policy }: Layer) => policy.until === undefined && isOwn(policy, project);
  const own = layers.filter((layer) => isLasting(layer) && (!rival || wins(layer, rival)));
  const targets = own.map(({ policy: { document } }): EditTarget => {
    const text = manifests.texts.get(document.file) ?? "";
    return { file: document.file, text, document: document.index, words: document.file };
  });
  return [...targets, newEditTarget(manifests, project, rival, newFile)];
}

function wins(layer: Layer, rival: Layer): boolean {
  return layer === rival || (compareLayers(layer, rival) < 0 && !isLevel(layer, rival));
}

/** A new file or, if none can be created, a new document after those of the overridden policy. */
function newEditTarget(
  manifests: Manifests,
  project: Project,
  rival: Layer | undefined,
  newFile: NewEditTarget | undefined,
): EditTarget {
  const isExact = rival?.literal === Number.POSITIVE_INFINITY;
  const text = emptyPolicy(manifests, newFile?.schema, {
    name: newName(manifests, bareName(project.name)),
    projects: [selectorFor(project)],
    ...(isExact && { priority: rival.policy.priority + 1 }),
  });
  if (newFile && !manifests.texts.has(newFile.file))
    return { file: newFile.file, text, document: 0, words: `${newFile.file}, a new file` };
  const file = rival?.policy.document.file ?? manifests.policies[0]?.document.file ?? "";
  return { ...behind(manifests, file, text), file };
}

/**
 * A policy for the projects of another one except this project, for declarations that must no longer apply to this project.
 * It has the same priority, end and reason. An existing one is reused.
 */
export function editTargetExcept(manifests: Manifests, policy: Policy, project: Project): EditTarget {
  const { file } = policy.document;
  const [projects, except, own] = [policy.projects.map(writtenOf), policy.except.map(writtenOf), selectorFor(project)];
  const wanted = { projects, except: [...except, own] };
  const existing = manifests.policies.find((each) => {
    const is = { projects: each.projects.map(writtenOf), except: each.except.map(writtenOf) };
    return each.document.file === file && equal(weightOf(each), weightOf(policy)) && equal(is, wanted);
  });
  const words = (name: string) => `${file}, in policy ${name}`;
  const text = manifests.texts.get(file) ?? "";
  if (existing) return { file, text, document: existing.document.index, words: words(existing.name) };
  const name = newName(manifests, `${policy.name}-except-${bareName(project.name)}`);
  const { priority, ...rest } = weightOf(policy);
  const draft = { name, ...wanted, ...(priority !== 0 && { priority }), ...rest };
  return { ...behind(manifests, file, emptyPolicy(manifests, undefined, draft)), file, words: words(name) };
}

/** The precedence of a policy apart from its selectors, its end and its reason. */
function weightOf({ priority, until, reason }: Policy): Pick<Policy, "priority" | "until" | "reason"> {
  return { priority, ...(until !== undefined && { until }), ...(reason !== undefined && { reason }) };
}

function writtenOf({ form, written }: Selector): string | number {
  return form === "id" && /^\d+$/.test(written) ? Number(written) : written;
}

function emptyPolicy(
  { catalogue }: Manifests,
  schema: string | undefined,
  draft: Pick<Draft, "name" | "projects"> & Partial<Draft>,
): string {
  return policyText({ file: "", except: [], heading: [], entries: [], remarks: [], ...draft }, schema ?? "", catalogue);
}

/** A new document at the end of a file. */
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

function newName({ policies, otherNames }: Manifests, wanted: string): string {
  const taken = new Set([...policies.map(({ name }) => name), ...otherNames]);
  return freeName(wanted, (name) => taken.has(name));
}

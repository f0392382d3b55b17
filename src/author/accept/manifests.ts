import { join } from "node:path";
import { UserError } from "../../base/exit.ts";
import { freeName } from "../../base/free-name.ts";
import { parseManifest } from "../../manifest/document.ts";
import { isExpired } from "../../manifest/expiry.ts";
import { type Policy, readPolicies } from "../../manifest/policies.ts";
import { compareLayers, isLevel, isMatch, type Layer, matchingLayers } from "../../manifest/selection.ts";
import { hasErrors, validate } from "../../manifest/validate.ts";
import type { Workspace } from "../../manifest/workspace.ts";
import { bareName } from "../../model/owner.ts";
import type { Project } from "../../model/types.ts";
import type { Context } from "../../run/context.ts";
import { loadWorkspace } from "../../workspace/load.ts";
import { textIn } from "../../workspace/text-files.ts";
import type { Editable } from "../format/edit.ts";
import { policyText } from "../import/policy.ts";
import { selectorFor } from "../import/project-drafts.ts";

/** The manifests of a workspace, possibly edited. */
export interface Manifests {
  /** Texts of the files that may be edited, by name, without byte order marks. */
  readonly texts: ReadonlyMap<string, string>;
  /** Those that have not expired. */
  readonly policies: readonly Policy[];
  readonly workspace: Workspace;
  readonly today: string;
  /** Names of expired policies. */
  readonly otherNames: readonly string[];
}

/** The manifests with the texts of all files that may need edits for these projects. @throws UserError if one cannot be read. */
export function editableManifests(context: Context, projects: readonly Project[]): Manifests {
  const { loaded, policies, expired, today } = context;
  const layers = projects.flatMap((project) => matchingLayers(policies, project));
  const files = new Set(layers.map(({ policy }) => policy.document.file));
  return {
    texts: new Map([...files].map((name) => [name, textNow(loaded.root, name).replace(/^\uFEFF/, "")])),
    policies,
    workspace: loaded.workspace,
    today,
    otherNames: expired.map(({ name }) => name),
  };
}

function textNow(root: string, name: string): string {
  const text = textIn({ path: join(root, name), name });
  if (typeof text === "string") return text;
  throw new UserError(text?.unreadable ?? `${name}: expected text in UTF-8, of 4 MiB at most`);
}

/** Replaces or adds a file; undefined if its text has errors. */
export function withText(manifests: Manifests, file: string, text: string): Manifests | undefined {
  const { documents, problems } = parseManifest(file, text);
  const read = readPolicies({ documents, workspace: manifests.workspace });
  if (hasErrors([...problems, ...read.problems])) return undefined;
  const others = manifests.policies.filter(({ document }) => document.file !== file);
  const policies = read.policies.filter((policy) => !isExpired(policy, manifests.today));
  return { ...manifests, texts: new Map([...manifests.texts, [file, text]]), policies: [...others, ...policies] };
}

/** Writes changed texts. @throws UserError if manifests changed meanwhile, or would be invalid. */
export function writeTexts(
  { loaded, policies }: Context,
  write: (root: string, texts: ReadonlyMap<string, string>) => void,
  after: Manifests,
): void {
  const { root, digest } = loaded;
  const now = loadWorkspace(root);
  if (now.digest !== digest) throw new UserError("the manifests changed meanwhile; nothing was written: run it again");
  const written = new Set(policies.map(({ document }) => document.file));
  const changed = [...after.texts].flatMap(([name, text]): [string, string][] => {
    const before = written.has(name) ? textNow(root, name) : "";
    const mark = before.startsWith("\uFEFF") ? "\uFEFF" : "";
    return before === mark + text ? [] : [[name, mark + text]];
  });
  const texts = new Map(changed);
  const edited = changed.flatMap(([name]) => parseManifest(name, after.texts.get(name) ?? "").documents);
  const documents = [...loaded.documents.filter(({ file }) => !texts.has(file)), ...edited];
  if (hasErrors(validate({ ...loaded, documents }).problems) && !hasErrors(validate(loaded).problems)) {
    throw new UserError("the manifests would not be valid afterwards; nothing was written");
  }
  if (changed.length > 0) write(root, texts);
}

/** The policy of a document; undefined if it has none, or an expired one. */
export function policyOf({ policies }: Manifests, { document }: Pick<Policy, "document">): Policy | undefined {
  return policies.find((policy) => policy.document === document);
}

/** Whether a policy selects one project alone. A glob never does, because it also selects future projects. */
export function isOwn({ projects }: Policy, project: Project): boolean {
  return projects.every((selector) => selector.form !== "glob" && isMatch(selector, project));
}

/** A new file for a policy of one project, and the relative path of the schema of manifests. */
export interface NewPolicyFile {
  readonly file: string;
  readonly schema: string;
}

/** A policy for one project alone to which an entry can be added: an existing one, or a new one. */
export interface EditTarget extends Editable {
  readonly file: string;
  /** In words that complete "in …". */
  readonly words: string;
}

/** Where to override a policy for a project: in the project's own policy that does not expire, then in a new one. */
export function editTargets(
  manifests: Manifests,
  project: Project,
  overridden: Policy | undefined,
  newFile: NewPolicyFile | undefined,
): readonly EditTarget[] {
  const layers = matchingLayers(manifests.policies, project);
  const rival = layers.find(({ policy }) => policy === overridden);
  const own = layers.find((layer) => {
    return layer.policy.until === undefined && isOwn(layer.policy, project) && (!rival || overrides(layer, rival));
  });
  const added = newEditTarget(manifests, project, rival, newFile);
  if (!own) return [added];
  const { file, index } = own.policy.document;
  return [{ file, text: manifests.texts.get(file) ?? "", document: index, words: file }, added];
}

function overrides(layer: Layer, rival: Layer): boolean {
  return layer === rival || (compareLayers(layer, rival) < 0 && !isLevel(layer, rival));
}

/** A new file or, if none can be created, a new document at the end of the file of the overridden policy. */
function newEditTarget(
  manifests: Manifests,
  project: Project,
  rival: Layer | undefined,
  newFile: NewPolicyFile | undefined,
): EditTarget {
  const { texts, policies, otherNames } = manifests;
  const taken = new Set([...policies.map(({ name }) => name), ...otherNames]);
  const isExact = rival?.literal === Number.POSITIVE_INFINITY;
  const draft = {
    ...{ file: "", except: [], heading: [], entries: [], remarks: [] },
    name: freeName(bareName(project.name), (name) => taken.has(name)),
    projects: [selectorFor(project)],
    ...(isExact && { priority: rival.policy.priority + 1 }),
  };
  const text = policyText(draft, newFile?.schema ?? "", manifests.workspace.catalogue);
  if (newFile && !texts.has(newFile.file))
    return { file: newFile.file, text, document: 0, words: `${newFile.file}, a new file` };
  const file = rival?.policy.document.file ?? policies[0]?.document.file ?? "";
  const before = texts.get(file) ?? "";
  const document = parseManifest(file, before).documents.length;
  return { file, text: appended(before, text), document, words: `${file}, a new document` };
}

function appended(before: string, text: string): string {
  const end = before.includes("\r\n") ? "\r\n" : "\n";
  const body = text
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join(end);
  return `${before}${before.endsWith("\n") ? "" : end}---${end}${body}`;
}

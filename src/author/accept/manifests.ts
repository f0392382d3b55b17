import { join } from "node:path";
import { UserError } from "../../base/exit.ts";
import { freeName } from "../../base/text-format.ts";
import { parseManifest } from "../../manifest/document.ts";
import { isExpired } from "../../manifest/expiry.ts";
import { type Policy, readPolicies } from "../../manifest/policies.ts";
import { isMatch, type Layer, matchingLayers, overrules } from "../../manifest/selection.ts";
import { hasErrors, validate } from "../../manifest/validate.ts";
import type { Workspace } from "../../manifest/workspace.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { comparableScalar, typesOf } from "../../model/field-meaning.ts";
import { catalogueEntry, fieldOf } from "../../model/kinds.ts";
import { bareName } from "../../model/owner.ts";
import { parameterFaults } from "../../model/parameter-check.ts";
import type { Plain, Project, Resource, Value } from "../../model/types.ts";
import { isAlike, isList, isReference, isScalar, referencesWithin } from "../../model/values.ts";
import type { Context } from "../../run/context.ts";
import { loadWorkspace } from "../../workspace/load.ts";
import { textIn } from "../../workspace/walk.ts";
import type { Editable } from "../format/edit.ts";
import { lineEnd } from "../format/format.ts";
import { draftOf } from "../import/names.ts";
import { mapTexts, withoutPasswords } from "../import/plain-values.ts";
import { literal, policyFileText } from "../import/policy.ts";

/** The manifests of a workspace, possibly edited. */
export interface Manifests {
  /** Texts of the files that may be edited, by name, without byte order marks. */
  readonly texts: ReadonlyMap<string, string>;
  readonly policies: readonly Policy[];
  readonly workspace: Workspace;
  readonly today: string;
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

/** The text of a manifest as it is on the disk. @throws UserError if it cannot be read. */
export function textNow(root: string, name: string): string {
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
  { loaded, policies }: Pick<Context, "loaded" | "policies">,
  write: (root: string, texts: ReadonlyMap<string, string>) => void,
  after: Pick<Manifests, "texts">,
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

/** The policy of a document; undefined without one, and if it has expired. */
export function policyOf({ policies }: Manifests, { document }: Pick<Policy, "document">): Policy | undefined {
  return policies.find((policy) => policy.document === document);
}

/** True if a policy selects one project alone. A glob never does, because it also selects future projects. */
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
  /** Completes "in …". */
  readonly words: string;
}

/** Possible places to override a policy for a project: its own policies that do not expire, then a new one. */
export function editTargets(
  manifests: Manifests,
  project: Project,
  overridden: Policy | undefined,
  newFile: NewPolicyFile | undefined,
): readonly EditTarget[] {
  const layers = matchingLayers(manifests.policies, project);
  const rival = layers.find(({ policy }) => policy === overridden);
  const own = layers.find(
    (layer) =>
      layer.policy.until === undefined &&
      isOwn(layer.policy, project) &&
      (!rival || layer === rival || overrules(layer, rival)),
  );
  const added = newEditTarget(manifests, project, rival, newFile);
  if (!own) return [added];
  const { file, index } = own.policy.document;
  return [{ file, text: manifests.texts.get(file) ?? "", document: index, words: file }, added];
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
    ...draftOf({ project, entries: [], remarks: [] }),
    name: freeName(bareName(project.name), (name) => taken.has(name)),
    ...(isExact && { priority: rival.policy.priority + 1 }),
  };
  const text = policyFileText([draft], newFile?.schema ?? "", manifests.workspace.catalogue);
  if (newFile && !texts.has(newFile.file))
    return { file: newFile.file, text, document: 0, words: `${newFile.file}, a new file` };
  const file = rival?.policy.document.file ?? policies[0]?.document.file ?? "";
  const before = texts.get(file) ?? "";
  const document = parseManifest(file, before).documents.length;
  const end = lineEnd(before);
  const body = text.split("\n").filter((line) => !line.startsWith("#"));
  const whole = `${before}${before.endsWith("\n") ? "" : end}---${end}${body.join(end)}`;
  return { file, text: whole, document, words: `${file}, a new document` };
}

/** A value as a manifest declares it, its texts escaped; undefined if it is omitted. */
export type ManifestValue = Plain | undefined;

/**
 * A live value as a manifest declares it, in the type of its parameter; omitted if it is unset and cannot be declared.
 * Returns the reason if no manifest can declare it.
 */
export function manifestValue(
  catalogue: Catalogue,
  resource: Pick<Resource, "kind" | "key">,
  name: string,
  live: Value,
  declared: Value = null,
): { readonly value: ManifestValue } | { readonly why: string } {
  if (isReference(live)) return { why: `${name} is a secret` };
  if (!isAlike(mapTexts(live, withoutPasswords), live))
    return { why: `${name} has a URL with a password, which no manifest may contain` };
  if (!isScalar(live)) {
    // The server does not return members with secrets, and it keeps members that are not declared.
    if (referencesWithin(declared).length > 0) return { why: `${name} holds secrets; edit the manifest` };
    return { value: mapTexts(declaredPart(live, declared as Plain), literal) };
  }
  const entry = catalogueEntry(catalogue, resource);
  const parameter = entry?.parameters.get(name);
  if (!entry || !parameter) {
    const field = fieldOf(catalogue, resource, name);
    return { value: live === null && field && !typesOf(field).includes("null") ? undefined : literal(live) };
  }
  const typed = parameter.types[0] === "string" ? String(live ?? "") : comparableScalar(parameter, live);
  const fault = parameterFaults(entry, { [name]: typed }).find((each) => each.parameter === name);
  if (!fault) return { value: literal(typed) ?? undefined };
  if ((live === null || live === "") && !parameter.isRequired) return { value: undefined };
  return { why: `a policy cannot declare the server's value of ${name}: expected ${fault.expected}` };
}

function declaredPart(live: Plain, declared: Plain): Plain {
  if (isScalar(live) || isList(live) || isScalar(declared) || isList(declared)) return live;
  const members = Object.entries(live).filter(([name]) => Object.hasOwn(declared, name));
  return Object.fromEntries(members.map(([name, value]) => [name, declaredPart(value, declared[name] ?? null)]));
}

/** Lines that an edit removes and adds, at a line of the final file, from 1. */
export interface Hunk {
  readonly file: string;
  readonly line: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

function createHunk(file: string, before: string, after: string): Hunk {
  const [was, is] = [splitLines(before), splitLines(after)];
  const most = Math.min(was.length, is.length);
  let head = 0;
  while (head < most && was[head] === is[head]) head++;
  let tail = 0;
  while (tail < most - head && was[was.length - 1 - tail] === is[is.length - 1 - tail]) tail++;
  return { file, line: head + 1, removed: was.slice(head, was.length - tail), added: is.slice(head, is.length - tail) };
}

/** Adds the hunks between successive texts of a file; undefined is an edit that leaves the text as it is. */
export function withHunks(
  hunks: readonly Hunk[],
  file: string,
  [first = "", ...texts]: readonly (string | undefined)[],
): readonly Hunk[] {
  let before = first;
  return texts.reduce<readonly Hunk[]>((found, text = before) => {
    const hunk = createHunk(file, before, text);
    before = text;
    return [...movedByAll([hunk], found), hunk];
  }, hunks);
}

/** Shifts earlier edits by later ones of the same file. */
export function movedByAll(later: readonly Hunk[], hunks: readonly Hunk[]): readonly Hunk[] {
  return hunks.map((hunk) => {
    const same = later.filter(({ file }) => file === hunk.file);
    const shift = (at: number, { line, added, removed }: Hunk) => at + (at > line ? added.length - removed.length : 0);
    return { ...hunk, line: same.reduce(shift, hunk.line) };
  });
}

function splitLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

import equal from "fast-deep-equal";
import { canonical } from "../base/json.ts";
import { memoized } from "../base/memoize.ts";
import { type Parsed, parseManifest, parseStretch } from "../manifest/document.ts";
import { documentParts, type Part } from "../manifest/document-parts.ts";
import { desiredOf, type Merged } from "../manifest/layers.ts";
import { type Policy, readPolicies } from "../manifest/policies.ts";
import { matchingLayers } from "../manifest/selection.ts";
import { hasErrors } from "../manifest/validate.ts";
import type { Workspace } from "../manifest/workspace.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { identityOf } from "../model/kinds.ts";
import type { DesiredProject, Kind, Project, Value } from "../model/types.ts";
import { replaceReferences } from "../model/values.ts";

/** The manifests of a workspace, possibly edited. */
export interface Manifests {
  /** Texts of files by their names, without byte order marks. */
  readonly texts: ReadonlyMap<string, string>;
  readonly policies: readonly Policy[];
  readonly catalogue: Catalogue;
  /** Names of expired policies. */
  readonly otherNames: readonly string[];
}

/**
 * Replaces or adds a file; undefined if its text has errors. Documents keep
 * their order, expired ones stay ignored, and unchanged ones stay the same objects. Only documents
 * with changed text are parsed.
 */
export function withText(
  manifests: Manifests,
  file: string,
  text: string,
  workspace: Workspace,
): Manifests | undefined {
  const edit = editOf(file, manifests.texts.get(file) ?? "", text);
  const read = readPolicies({ documents: edit.documents, workspace });
  if (hasErrors([...edit.problems, ...read.problems])) return undefined;
  const isTouched = ({ document }: Policy) => document.file === file && edit.isTouched(document.index);
  const here = new Map(manifests.policies.filter(isTouched).map((policy) => [policy.document.index, policy]));
  const policies = read.policies.flatMap((policy) => {
    const { index, value } = policy.document;
    const was = here.get(index);
    if (!was && index < edit.before) return [];
    return was && equal(was.document.value, value) ? was : policy;
  });
  const others = manifests.policies.filter((policy) => !isTouched(policy));
  return { ...manifests, texts: new Map([...manifests.texts, [file, text]]), policies: [...others, ...policies] };
}

/** The policy of a document; undefined if it has none, or an expired one. */
export function policyOf({ policies }: Manifests, { document }: Pick<Policy, "document">): Policy | undefined {
  return policies.find((policy) => policy.document === document);
}

export function documentsIn(file: string, text: string): number {
  const parts = documentParts(text);
  return parts
    ? parts.filter(({ document }) => document !== undefined).length
    : parseManifest(file, text).documents.length;
}

/** The changed documents, and the previous number of documents. */
interface Edit extends Parsed {
  readonly before: number;
  readonly isTouched: (document: number) => boolean;
}

function editOf(file: string, before: string, after: string): Edit {
  const [were, are] = [documentParts(before), documentParts(after)];
  const count = documentsIn(file, before);
  if (!were || !are || were.some(({ document }, index) => are[index]?.document !== document)) {
    return { ...parseManifest(file, after), before: count, isTouched: () => true };
  }
  const touched = are.filter(({ text }, index) => text !== were[index]?.text);
  const parsed = touched.map((part) => parsedPart(file, part));
  const indices = new Set(touched.map(({ document }) => document));
  return {
    documents: parsed.flatMap(({ documents }) => documents),
    problems: parsed.flatMap(({ problems }) => problems),
    before: count,
    isTouched: (document) => indices.has(document),
  };
}

function parsedPart(file: string, { text, linesBefore, document: index = 0 }: Part): Parsed {
  const { documents, problems } = parseStretch({ file, text, linesBefore });
  return { documents: documents.map((document) => document.numbered(index)), problems };
}

/** One resource of one project. */
export interface ResourceRef {
  readonly project: Project;
  readonly kind: Kind;
  readonly key: string;
}

/** All projects that policies may select. */
export interface Fleet {
  readonly workspace: Workspace;
  readonly projects: readonly Project[];
}

/** The desired state of a project from a day on until the next of its policies expires. */
export interface Period {
  /** The last day of the policy whose end starts the period; undefined for the current period. */
  readonly after: string | undefined;
  readonly desired: DesiredProject;
}

/**
 * The desired state of a resource's project after an edit, today and on every later day; undefined if the edit changes, on
 * any of these days, any other resource in the fleet, or is invalid.
 */
export function desiredAfter(
  ref: ResourceRef,
  before: Manifests,
  after: Manifests,
  { projects }: Fleet,
): readonly Period[] | undefined {
  const touched = difference(before.policies, after.policies);
  const affected = projects.filter((project) => matchingLayers(touched, project).length > 0);
  const isKept = affected.every((project) => {
    const except = project === ref.project ? identityOf(before.catalogue, ref) : undefined;
    return endsOf(project, before, after).every((end) => {
      const [was, is] = [before, after].map(({ policies }) => desiredOf(countingAfter(policies)(end), project));
      return was && is && mistakes(is) <= mistakes(was) && stateOf(was, except) === stateOf(is, except);
    });
  });
  if (!isKept) return undefined;
  return endsOf(ref.project, after).map((end) => ({
    after: end === "" ? undefined : end,
    desired: desiredOf(countingAfter(after.policies)(end), ref.project).desired,
  }));
}

/** The last days of all policies that match a project, sorted, after an empty text for today. */
function endsOf(project: Project, ...versions: readonly Manifests[]): readonly string[] {
  const layers = versions.flatMap(({ policies }) => matchingLayers(policies, project));
  return ["", ...new Set(layers.flatMap(({ policy }) => policy.until ?? []).sort())];
}

/** The policies that apply after a day; all of them for an empty text. */
const countingAfter = memoized(
  (policies: readonly Policy[]) =>
    memoized((end: string) =>
      end === "" ? policies : policies.filter(({ until }) => until === undefined || until > end),
    ),
  new WeakMap(),
);

function difference(before: readonly Policy[], after: readonly Policy[]): readonly Policy[] {
  const [was, is] = [new Set(before), new Set(after)];
  return [...before.filter((policy) => !is.has(policy)), ...after.filter((policy) => !was.has(policy))];
}

function mistakes({ problems }: Merged): number {
  return problems.filter(({ severity }) => severity === "error").length;
}

/** The desired state of a project without one resource. Literal secrets are compared without their location. */
function stateOf({ desired }: Merged, except: string | undefined): string {
  const others = desired.resources.filter((resource) => resource.identity !== except);
  const resources = others.map(({ kind, key, presence, fields, origin: { reason = null, until = null } }) => {
    const values = Object.entries(fields).map(([name, value]) => [name, placeless(value)]);
    return [kind, key, presence, values, reason, until];
  });
  return canonical([resources, [...desired.exclusive.keys()].sort()]);
}

function placeless(value: Value): unknown {
  return replaceReferences(value, (reference) => {
    return reference.secret.startsWith("manifest:") ? { secret: "manifest:" } : { ...reference };
  });
}

import { canonical } from "../../base/json.ts";
import { lineOfField, type PolicyEntry } from "../../manifest/entries.ts";
import { desiredOf, entryInEffect, rulingFor } from "../../manifest/layers.ts";
import type { Policy, Variable } from "../../manifest/policies.ts";
import { sectionPath } from "../../manifest/policy-text.ts";
import { matchingLayers } from "../../manifest/selection.ts";
import { parseReference, referencesOf } from "../../manifest/template.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { identityOf, policyKind } from "../../model/kinds.ts";
import { compareField } from "../../model/normalise.ts";
import { bareName } from "../../model/owner.ts";
import type { Change, Desired, Kind, Live, Project, Value } from "../../model/types.ts";
import { referencesWithin, replaceReferences } from "../../model/values.ts";
import { addTo, type Editable, type Edited, removeIn, setIn, type WritableValue } from "../format/edit.ts";
import { format } from "../format/format.ts";
import { importProject } from "../import/import-project.ts";
import { listVariables, withReferences } from "../import/names.ts";
import { entryNode, literal } from "../import/policy.ts";
import {
  type EditTarget,
  editTargets,
  type Hunk,
  isOwn,
  type Manifests,
  type ManifestValue,
  manifestValue,
  type NewPolicyFile,
  policyOf,
  withHunks,
  withText,
} from "./manifests.ts";

/** Manifests with edits towards the live state. */
export interface ManifestDraft {
  readonly manifests: Manifests;
  readonly hunks: readonly Hunk[];
  readonly notes: readonly string[];
  /** Messages about values that could not be declared. */
  readonly left: readonly string[];
}

/** A change whose live side is accepted. `live` contains everything that the server reports. */
export interface LiveTarget {
  readonly ref: { readonly project: Project; readonly kind: Kind; readonly key: string };
  readonly change: Change;
  readonly live: Live | undefined;
  /** Converts a desired resource to the form in which it is compared with the live one. */
  readonly asCompared: (desired: Desired) => Desired;
  /** The file for a policy of its project; undefined if none can be created. */
  readonly newFile: NewPolicyFile | undefined;
}

/** Changes the manifests to declare the live values of this resource, and nothing else. */
export function acceptChange(manifests: Manifests, target: LiveTarget): ManifestDraft {
  const draft: ManifestDraft = { manifests, hunks: [], notes: [], left: [] };
  const { change, live } = target;
  if (change.action === "create") {
    const subject = subjectNow(draft, target);
    return firstValid(draft, subject, absenceEdits(subject), (desired) => desired?.presence !== "present");
  }
  if (!live) return draft;
  const present = { ...target, live };
  return ["update", "replace"].includes(change.action) ? acceptFields(draft, present) : acceptPresence(draft, present);
}

type Present = LiveTarget & { readonly live: Live };

function acceptFields(start: ManifestDraft, target: Present): ManifestDraft {
  const subject = subjectNow(start, target);
  const isVariable = (name: string) =>
    subject.entry !== undefined && findVariable(subject, subject.entry, name) !== undefined;
  const { catalogue } = start.manifests.workspace;
  const names = differingFields(catalogue, desiredNow(start.manifests, target), target);
  // Variables first, so that an entry that has to be repeated keeps them.
  const ordered = [...names.filter(isVariable), ...names.filter((name) => !isVariable(name))];
  return ordered.reduce((draft, name) => acceptField(draft, name, target), start);
}

function acceptField(draft: ManifestDraft, name: string, target: Present): ManifestDraft {
  const { catalogue } = draft.manifests.workspace;
  const { ref, live } = target;
  const now = desiredNow(draft.manifests, target);
  const wrong = differingFields(catalogue, now, target);
  if (!wrong.includes(name)) return draft;
  const values = new Map<string, ManifestValue>();
  for (const each of wrong) {
    const converted = manifestValue(catalogue, ref, each, live.fields[each] ?? null, now?.fields[each]);
    if ("value" in converted) values.set(each, converted.value);
    else if (each === name) return { ...draft, left: [...draft.left, converted.why] };
  }
  const subject = subjectNow(draft, target);
  // One variable may set several fields: no other field may become different.
  return firstValid(draft, subject, fieldEdits(subject, name, values), (desired) => {
    const still = differingFields(catalogue, desired, target);
    return desired?.presence === "present" && still.every((each) => each !== name && wrong.includes(each));
  });
}

/** Fields that differ on the server, sorted. */
function differingFields(
  catalogue: Catalogue,
  desired: Desired | undefined,
  { live, asCompared }: Present,
): readonly string[] {
  const fields = Object.entries(desired ? asCompared(desired).fields : {});
  const different = fields.filter(([name, value]) => {
    return compareField(catalogue, live, name, value, live.fields[name]) === "different";
  });
  return different.map(([name]) => name).sort();
}

/** Declares the resource like `import`; required values that are unknown become secret references to fill in. */
function acceptPresence(draft: ManifestDraft, target: Present): ManifestDraft {
  const { project, kind, key } = target.ref;
  const { server, catalogue } = draft.manifests.workspace;
  const result = importProject({ project, live: [target.live], others: [], unread: [] }, server, catalogue);
  const taken = listVariables(draft.manifests.policies.map(({ document }) => document));
  const [imported] = withReferences([result], { catalogue, taken });
  const [entry] = imported?.entries ?? [];
  if (!entry) return { ...draft, left: [...draft.left, ...result.remarks] };
  const blanks = [...entry.fields.values()].flatMap(referencesWithin);
  const notes = [...entry.remarks, ...blanks.map(({ secret }) => `set ${secret} before apply writes ${key}`)];
  const subject = subjectNow(draft, target);
  const path = resourcePath(subject, literal(key));
  const declare = (source: Editable) => setIn(source, path, entryNode(entry, policyKind(catalogue, kind)?.only));
  const noted = { ...draft, notes: [...draft.notes, ...notes] };
  return firstValid(noted, subject, replaceEdits(subject, declare), (desired) => desired?.presence === "present");
}

/** A possible edit: the successive texts of a file, and a message. */
interface Edit {
  readonly file: string;
  readonly texts: readonly Edited[];
  readonly notes: readonly string[];
}

interface Subject {
  readonly target: LiveTarget;
  readonly manifests: Manifests;
  readonly entry: PolicyEntry | undefined;
}

function subjectNow({ manifests }: ManifestDraft, target: LiveTarget): Subject {
  const { project } = target.ref;
  const identity = identityOf(manifests.workspace.catalogue, target.ref);
  const entry = entryInEffect(rulingFor(manifests.policies, project), project, identity);
  return { target, manifests, entry };
}

/**
 * Edits that give one field its live value: the variable or the literal in the project's own policy; otherwise the variable,
 * the field of a singleton, or the whole entry in the project's own policy, because entries are not merged.
 */
function* fieldEdits(subject: Subject, name: string, values: ReadonlyMap<string, ManifestValue>): Iterable<Edit> {
  const { manifests, entry } = subject;
  const value = values.get(name);
  if (!entry) return;
  const line = entry.written ? lineOfField(entry, name) : entry;
  const variable = value === undefined ? undefined : findVariable(subject, entry, name);
  for (const each of [variable, line]) {
    const own = findOwn(subject, each);
    if (!each || !own) continue;
    const { file, policy } = own;
    const text = value === undefined ? removeIn(own, each.path) : setIn(own, each.path, value);
    const notes = each === variable ? [`vars.${variable.name} of policy ${policy.name} (${file}) decides`] : [];
    yield { file, texts: [restoreOrder(manifests, own.text, text)], notes: [...notes, ...untilNotes(policy)] };
  }
  if (variable && value !== undefined)
    yield* targetEdits(subject, variable, (own) => setIn(own, ["vars", variable.name], value));
  const path = resourcePath(subject, entry.desired.key);
  if (entry.desired.key !== "")
    yield* targetEdits(subject, entry, (own) => setIn(own, path, restateEntry(entry, values)));
  else if (value !== undefined)
    yield* targetEdits(subject, entry.setBy?.get(name) ?? entry, (own) => setIn(own, [...path, name], value));
}

/** The variable that alone is the written value of a field; undefined for any other value. */
function findVariable({ manifests, target }: Subject, entry: PolicyEntry, name: string): Variable | undefined {
  const value = entry.written?.parameters[name];
  if (typeof value !== "string" || !/^\$\{[^}]*\}$/.test(value)) return undefined;
  const [reference = ""] = referencesOf(value);
  const parsed = parseReference(reference);
  if (!parsed || !("variable" in parsed)) return undefined;
  return rulingFor(manifests.policies, target.ref.project).vars.get(parsed.variable);
}

/** The value of an entry with other values for these fields. */
function restateEntry({ written }: PolicyEntry, values: ReadonlyMap<string, ManifestValue>): WritableValue {
  if (!written) return [...values.values()][0] ?? null;
  const fields = Object.entries({ ...written.parameters, ...Object.fromEntries(values) });
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as WritableValue;
}

/** Edits that list a declared resource as disabled or absent. */
function* absenceEdits(subject: Subject): Iterable<Edit> {
  const { manifests, entry, target } = subject;
  if (!entry) return;
  const { off } = policyKind(manifests.workspace.catalogue, target.ref.kind) ?? {};
  const path = off ? [off] : ["absent", findSection(subject)];
  const { key } = target.ref;
  const add = (source: Editable) =>
    key === "" ? setIn(source, path, true) : addTo(source, path, off ? key : literal(key));
  yield* replaceEdits(subject, add, off === undefined);
}

/** Edits that replace the entry in effect by another one; `mayGo`: removing it may be enough. */
function* replaceEdits(subject: Subject, add: (source: Editable) => Edited, mayGo = false): Iterable<Edit> {
  const { entry } = subject;
  const own = findOwn(subject, entry);
  const text = own && entry && removeIn(own, entry.path);
  if (own && text !== undefined) {
    const { file, document, policy } = own;
    const notes = untilNotes(policy);
    if (mayGo) yield { file, texts: [text], notes };
    yield { file, texts: [text, add({ text, document })], notes };
  }
  yield* targetEdits(subject, entry, add);
}

/** The policy of a declaration with its text, if it selects the project alone. */
function findOwn({ manifests, target }: Subject, stated: Pick<PolicyEntry, "document"> | undefined) {
  const policy = stated && policyOf(manifests, stated);
  if (!policy || !isOwn(policy, target.ref.project)) return undefined;
  const { file, index } = policy.document;
  return { policy, file, text: manifests.texts.get(file) ?? "", document: index };
}

/** Edits of the project's own policy, in place of the policy in effect. */
function* targetEdits(
  { manifests, target: { ref, newFile } }: Subject,
  line: Pick<PolicyEntry, "document"> | undefined,
  edit: (target: EditTarget) => Edited,
): Iterable<Edit> {
  const layers = matchingLayers(manifests.policies, ref.project).map(({ policy }) => policy);
  const policy = line ? policyOf(manifests, line) : layers.find(({ exclusive }) => exclusive.has(ref.kind));
  const declared = `declared for ${ref.project.name}`;
  const reach = policy && isOwn(policy, ref.project) ? "cannot declare it" : "applies to other projects too";
  const why = line && policy && `policy ${policy.name} (${policy.document.file}) ${reach}: ${declared} alone`;
  for (const target of editTargets(manifests, ref.project, policy, newFile)) {
    const texts = [restoreOrder(manifests, target.text, edit(target))];
    yield { file: target.file, texts, notes: [`${why ?? declared} in ${target.words}`] };
  }
}

function untilNotes({ name, until }: Policy): readonly string[] {
  return until === undefined ? [] : [`applies until ${until} only, when policy ${name} expires`];
}

/** Restores the order of `fmt`, if the file was in that order. */
function restoreOrder({ workspace: { catalogue } }: Manifests, before: string, after: Edited): Edited {
  if (after === undefined) return undefined;
  const [was, is] = [format("", before, catalogue), format("", after, catalogue)];
  return "text" in was && was.text === before && "text" in is ? is.text : after;
}

function findSection({ manifests, target }: Subject): string {
  return policyKind(manifests.workspace.catalogue, target.ref.kind)?.section ?? "";
}

/** The path of a resource in a policy; for a singleton, its section. */
function resourcePath(subject: Subject, key: string): readonly string[] {
  const path = sectionPath(findSection(subject));
  return key === "" ? path : [...path, key];
}

/** The first edit that is valid, has the wanted effect today, and changes nothing else of the project. */
function firstValid(
  draft: ManifestDraft,
  { target, entry }: Subject,
  edits: Iterable<Edit>,
  isAccepted: (desired: Desired | undefined) => boolean,
): ManifestDraft {
  const { manifests } = draft;
  for (const { file, texts, notes } of edits) {
    const text = texts.at(-1);
    const next = text === undefined ? undefined : withText(manifests, file, text);
    if (!next || serializeOthers(next, target) !== serializeOthers(manifests, target)) continue;
    if (!isAccepted(desiredNow(next, target))) continue;
    const hunks = withHunks(draft.hunks, file, [manifests.texts.get(file), ...texts]);
    return { ...draft, manifests: next, hunks, notes: [...new Set([...draft.notes, ...notes])] };
  }
  const left = `no manifest can declare it for ${target.ref.project.name} alone${explainDecision(manifests, target, entry)}`;
  return { ...draft, left: [...draft.left, left] };
}

function explainDecision(manifests: Manifests, { ref: { project } }: LiveTarget, entry?: PolicyEntry): string {
  if (!entry) return "";
  const { file, line } = entry.place();
  const policy = policyOf(manifests, entry);
  if (!policy?.enforce || isOwn(policy, project)) return `; it is decided at ${file}:${line}`;
  return `; policy ${policy.name} enforces it (${file}:${line}), so list ${bareName(project.name)} in its except to allow another value`;
}

function desiredNow({ policies, workspace }: Manifests, { ref }: LiveTarget): Desired | undefined {
  const identity = identityOf(workspace.catalogue, ref);
  return desiredOf(policies, ref.project).desired.resources.find((each) => each.identity === identity);
}

/** The rest of the project's desired state. Literal secrets are compared without their location. */
function serializeOthers({ policies, workspace }: Manifests, { ref }: LiveTarget): string {
  const identity = identityOf(workspace.catalogue, ref);
  const { desired, problems } = desiredOf(policies, ref.project);
  const others = desired.resources.filter((resource) => resource.identity !== identity);
  const resources = others.map(({ kind, key, presence, fields, origin: { reason = null, until = null } }) => {
    const values = Object.entries(fields).map(([name, value]) => [name, placeless(value)]);
    return [kind, key, presence, values, reason, until];
  });
  const errors = problems.filter(({ severity }) => severity === "error").map(({ rule }) => rule);
  return canonical([resources, [...desired.exclusive.keys()].sort(), errors]);
}

function placeless(value: Value): unknown {
  return replaceReferences(value, (reference) =>
    reference.secret.startsWith("manifest:") ? { secret: "manifest:" } : { ...reference },
  );
}

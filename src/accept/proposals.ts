import { Document, isMap, type Node } from "yaml";
import { addTo, type Editable, type Edited, inOrderAs, nodeIn, removeIn, setIn } from "../format/edit.ts";
import { literal } from "../import/policy.ts";
import { lineOfField, type PolicyEntry } from "../manifest/entries.ts";
import { entryInEffect } from "../manifest/layers.ts";
import type { Policy, Variable } from "../manifest/policies.ts";
import { matchingLayers } from "../manifest/selection.ts";
import { policyKind } from "../model/kinds.ts";
import type { Resource } from "../model/types.ts";
import { decidingVariable, isUsedAlone } from "./deciding-variables.ts";
import { type EditTarget, editTargetExcept, editTargetsFor, isOwn, type NewEditTarget } from "./edit-targets.ts";
import { type ManifestValue, manifestNode, restateField, yamlValue } from "./manifest-value.ts";
import { type Manifests, policyOf, type ResourceRef } from "./manifests.ts";

/** A possible edit: the successive texts of a file, and why that file is edited. */
export interface Proposal {
  readonly file: string;
  readonly texts: readonly Edited[];
  readonly note?: string;
  /** The last day of the edited policy. */
  readonly until?: string;
}

/** Values of the fields of an entry. */
export interface FieldValues {
  /** Those that are live. */
  readonly values: ReadonlyMap<string, ManifestValue>;
  /** Current values of fields set by variables. */
  readonly filled: ReadonlyMap<string, ManifestValue>;
}

/** The resource to declare, and the manifests that can be edited for it. */
export interface Subject {
  readonly ref: ResourceRef;
  readonly manifests: Manifests;
  /** The entry in effect, if any. */
  readonly entry: PolicyEntry | undefined;
  readonly newFile: NewEditTarget | undefined;
}

/** The subject as manifests are now. */
export function subjectIn(
  manifests: Manifests,
  ref: ResourceRef,
  identity: string,
  newFile: NewEditTarget | undefined,
): Subject {
  const entry = entryInEffect(matchingLayers(manifests.policies, ref.project), ref.project, identity);
  return { ref, manifests, entry, newFile };
}

/**
 * Edits that give one field its live value, the smallest first: the variable that sets it, if this
 * project alone uses it; the line itself, if it applies to this project alone; the variable in a more specific policy; the
 * whole entry existing, with all of the values, since entries are not merged; the same with the values of its variables,
 * which may expire.
 */
export function* fieldProposals(subject: Subject, name: string, { values, filled }: FieldValues): Iterable<Proposal> {
  const value = values.get(name);
  const { ref, manifests, entry } = subject;
  if (!entry) return;
  const line = entry.written ? lineOfField(entry, name) : entry;
  const policy = policyOf(manifests, line);
  const variable = value === undefined ? undefined : decidingVariable(entry, manifests, ref, name);
  if (variable && isUsedAlone(manifests, variable, ref))
    yield* valueProposal(manifests, variable, value, variableNote(variable, ref));
  if (policy && isOwn(policy, ref.project)) yield* valueProposal(manifests, line, value);
  if (variable && value !== undefined) {
    const note = elsewhereNote(variable, subject);
    yield* targetProposals(subject, policyOf(manifests, variable), note, (target) =>
      setIn(target, ["vars", variable.name], yamlValue(value)),
    );
  }
  const path = pathOf(manifests, entry.desired);
  if (entry.desired.key === "") {
    if (value === undefined) return;
    const note = elsewhereNote(entry.setBy?.get(name) ?? entry, subject);
    yield* targetProposals(subject, policy, note, (target) => setIn(target, [...path, name], yamlValue(value)));
    return;
  }
  const restate = (fields: FieldValues["values"]) => (target: EditTarget) =>
    setIn(target, path, restated(manifests, entry, fields));
  yield* targetProposals(subject, policy, elsewhereNote(entry, subject), restate(values));
  if (filled.size === 0) return;
  const note = `a variable that ${policyWords(entry)} uses expires: written with its value for ${ref.project.name}`;
  yield* targetProposals(subject, policy, note, restate(new Map([...filled, ...values])));
}

/** Edits that disable what is declared or, for a kind that cannot be disabled, that remove the declaration. */
export function* absenceProposals(subject: Subject): Iterable<Proposal> {
  const { ref, manifests, entry } = subject;
  if (!entry) return;
  const policy = policyOf(manifests, entry);
  const { file, index } = entry.document;
  const off = policyKind(manifests.catalogue, ref.kind)?.off;
  const removed = removeIn(editable(manifests, entry), entry.path);
  const isAlone = policy !== undefined && isOwn(policy, ref.project);
  if (isAlone && !off) yield { file, texts: [removed] };
  if (isAlone && off && removed !== undefined) {
    yield { file, texts: [removed, addTo({ text: removed, document: index }, [off], ref.key)], ...endOf(policy) };
  }
  if (off)
    yield* targetProposals(subject, policy, elsewhereNote(entry, subject), (target) => addTo(target, [off], ref.key));
  else if (policy && removed !== undefined) yield* withdrawal(subject, { entry, policy, removed });
}

/** Moves the line to a policy for all of its projects except this one. */
function* withdrawal(
  { ref, manifests }: Subject,
  { entry, policy, removed }: { readonly entry: PolicyEntry; readonly policy: Policy; readonly removed: string },
): Iterable<Proposal> {
  const { file } = entry.document;
  const without = { ...manifests, texts: new Map([...manifests.texts, [file, removed]]) };
  const target = editTargetExcept(without, policy, ref.project);
  const node = nodeIn(editable(manifests, entry), entry.path);
  const added = node && setIn(target, pathOf(manifests, entry.desired), node);
  const note = `${policyWords(entry)} applies to other projects too: declared for those alone in ${target.words}`;
  yield { file, texts: [removed, sorted(manifests, target.text, added)], note };
}

/** Edits that declare what `disabled` lists, or an exclusive policy omits. */
export function* presenceProposals(subject: Subject, node: () => Node): Iterable<Proposal> {
  const { ref, manifests, entry } = subject;
  const layers = matchingLayers(manifests.policies, ref.project).map((layer) => layer.policy);
  const policy = entry ? policyOf(manifests, entry) : layers.find(({ exclusive }) => exclusive.has(ref.kind));
  const path = pathOf(manifests, { kind: ref.kind, key: literal(ref.key) });
  if (entry && policy && isOwn(policy, ref.project)) {
    const { file, index: document } = entry.document;
    const removed = removeIn(editable(manifests, entry), entry.path);
    if (removed !== undefined)
      yield { file, texts: [removed, setIn({ text: removed, document }, path, node())], ...endOf(policy) };
  }
  const note = entry ? elsewhereNote(entry, subject) : `declared for ${ref.project.name}`;
  yield* targetProposals(subject, policy, note, (target) => setIn(target, path, node()));
}

function* targetProposals(
  { ref, manifests, newFile }: Subject,
  overridden: Policy | undefined,
  note: string,
  edit: (target: EditTarget) => Edited,
): Iterable<Proposal> {
  for (const target of editTargetsFor(manifests, ref.project, overridden, newFile)) {
    yield {
      file: target.file,
      texts: [sorted(manifests, target.text, edit(target))],
      note: `${note} in ${target.words}`,
    };
  }
}

type EditLocation = Pick<PolicyEntry, "document" | "path">;

function* valueProposal(
  manifests: Manifests,
  location: EditLocation,
  value: ManifestValue,
  note?: string,
): Iterable<Proposal> {
  const source = editable(manifests, location);
  const text = value === undefined ? removeIn(source, location.path) : setIn(source, location.path, yamlValue(value));
  const end = endOf(policyOf(manifests, location));
  yield { file: location.document.file, texts: [sorted(manifests, source.text, text)], ...(note && { note }), ...end };
}

function endOf(policy: Policy | undefined): Pick<Proposal, "until"> {
  return policy?.until === undefined ? {} : { until: policy.until };
}

function sorted({ catalogue }: Manifests, before: string, after: Edited): Edited {
  return after === undefined ? undefined : inOrderAs(before, after, catalogue);
}

function editable({ texts }: Manifests, { document }: Pick<EditLocation, "document">): Editable {
  return { text: texts.get(document.file) ?? "", document: document.index };
}

function sectionOf({ catalogue }: Manifests, { kind }: Pick<Resource, "kind">): string {
  return policyKind(catalogue, kind)?.section ?? "";
}

/** Where a policy declares a resource; of a singleton, its section. */
function pathOf(manifests: Manifests, named: Pick<Resource, "kind" | "key">): readonly string[] {
  const section = sectionOf(manifests, named);
  return named.key === "" ? [section] : [section, named.key];
}

/** A copy of the entry with other values for these fields. */
function restated(manifests: Manifests, entry: PolicyEntry, values: ReadonlyMap<string, ManifestValue>): Node {
  if (!entry.written) return manifestNode([...values.values()][0] ?? null);
  const plain = () => new Document(entry.written?.parameters).contents as unknown as Node;
  const node = nodeIn(editable(manifests, entry), entry.path) ?? plain();
  if (isMap(node)) for (const [name, value] of values) restateField(node, name, value);
  return node;
}

function variableNote({ name, ...line }: Variable, { project }: ResourceRef): string {
  return `vars.${name} of ${policyWords(line)} decides, and only ${project.name} uses it`;
}

/** Why something is not declared where it was so far. */
function elsewhereNote(line: PolicyEntry | Variable, { manifests, ref: { project } }: Subject): string {
  const policy = policyOf(manifests, line);
  const end = policy?.until === undefined ? "" : ` expires on ${policy.until}`;
  const isAlone = policy !== undefined && isOwn(policy, project);
  if (isAlone && end) return `${policyWords(line)}${end}, and what is accepted stays: written without an end date`;
  if (isAlone) return `${policyWords(line)} cannot declare it: declared for ${project.name}`;
  const others = `${policyWords(line)} applies to other projects too`;
  if (end) return `${others}, and${end}: declared for ${project.name} alone, without an end date,`;
  return `${others}: declared for ${project.name} alone`;
}

function policyWords({ policy, document }: Pick<PolicyEntry, "policy" | "document">): string {
  return `policy ${policy} (${document.file})`;
}

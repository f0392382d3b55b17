import { Document, isMap, type Node, Pair, type YAMLMap } from "yaml";
import { addTo, type Editable, type Edited, inOrderAs, nodeIn, removeIn, setIn } from "../format/edit.ts";
import { scalarOf } from "../format/scalar.ts";
import { variablesIn } from "../manifest/deciding-lines.ts";
import type { PolicyEntry } from "../manifest/entries.ts";
import { decidingOf } from "../manifest/layers.ts";
import type { Policy, Variable } from "../manifest/policies.ts";
import { matchingLayers } from "../manifest/selection.ts";
import { policyKinds } from "../model/kinds.ts";
import { type EditTarget, editTargetExcept, editTargetsFor, isOwn, type NewEditTarget } from "./edit-targets.ts";
import type { Manifests, ResourceRef } from "./manifests.ts";

/** A way to say something, to be taken if it keeps the law: the texts that a file goes through, and why it is there. */
export interface Proposal {
  readonly file: string;
  readonly texts: readonly Edited[];
  readonly note?: string;
  /** The last day of the policy that it writes a value into. */
  readonly until?: string;
}

/** A value as a manifest says it; undefined: that it says nothing of it. */
export type Spelled = string | number | boolean | undefined;

/** Values of the fields of an entry. */
export interface FieldValues {
  /** Those that are live. */
  readonly values: ReadonlyMap<string, Spelled>;
  /** What stands for a field that variables decide, as they are today. */
  readonly filled: ReadonlyMap<string, Spelled>;
}

/** What is to be said of, and where there is a place for more. */
export interface Subject {
  readonly thing: ResourceRef;
  readonly manifests: Manifests;
  /** The entry that decides; undefined where none does. */
  readonly entry: PolicyEntry | undefined;
  readonly made: NewEditTarget | undefined;
}

/** The subject as manifests are now. */
export function subjectIn(
  manifests: Manifests,
  thing: ResourceRef,
  identity: string,
  made: NewEditTarget | undefined,
): Subject {
  const { entries } = decidingOf(matchingLayers(manifests.policies, thing.project));
  return { thing, manifests, entry: entries.get(identity), made };
}

/**
 * Ways to give one field of the deciding entry its value among those that are live, the smallest first: the variable that decides, if this
 * project alone uses it; the line itself, if it speaks for this project alone; the variable in a nearer policy; the
 * whole entry there, with all of the values, since entries are not merged; the same with the values of its variables,
 * which may expire.
 */
export function* fieldProposals(subject: Subject, name: string, { values, filled }: FieldValues): Iterable<Proposal> {
  const value = values.get(name);
  const { thing, manifests, entry } = subject;
  if (!entry) return;
  const policy = policyOf(manifests, entry);
  const own = entry.written ? [...entry.path, name] : entry.path;
  const variable = value === undefined ? undefined : decidingVariable(subject, name);
  if (variable && isUsedAlone(manifests, variable, thing))
    yield* valueProposal(manifests, variable, value, variableNote(variable, thing));
  if (policy && isOwn(policy, thing.project))
    yield* valueProposal(manifests, { document: entry.document, path: own }, value);
  if (variable && value !== undefined) {
    const note = elsewhereNote(variable, subject);
    yield* homes(subject, policyOf(manifests, variable), note, (home) => setIn(home, ["vars", variable.name], value));
  }
  const path = [sectionOf(thing), entry.desired.key];
  const restate = (fields: FieldValues["values"]) => (home: EditTarget) =>
    setIn(home, path, restated(manifests, entry, fields));
  yield* homes(subject, policy, elsewhereNote(entry, subject), restate(values));
  if (filled.size === 0) return;
  const note = `a variable that ${policyWords(entry)} uses expires: written with its value for ${thing.project.name}`;
  yield* homes(subject, policy, note, restate(new Map([...filled, ...values])));
}

/** Ways to say that what is declared is off or, for a kind of which that cannot be said, to say nothing of it. */
export function* absenceProposals(subject: Subject): Iterable<Proposal> {
  const { thing, manifests, entry } = subject;
  if (!entry) return;
  const policy = policyOf(manifests, entry);
  const { file, index } = entry.document;
  const off = policyKinds.find(({ kind }) => kind === thing.kind)?.off;
  const removed = removeIn(editable(manifests, entry), entry.path);
  const isAlone = policy !== undefined && isOwn(policy, thing.project);
  if (isAlone && !off) yield { file, texts: [removed] };
  if (isAlone && off && removed !== undefined) {
    yield { file, texts: [removed, addTo({ text: removed, document: index }, [off], thing.key)], ...endOf(policy) };
  }
  if (off) yield* homes(subject, policy, elsewhereNote(entry, subject), (home) => addTo(home, [off], thing.key));
  else if (policy && removed !== undefined) yield* withdrawal(subject, { entry, policy, removed });
}

/** The line moves to a policy for all projects that it spoke for but this one. */
function* withdrawal(
  { thing, manifests }: Subject,
  { entry, policy, removed }: { readonly entry: PolicyEntry; readonly policy: Policy; readonly removed: string },
): Iterable<Proposal> {
  const { file } = entry.document;
  const without = { ...manifests, texts: new Map([...manifests.texts, [file, removed]]) };
  const home = editTargetExcept(without, policy, thing.project);
  const node = nodeIn(editable(manifests, entry), entry.path);
  const added = node && setIn(home, [sectionOf(thing), entry.desired.key], node);
  const note = `${policyWords(entry)} speaks for other projects too: said for those alone in ${home.words}`;
  yield { file, texts: [removed, sorted(home.text, added)], note };
}

/** Ways to declare what is live and turned off by a line of `disabled`, or not listed where a policy is exclusive. */
export function* presenceProposals(subject: Subject, node: () => Node): Iterable<Proposal> {
  const { thing, manifests, entry } = subject;
  const layers = matchingLayers(manifests.policies, thing.project).map((layer) => layer.policy);
  const policy = entry ? policyOf(manifests, entry) : layers.find(({ exclusive }) => exclusive.has(thing.kind));
  const path = [sectionOf(thing), thing.key];
  if (entry && policy && isOwn(policy, thing.project)) {
    const { file, index: document } = entry.document;
    const removed = removeIn(editable(manifests, entry), entry.path);
    if (removed !== undefined)
      yield { file, texts: [removed, setIn({ text: removed, document }, path, node())], ...endOf(policy) };
  }
  const note = entry ? elsewhereNote(entry, subject) : `declared for ${thing.project.name}`;
  yield* homes(subject, policy, note, (home) => setIn(home, path, node()));
}

function* homes(
  { thing, manifests, made }: Subject,
  beaten: Policy | undefined,
  note: string,
  edit: (home: EditTarget) => Edited,
): Iterable<Proposal> {
  for (const home of editTargetsFor(manifests, thing.project, beaten, made)) {
    yield { file: home.file, texts: [sorted(home.text, edit(home))], note: `${note} in ${home.words}` };
  }
}

type Spot = Pick<PolicyEntry, "document" | "path">;

function* valueProposal(manifests: Manifests, spot: Spot, value: Spelled, note?: string): Iterable<Proposal> {
  const source = editable(manifests, spot);
  const text = value === undefined ? removeIn(source, spot.path) : setIn(source, spot.path, value);
  const end = endOf(policyOf(manifests, spot));
  yield { file: spot.document.file, texts: [sorted(source.text, text)], ...(note && { note }), ...end };
}

function endOf(policy: Policy | undefined): Pick<Proposal, "until"> {
  return policy?.until === undefined ? {} : { until: policy.until };
}

function sorted(before: string, after: Edited): Edited {
  return after === undefined ? undefined : inOrderAs(before, after);
}

function editable({ texts }: Manifests, { document }: Pick<Spot, "document">): Editable {
  return { text: texts.get(document.file) ?? "", document: document.index };
}

function policyOf({ policies }: Manifests, { document }: Pick<Spot, "document">): Policy | undefined {
  return policies.find((policy) => policy.document === document);
}

function sectionOf({ kind }: ResourceRef): string {
  return policyKinds.find((row) => row.kind === kind)?.section ?? "";
}

/** The variable whose value a parameter is, or the one whose value that is; undefined where more goes into it. */
export function decidingVariable({ thing, manifests, entry }: Subject, name: string): Variable | undefined {
  const { vars } = decidingOf(matchingLayers(manifests.policies, thing.project));
  const seen = new Set<Variable>();
  let found = variableIn(entry?.written?.parameters[name], vars);
  for (let next = found; next && !seen.has(next); next = variableIn(next.value, vars)) {
    seen.add(next);
    found = next;
  }
  return found;
}

function variableIn(value: unknown, vars: ReadonlyMap<string, Variable>): Variable | undefined {
  const [name] = variablesIn(value);
  return name !== undefined && /^\$\{[^}]*\}$/.test(String(value)) ? vars.get(name) : undefined;
}

/** Whether nothing that speaks for another project has a say in it or uses it. */
function isUsedAlone(manifests: Manifests, variable: Variable, { project }: ResourceRef): boolean {
  const policy = policyOf(manifests, variable);
  if (policy && isOwn(policy, project)) return true;
  return manifests.policies.every((each) => isOwn(each, project) || !mentions(each, variable.name));
}

function mentions({ vars, entries }: Policy, name: string): boolean {
  const values = [
    ...vars.map(({ value }) => value),
    ...entries.flatMap(({ written }) => Object.values(written?.parameters ?? {})),
  ];
  return values.some((value) => variablesIn(value).includes(name));
}

/** The entry as it is written, but for these fields. */
function restated(manifests: Manifests, entry: PolicyEntry, values: ReadonlyMap<string, Spelled>): Node {
  if (!entry.written) return scalarOf([...values.values()][0] ?? null);
  const plain = () => new Document(entry.written?.parameters).contents as unknown as Node;
  const node = nodeIn(editable(manifests, entry), entry.path) ?? plain();
  if (isMap(node)) for (const [name, value] of values) restateField(node, name, value);
  return node;
}

function restateField(node: YAMLMap, name: string, value: Spelled): void {
  const index = node.items.findIndex(({ key }) => String(key) === name);
  const pair = node.items[index];
  const before = pair?.value as Node | undefined;
  const next = Object.assign(scalarOf(value ?? null), { comment: before?.comment ?? null });
  if (value === undefined) node.items.splice(index, pair ? 1 : 0);
  else if (pair) pair.value = next;
  else node.items.push(new Pair(scalarOf(name), next));
}

function variableNote({ name, ...line }: Variable, { project }: ResourceRef): string {
  return `vars.${name} of ${policyWords(line)} decides, and only ${project.name} uses it`;
}

/** Why something is not said where it was decided so far. */
function elsewhereNote(line: PolicyEntry | Variable, { manifests, thing: { project } }: Subject): string {
  const policy = policyOf(manifests, line);
  const end = policy?.until === undefined ? "" : ` expires on ${policy.until}`;
  const isAlone = policy !== undefined && isOwn(policy, project);
  if (isAlone && end) return `${policyWords(line)}${end}, and what is accepted stays: written without an end date`;
  if (isAlone) return `${policyWords(line)} cannot hold it: said for ${project.name}`;
  const others = `${policyWords(line)} speaks for other projects too`;
  if (end) return `${others}, and${end}: said for ${project.name} alone, without an end date,`;
  return `${others}: said for ${project.name} alone`;
}

function policyWords({ policy, document }: Pick<PolicyEntry, "policy" | "document">): string {
  return `policy ${policy} (${document.file})`;
}

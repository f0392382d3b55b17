import type { Node } from "yaml";
import { importProject } from "../import/import-project.ts";
import { withReferences } from "../import/names.ts";
import { entryNode } from "../import/policy.ts";
import { variablesIn } from "../manifest/deciding-lines.ts";
import { desiredOf } from "../manifest/layers.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { identityOf, policyKind } from "../model/kinds.ts";
import { compareField } from "../model/normalise.ts";
import type { Change, Desired, DesiredProject, Live } from "../model/types.ts";
import { decidingVariable } from "./deciding-variables.ts";
import type { NewEditTarget } from "./edit-targets.ts";
import { type Hunk, withHunks } from "./hunks.ts";
import type { AsCompared } from "./looked-up.ts";
import { type ManifestValue, manifestValue } from "./manifest-value.ts";
import { desiredAfter, type Fleet, type Manifests, type ResourceRef, withText } from "./manifests.ts";
import {
  absenceProposals,
  fieldProposals,
  type Proposal,
  presenceProposals,
  type Subject,
  subjectIn,
} from "./proposals.ts";

/** Manifests with edits towards the live state. */
export interface ManifestDraft {
  readonly manifests: Manifests;
  readonly hunks: readonly Hunk[];
  readonly notes: readonly string[];
  /** A message for each thing that could not be declared. */
  readonly left: readonly string[];
}

/** A change whose live side is to be accepted. `live` is everything that the server reports of it. */
export interface LiveTarget {
  readonly ref: ResourceRef;
  readonly change: Change;
  readonly live: Live | undefined;
  readonly asCompared: AsCompared;
}

/** The context in which edits are tried. */
export interface DraftContext {
  readonly fleet: Fleet;
  readonly newFile: NewEditTarget | undefined;
}

/** Changes the manifests to declare what is live, for this one resource and nothing else in the fleet. */
export function acceptChange(manifests: Manifests, target: LiveTarget, context: DraftContext): ManifestDraft {
  const draft: ManifestDraft = { manifests, hunks: [], notes: [], left: [] };
  const { change, live } = target;
  if (change.action === "create") return acceptAbsence(draft, target, context);
  if (change.action === "update" || change.action === "replace") return acceptFields(draft, target, context);
  return live ? acceptPresence(draft, { ...target, live }, context) : draft;
}

/** Fields set by variables come first, so that an entry that has to be copied keeps them. */
function acceptFields(
  start: ManifestDraft,
  { ref, live, asCompared }: LiveTarget,
  context: DraftContext,
): ManifestDraft {
  if (!live) return start;
  const subject = subjectNow(start, ref, context);
  const all = differing(start.manifests.catalogue, desiredNow(start, ref), { live, asCompared });
  const byVariable = (name: string) => decidingVariable(subject.entry, start.manifests, ref, name) !== undefined;
  const names = [...all.filter(byVariable), ...all.filter((name) => !byVariable(name))];
  return names.reduce((draft, name) => acceptField(draft, { ref, name, live, asCompared }, context), start);
}

/** Fields that differ on the server, sorted. */
function differing(
  catalogue: Catalogue,
  desired: Desired | undefined,
  { live, asCompared }: Pick<FieldTarget, "live" | "asCompared">,
): readonly string[] {
  const fields = Object.entries(desired ? asCompared(desired).fields : {});
  const different = fields.filter(([name, value]) => {
    return compareField(catalogue, live, name, value, live.fields[name]) === "different";
  });
  return different.map(([name]) => name).sort();
}

interface FieldTarget extends Pick<LiveTarget, "ref" | "asCompared"> {
  readonly name: string;
  readonly live: Live;
}

/** One variable may set several fields: no matching field may become different. */
function acceptField(draft: ManifestDraft, target: FieldTarget, context: DraftContext): ManifestDraft {
  const { ref, name, live } = target;
  const { catalogue } = draft.manifests;
  const now = desiredNow(draft, ref);
  const wrong = differing(catalogue, now, target);
  if (!wrong.includes(name)) return draft;
  const spellings = wrong.map(
    (each) => [each, manifestValue(catalogue, ref, each, live.fields[each] ?? null, now?.fields[each])] as const,
  );
  const spelling = new Map(spellings).get(name);
  if (!spelling || "why" in spelling) return { ...draft, left: [...draft.left, spelling?.why ?? ""] };
  const values = new Map(
    spellings.flatMap(([each, converted]) => ("why" in converted ? [] : [[each, converted.value] as const])),
  );
  const subject = subjectNow(draft, ref, context);
  const isDeclared = (desired: DesiredProject) => {
    const resource = desiredResource(desired, ref, catalogue);
    const still = differing(catalogue, resource, target);
    return resource?.presence === "present" && still.every((each) => each !== name && wrong.includes(each));
  };
  const filled = filledIn(catalogue, subject, now);
  return firstOf(fieldProposals(subject, name, { values, filled }), isDeclared, draft, subject, context);
}

/** Fields set by variables, with their current values; secrets stay references. */
function filledIn(
  catalogue: Catalogue,
  { entry, ref }: Subject,
  wanted: Desired | undefined,
): ReadonlyMap<string, ManifestValue> {
  const names = entry?.templates.filter((name) => variablesIn(entry.written?.parameters[name]).length > 0) ?? [];
  return new Map(
    names.flatMap((name) => {
      const converted = manifestValue(catalogue, ref, name, wanted?.fields[name] ?? null, undefined);
      return "why" in converted ? [] : [[name, converted.value] as const];
    }),
  );
}

/** Removing a line may expose one of a less specific layer. */
function acceptAbsence(draft: ManifestDraft, target: LiveTarget, context: DraftContext): ManifestDraft {
  const { ref } = target;
  const { catalogue } = draft.manifests;
  const subject = subjectNow(draft, ref, context);
  const isGone = (desired: DesiredProject) => desiredResource(desired, ref, catalogue)?.presence !== "present";
  const isDeclared = policyKind(catalogue, ref.kind)?.off ? isGone : () => true;
  const next = firstOf(absenceProposals(subject), isDeclared, draft, subject, context);
  if (next.left.length > draft.left.length || desiredNow(next, ref)?.presence !== "present") return next;
  const last = acceptAbsence(next, target, context);
  return last.left.length > draft.left.length ? { ...draft, left: last.left } : last;
}

/** Declares it as `import` does; required values that are unknown become references to be set. */
function acceptPresence(
  draft: ManifestDraft,
  { ref, live }: LiveTarget & { readonly live: Live },
  context: DraftContext,
): ManifestDraft {
  const { project } = ref;
  const { catalogue } = draft.manifests;
  const found = importProject(
    { project, live: [live], others: [], unread: [] },
    context.fleet.workspace.server,
    catalogue,
  );
  const [imported] = withReferences([found], { catalogue });
  const [entry] = imported?.entries ?? [];
  if (!entry) return { ...draft, left: [...draft.left, ...found.remarks] };
  const only = policyKind(catalogue, ref.kind)?.only;
  const blanks = [...entry.fields.values()].flatMap((field) => (field.form === "blank" ? [field.reference] : []));
  const notes = [...entry.remarks, ...blanks.map((reference) => `set ${reference} before apply writes ${ref.key}`)];
  const subject = subjectNow(draft, ref, context);
  const isDeclared = (desired: DesiredProject) => desiredResource(desired, ref, catalogue)?.presence === "present";
  const node = (): Node => entryNode(entry, only);
  return firstOf(
    presenceProposals(subject, node),
    isDeclared,
    { ...draft, notes: [...draft.notes, ...notes] },
    subject,
    context,
  );
}

function subjectNow({ manifests }: ManifestDraft, ref: ResourceRef, { newFile }: DraftContext): Subject {
  return subjectIn(manifests, ref, identityOf(manifests.catalogue, ref), newFile);
}

function desiredNow({ manifests }: ManifestDraft, ref: ResourceRef): Desired | undefined {
  return desiredResource(desiredOf(manifests.policies, ref.project).desired, ref, manifests.catalogue);
}

function desiredResource({ resources }: DesiredProject, ref: ResourceRef, catalogue: Catalogue): Desired | undefined {
  const identity = identityOf(catalogue, ref);
  return resources.find((resource) => resource.identity === identity);
}

/** The first proposal that declares it permanently, else temporarily, and changes nothing else. */
function firstOf(
  proposals: Iterable<Proposal>,
  isDeclared: (desired: DesiredProject) => boolean,
  draft: ManifestDraft,
  subject: Subject,
  { fleet }: DraftContext,
): ManifestDraft {
  let brief: ManifestDraft | undefined;
  for (const proposal of proposals) {
    const { file, texts, until } = proposal;
    const text = texts.at(-1);
    const next = text === undefined ? undefined : withText(draft.manifests, file, text, fleet.workspace);
    const [now, ...later] = (next && desiredAfter(subject.ref, draft.manifests, next, fleet)) ?? [];
    if (!next || !now || !isDeclared(now.desired)) continue;
    const end = later.find(({ desired }) => !isDeclared(desired))?.after;
    if (end === undefined && until === undefined) return withProposal(draft, next, proposal);
    brief ??= withProposal(draft, next, proposal, end);
  }
  return brief ?? { ...draft, left: [...draft.left, whyNot(subject)] };
}

function withProposal(
  draft: ManifestDraft,
  manifests: Manifests,
  { file, texts, note }: Proposal,
  end?: string,
): ManifestDraft {
  const brief = end && `applies until ${end} only, when a policy expires; no manifest can declare it for longer`;
  const notes = [...new Set([...draft.notes, ...(note ? [note] : []), ...(brief ? [brief] : [])])];
  return {
    ...draft,
    manifests,
    hunks: withHunks(draft.hunks, file, [draft.manifests.texts.get(file), ...texts]),
    notes,
  };
}

function whyNot({ entry, ref }: Subject): string {
  const where = entry?.place();
  const line = where ? `; it is decided at ${where.file}:${where.line}` : "";
  return `no manifest can declare it for ${ref.project.name} alone${line}`;
}

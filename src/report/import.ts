import { type Draft, ownerOfDraft } from "../author/import/policy.ts";
import { grouped, groupedAs } from "../base/grouped.ts";
import { printable } from "../base/printable.ts";
import { counted, firstFew, foldedAlike, paragraphs, thousands } from "../base/text-format.ts";
import { selectorKeys } from "../manifest/policy-text.ts";
import { addressOf } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { fieldOf, importedKinds, type PolicyKind, policyKinds } from "../model/kinds.ts";
import { kindWord, owners } from "../model/owner.ts";
import { problemLine, reportedProblem } from "../model/problem-line.ts";
import type { Kind, Problem } from "../model/types.ts";
import { isReference, referencesWithin } from "../model/values.ts";
import { archivedText } from "../plan/heading.ts";
import { type NextStep, nextStepsText, type Palette, widthOf } from "./terminal.ts";

export interface ImportReport {
  /** Paths as given on the command line. */
  readonly written: readonly (readonly [path: string, draft: Draft])[];
  readonly idle: readonly string[];
  readonly archived?: number;
  readonly problems: readonly Problem[];
  /** Parts of another tool's files that no policy can express; undefined for an import of live state. */
  readonly notImported?: readonly Problem[];
  readonly catalogue: Catalogue;
}

export function importText(
  { written, idle, archived = 0, notImported, problems, catalogue }: ImportReport,
  palette: Palette,
  next: readonly NextStep[] = [],
): string {
  const byFile = groupedAs(written, (pair) => pair);
  const counts = [...byFile].map(([path, drafts]) => [path, formatCounts(drafts, catalogue)] as const);
  const alike = foldedAlike(counts, ([, text]) => text);
  const files = columns(
    alike.map(([[path, text], ...others]) => {
      return [others.length === 0 ? path : `${path} and ${counted(others.length, "other")}`, text];
    }),
  );
  const remarks = commonRemarks(written.flatMap(([, draft]) => collectRemarks(draft)));
  const blanks = written.flatMap(([, draft]) => collectBlanks(draft));
  const filling = columns(
    [...grouped(blanks, ({ reference }) => reference)].map(([name, [{ address, parameter }, ...others]]) => {
      return [name, `${address} ${parameter}${others.length > 0 ? ` and ${others.length} more` : ""}`];
    }),
  );
  const literals = notImported ? 0 : countLiterals(written, catalogue);
  const place = byFile.size < written.length ? ` in ${counted(byFile.size, "file", "files")}` : "";
  const parts = [
    part(palette, `Wrote ${counted(written.length, "policy", "policies")}${place}:`, files),
    archived > 0 ? `${archivedText({ archived })}.` : "",
    idle.length > 0 ? `Nothing to import: ${printable(idle.join(", "))}` : "",
    literals > 0
      ? `Wrote ${counted(literals, "value", "values")} as ${literals === 1 ? "a literal" : "literals"}; --values reference writes none.`
      : "",
    part(palette, "Left out or unknown:", remarks),
    part(palette, "Not imported:", foldedAlike(notImported ?? [], formOfOmission).map(omissionLine)),
    part(palette, "Set these secrets before an apply writes these resources:", limitSecrets(filling)),
    notImported ? summary(written, notImported) : "",
    written.length > 0 ? nextStepsText(next, palette) : "",
    written.length + idle.length + problems.length === 0 && !notImported ? nothingFound : "",
  ];
  return paragraphs(parts);
}

const nothingFound = "Nothing to import: the token sees no project. evenkeel whoami shows whose token it is.";

/** Limit of listed secrets; a fleet has thousands. */
const mostSecrets = 10;

function limitSecrets(secrets: readonly string[]): readonly string[] {
  const more = secrets.length - mostSecrets;
  if (more <= 0) return secrets;
  const rest = `and ${thousands(more)} more, which the policies name: --secrets by-group has one for the projects of a group`;
  return [...secrets.slice(0, mostSecrets), rest];
}

/** The grouping key of an omission: its rule, field and reason, without the resource. */
function formOfOmission({ message, rule }: Problem): string {
  const [, field = "", why] = /^(?:(\S+) of )?.*? is left out(?: here)?: (.*)$/s.exec(message) ?? [];
  return why === undefined ? message : JSON.stringify([rule, field, why]);
}

function omissionLine([first, ...others]: readonly [Problem, ...Problem[]]): string {
  if (others.length === 0) return problemLine(first);
  const places = others.flatMap(({ place }) => (place ? [`${place.file}:${place.line}:${place.column}`] : []));
  return problemLine({
    ...first,
    message: `${first.message}; ${others.length} more alike, at ${firstFew([...new Set(places)])}`,
  });
}

function summary(written: ImportReport["written"], notImported: readonly Problem[]): string {
  const drafts = written.map(([, draft]) => draft);
  const gone = goneCounts(drafts);
  const taken = gone.reduce((sum, [count]) => sum + count, drafts.flatMap(({ entries }) => entries).length);
  const words = gone.map(([count, word]) => `, ${count} of them as ${word}`);
  return `Imported: ${taken}${words.join("")}. Not imported: ${notImported.length}.`;
}

/** The numbers of entries that turn something off. */
function goneCounts(drafts: readonly Draft[]): readonly (readonly [count: number, word: string])[] {
  const counts = (["disabled", "absent"] as const).map(
    (word) => [drafts.flatMap((draft): readonly unknown[] => draft[word] ?? []).length, word] as const,
  );
  return counts.filter(([count]) => count > 0);
}

function part(palette: Palette, title: string, lines: readonly string[]): string {
  return lines.length > 0 ? [palette.strong(title), ...lines.map((line) => `  ${line}`)].join("\n") : "";
}

function columns(rows: readonly (readonly [left: string, right: string])[]): readonly string[] {
  const width = widthOf(rows.map(([left]) => left));
  return rows.map(([left, right]) => printable(`${left.padEnd(width)}  ${right}`));
}

function formatCounts(drafts: readonly Draft[], catalogue: Catalogue): string {
  const entries = drafts.flatMap((draft) => draft.entries);
  const kinds = grouped(listKinds(drafts, catalogue), ({ section }) => section);
  const counts = Array.from(kinds, ([section, rows]) => {
    const count = rows.flatMap(({ kind }) => listKeys(entries, kind)).length;
    const one = kindWord(rows[0]?.kind ?? section);
    return count === 0 ? "" : count === 1 && one === section ? one : counted(count, one, section);
  });
  const gone = goneCounts(drafts).map(([count, word]) => `${count} ${word}`);
  return [...counts, ...gone].filter(Boolean).join(", ") || "only comments";
}

function listKinds(drafts: readonly Draft[], catalogue: Catalogue): readonly PolicyKind[] {
  const ofThem = new Set(drafts.map(ownerOfDraft));
  const always = new Set([...ofThem].flatMap((owner) => importedKinds(catalogue, owner).map(({ kind }) => kind)));
  const occurring = new Set(drafts.flatMap(({ entries }) => entries.map(({ kind }) => kind)));
  return owners
    .flatMap((owner) => policyKinds(catalogue, owner))
    .filter(({ kind }) => always.has(kind) || occurring.has(kind));
}

/** A remark on one project or policy. `text` follows the name: the resource, and the words. */
interface Remark {
  readonly name: string;
  readonly text: string;
}

function collectRemarks({ name: policy, projects: [first, ...others], entries, remarks }: Draft): readonly Remark[] {
  const name = first === undefined || others.length > 0 ? policy : String(first);
  const ofEntries = entries.flatMap((entry) =>
    entry.remarks.map((remark) => ({ name, text: `${addressOf("", entry.kind, entry.key)}: ${remark}` })),
  );
  return [...ofEntries, ...remarks.map((remark) => ({ name, text: `: ${remark}` }))];
}

/** Beyond this number, projects with the same remark share a line. */
const mostAlike = 3;

function commonRemarks(remarks: readonly Remark[]): readonly string[] {
  const alike = groupedAs(remarks, ({ text, name }) => [text, name]);
  return [...alike].flatMap(([text, names]) =>
    names.length > mostAlike
      ? [printable(`${text.replace(/^:\s*/, "")}, in ${firstFew(names, mostAlike)}`)]
      : names.map((name) => printable(`${name}${text}`)),
  );
}

/** The secrets that a policy refers to, by resource and parameter. */
function collectBlanks({ projects, entries }: Draft) {
  return entries.flatMap(({ kind, key, fields }) =>
    [...fields].flatMap(([parameter, stated]) =>
      referencesWithin(stated).flatMap(({ secret: reference }) =>
        projects.map((project) => ({ reference, address: addressOf(String(project), kind, key), parameter })),
      ),
    ),
  );
}

function countLiterals(written: ImportReport["written"], catalogue: Catalogue): number {
  const entries = written.flatMap(([, draft]) => draft.entries);
  return entries.flatMap((entry) =>
    [...entry.fields].filter(([name, value]) => !isReference(value) && fieldOf(catalogue, entry, name)?.writeOnly),
  ).length;
}

export function importJson({ written, idle, archived = 0, problems, notImported, catalogue }: ImportReport): string {
  const policies = written.map(([file, draft]) => ({
    file,
    name: draft.name,
    [selectorKeys[ownerOfDraft(draft)]]: ownerOfDraft(draft) === "instance" ? true : draft.projects,
    ...(draft.except.length > 0 && { except: draft.except }),
    ...Object.fromEntries(
      listKinds([draft], catalogue).map(({ kind, section }) => [section, listKeys(draft.entries, kind)]),
    ),
    ...(draft.disabled && { disabled: draft.disabled }),
    to_fill_in: collectBlanks(draft),
    remarks: collectRemarks(draft).map(({ name, text }) => printable(`${name}${text}`)),
  }));
  const rest = notImported
    ? { not_imported: notImported.map(reportedProblem) }
    : { literals: countLiterals(written, catalogue), nothing_to_import: idle, archived };
  return JSON.stringify({ policies, ...rest, problems: problems.map(reportedProblem) }, null, 2);
}

function listKeys(entries: Draft["entries"], kind: Kind): readonly string[] {
  return entries.filter((entry) => entry.kind === kind).map(({ key }) => key);
}

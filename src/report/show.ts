import { printable } from "../base/printable.ts";
import type { LineCommit } from "../git/blame.ts";
import { addressOf } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { kindOf, policyKinds } from "../model/kinds.ts";
import { kindWord, ownerOfName } from "../model/owner.ts";
import type { Desired, DesiredProject, Kind, Origin, Place, Value } from "../model/types.ts";
import { isReference, isScalar } from "../model/values.ts";
import type { RunOutcome } from "../state/journal.ts";
import { columns, type Palette } from "./terminal.ts";

/** The desired state of a project much as a policy would say it, each entry with the place that it comes from. */
export function showText({ project, resources, exclusive }: DesiredProject, catalogue: Catalogue): string {
  const lines = policyKinds(catalogue, ownerOfName(project.name)).flatMap(({ kind, section, only }) => {
    const entries = resources.filter((resource) => resource.kind === kind);
    const origin = exclusive.get(kind);
    if (entries.length === 0 && !origin) return [];
    const title = origin ? `${section}:  # exclusive: anything else is turned off: ${placeOf(origin)}` : `${section}:`;
    const gone = kindOf(catalogue, kind).removal === "disable" ? "disabled" : "absent";
    const shown: Shown = { ...(only !== undefined && { only }), gone };
    if (entries[0]?.key === "") return entries.flatMap((entry) => entryLines(section, entry, shown));
    return [title, ...entries.flatMap((entry) => entryLines(scalar(entry.key), entry, shown).map(indented))];
  });
  const body = lines.length > 0 ? lines : ["# no policy declares anything here"];
  return `${[`# ${project.name}`, ...body].map(printable).join("\n")}\n`;
}

function indented(line: string): string {
  return `  ${line}`;
}

/** How resources of a kind are shown: the field that stands for all, and what one is that must not be there. */
interface Shown {
  readonly only?: string;
  readonly gone: "disabled" | "absent";
}

/** A resource under its key, or a singleton under its section. */
function entryLines(name: string, resource: Desired, { only, gone }: Shown): readonly string[] {
  const { presence, fields, origin } = resource;
  const line = (text: string) => `${name}:${text}  # ${placeOf(origin)}`;
  if (presence === "absent") return [line(` ${gone}`)];
  if (only !== undefined) return [line(` ${written(fields[only] ?? null)}`)];
  const names = Object.keys(fields).sort();
  if (names.length === 0) return [line(" {}")];
  const places = fieldPlaces(resource);
  const placed = (field: string) => {
    const place = places?.[field] && lineOf(places[field]);
    return place === undefined || place === placeOf(origin) ? "" : `  # ${place}`;
  };
  return [line(""), ...names.map((field) => `  ${field}: ${written(fields[field] ?? null)}${placed(field)}`)];
}

/** Where each field of a singleton comes from, since layers merge it by field; undefined of any other resource. */
function fieldPlaces({ key, fields, origin }: Desired): Readonly<Record<string, Place>> | undefined {
  if (key !== "") return undefined;
  return Object.fromEntries(Object.keys(fields).map((name) => [name, origin.fieldPlace?.(name) ?? origin.place()]));
}

function written(value: Value): string {
  if (isScalar(value)) return scalar(value);
  if (!isReference(value)) return JSON.stringify(value);
  const version = value.version === undefined ? "" : `, version: ${value.version}`;
  return `{ secret: ${scalar(value.secret)}${version} }`;
}

/** Quoted where YAML would read it as something else. */
function scalar(value: string | number | boolean | null): string {
  if (typeof value !== "string") return String(value);
  const isPlain = /^[A-Za-z_/][\w./@:+-]*$/.test(value) && !value.endsWith(":") && !reserved.test(value);
  return isPlain ? value : JSON.stringify(value);
}

const reserved = /^(?:true|false|null|yes|no|on|off)$/i;

function placeOf(origin: Origin): string {
  return lineOf(origin.place());
}

function lineOf({ file, line }: Place): string {
  return `${file}:${line}`;
}

/** The same for scripts: secrets stay references. */
export function showJson({ project, resources, exclusive }: DesiredProject): string {
  const shown = {
    project: project.name,
    resources: resources.map((resource) => {
      const { kind, key, presence, fields, origin } = resource;
      return {
        address: addressOf(project.name, kind, key),
        kind: kindWord(kind),
        key,
        presence,
        fields,
        source: origin.place(),
        field_sources: fieldPlaces(resource),
      };
    }),
    exclusive: [...exclusive].map(([kind, origin]) => ({ kind: kindWord(kind), source: origin.place() })),
  };
  return JSON.stringify(shown, null, 2);
}

/** A line that has a say, and who wrote it. */
export interface BlamedLine {
  readonly role: "entry" | "parameter" | "variable" | "overridden";
  readonly what: string;
  readonly place: Place;
  readonly policy: string;
  /** By which the policy means the project. */
  readonly selector: string;
  /** Null where the line is not committed yet; undefined where git cannot tell. */
  readonly commit: LineCommit | null | undefined;
}

/** All that is known of why a resource is as it is. */
export interface Blaming {
  readonly address: string;
  readonly project: string;
  readonly kind: Kind;
  readonly key: string;
  /** The line that decides is the first. */
  readonly lines: readonly BlamedLine[];
  /** Why no commits are named; null where they are. */
  readonly git: string | null;
  /** The last run that applied it is the last of them; those before it came later. */
  readonly outcomes: readonly RunOutcome[];
}

/** The lines that decide, each with its commit, and what runs did. */
export function blameText({ address, lines, outcomes }: Blaming, palette: Palette): string {
  const rows = lines.map(rowOf);
  const runs = outcomes.map((outcome) => `  ${printable(runWords(outcome))}`);
  return [
    palette.strong(printable(address)),
    columns(["LINE", "ENTRY", "POLICY", "COMMIT", "DATE", "AUTHOR", "SUBJECT"], rows, palette),
    "",
    runs.length > 0 ? runs.join("\n") : "  No run in the journal applied it.",
  ].join("\n");
}

function rowOf({ what, place, policy, selector, commit }: BlamedLine): readonly string[] {
  const where = `${place.file}:${place.line}:${place.column}`;
  return [where, what, `${policy} (${selector})`, ...commitCells(commit)].map(printable);
}

function commitCells(commit: BlamedLine["commit"]): readonly string[] {
  if (commit === undefined) return [];
  if (commit === null) return ["not committed"];
  const sha = `${commit.sha.slice(0, 10)}${commit.shallow ? " or earlier (shallow clone)" : ""}`;
  return [sha, commit.date.slice(0, 10), commit.author, commit.subject];
}

function runWords({ run, who, at, status, error, commit }: RunOutcome): string {
  const from = commit ? ` at ${commit.slice(0, 10)}` : "";
  return `${status} by run ${run}, ${at}, ${who ?? "somebody"}${from}${error ? `: ${error}` : ""}`;
}

/** The same for scripts. */
export function blameJson({ lines, outcomes, ...blaming }: Blaming): string {
  const shownLines = lines.map(({ role, what, place, policy, selector, commit }) => ({
    role,
    what,
    ...place,
    policy,
    selector,
    committed: commit === undefined ? null : commit !== null,
    commit: commit ?? null,
  }));
  const [decides = null] = shownLines;
  const last_applied = outcomes.find(({ status }) => status === "applied") ?? null;
  const tried_since = outcomes.filter(({ status }) => status !== "applied");
  return JSON.stringify({ ...blaming, decides, lines: shownLines, last_applied, tried_since }, null, 2);
}

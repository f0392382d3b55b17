import { printable } from "../base/printable.ts";
import type { LineCommit } from "../git/blame.ts";
import { sectionPath } from "../manifest/policy-text.ts";
import { addressOf } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { kindOf, policyKinds } from "../model/kinds.ts";
import { kindWord, ownerOfName } from "../model/owner.ts";
import type { Desired, DesiredProject, Kind, Origin, Place, Value } from "../model/types.ts";
import { isReference, isScalar } from "../model/values.ts";
import { lineText } from "../plan/groups.ts";
import type { RunOutcome } from "../state/journal.ts";
import { columns, type Palette } from "./terminal.ts";

/** The desired state of a project, written like a policy, each entry with its origin. */
export function showText({ project, resources, exclusive }: DesiredProject, catalogue: Catalogue): string {
  const opened = new Set<string>();
  const indent = (line: string) => `  ${line}`;
  const lines = policyKinds(catalogue, ownerOfName(project.name)).flatMap(({ kind, section: path, only }) => {
    const [section = path, above] = sectionPath(path).toReversed();
    const entries = resources.filter((resource) => resource.kind === kind);
    const origin = exclusive.get(kind);
    if (entries.length === 0 && !origin) return [];
    const title = origin
      ? `${section}:  # exclusive: anything else is turned off: ${formatOrigin(origin)}`
      : `${section}:`;
    const gone = kindOf(catalogue, kind).removal === "disable" ? "disabled" : "absent";
    if (entries[0]?.key === "") return entries.flatMap((entry) => entryLines(section, entry, gone, only));
    const below = entries.flatMap((entry) => entryLines(formatScalar(entry.key), entry, gone, only));
    const listed = [title, ...below.map(indent)];
    if (above === undefined) return listed;
    const isOpen = opened.has(above);
    opened.add(above);
    return [...(isOpen ? [] : [`${above}:`]), ...listed.map(indent)];
  });
  const body = lines.length > 0 ? lines : ["# no policy declares anything here"];
  return `${[`# ${project.name}`, ...body].map(printable).join("\n")}\n`;
}

function entryLines(name: string, resource: Desired, gone: string, only: string | undefined): readonly string[] {
  const { presence, fields, origin } = resource;
  const line = (text: string) => `${name}:${text}  # ${formatOrigin(origin)}`;
  if (presence === "absent") return [line(` ${gone}`)];
  if (only !== undefined) return [line(` ${formatValue(fields[only] ?? null)}`)];
  const names = Object.keys(fields).sort();
  if (names.length === 0) return [line(" {}")];
  const places = fieldPlaces(resource);
  const placed = (field: string) => {
    const place = places?.[field] && lineText(places[field]);
    return place === undefined || place === formatOrigin(origin) ? "" : `  # ${place}`;
  };
  return [line(""), ...names.map((field) => `  ${field}: ${formatValue(fields[field] ?? null)}${placed(field)}`)];
}

/** The origin of each field of a singleton, which layers merge field by field; undefined for other resources. */
function fieldPlaces({ key, fields, origin }: Desired): Readonly<Record<string, Place>> | undefined {
  if (key !== "" && !origin.fieldPolicy) return undefined;
  return Object.fromEntries(Object.keys(fields).map((name) => [name, origin.fieldPlace?.(name) ?? origin.place()]));
}

function formatValue(value: Value): string {
  if (isScalar(value)) return formatScalar(value);
  if (!isReference(value)) return JSON.stringify(value);
  const version = value.version === undefined ? "" : `, version: ${value.version}`;
  return `{ secret: ${formatScalar(value.secret)}${version} }`;
}

/** Quoted if YAML would read it as something else. */
function formatScalar(value: string | number | boolean | null): string {
  if (typeof value !== "string") return String(value);
  const isPlain = /^[A-Za-z_/][\w./@:+-]*$/.test(value) && !value.endsWith(":") && !reserved.test(value);
  return isPlain ? value : JSON.stringify(value);
}

const reserved = /^(?:true|false|null|yes|no|on|off)$/i;

function formatOrigin(origin: Origin): string {
  return lineText(origin.place());
}

/** The document of `show --report json`: secrets stay references. */
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

export interface BlamedLine {
  readonly role: "entry" | "parameter" | "variable" | "overridden";
  readonly what: string;
  readonly place: Place;
  readonly policy: string;
  readonly selector: string;
  /** Null if the line is not committed yet; undefined if git cannot tell. */
  readonly commit: LineCommit | null | undefined;
}

export interface Blaming {
  readonly address: string;
  readonly project: string;
  readonly kind: Kind;
  readonly key: string;
  /** The deciding line comes first. */
  readonly lines: readonly BlamedLine[];
  readonly git: string | null;
  /** Newest first, up to the last run that applied the resource. */
  readonly outcomes: readonly RunOutcome[];
}

export function blameText({ address, lines, outcomes }: Blaming, palette: Palette): string {
  const rows = lines.map(({ what, place, policy, selector, commit }) => {
    const where = `${place.file}:${place.line}:${place.column}`;
    return [where, what, `${policy} (${selector})`, ...commitCells(commit)].map(printable);
  });
  const runs = outcomes.map(({ run, who, at, status, error, commit }) => {
    const from = commit ? ` at ${commit.slice(0, 10)}` : "";
    const text = `${status} by run ${run}, ${at}, ${who ?? "somebody"}${from}${error ? `: ${error}` : ""}`;
    return `  ${printable(text)}`;
  });
  return [
    palette.strong(printable(address)),
    columns(["LINE", "ENTRY", "POLICY", "COMMIT", "DATE", "AUTHOR", "SUBJECT"], rows, palette),
    "",
    runs.length > 0 ? runs.join("\n") : "  No run in the journal applied it.",
  ].join("\n");
}

function commitCells(commit: BlamedLine["commit"]): readonly string[] {
  if (commit === undefined) return [];
  if (commit === null) return ["not committed"];
  const sha = `${commit.sha.slice(0, 10)}${commit.shallow ? " or earlier (shallow clone)" : ""}`;
  return [sha, commit.date.slice(0, 10), commit.author, commit.subject];
}

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

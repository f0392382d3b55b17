import { isDeepStrictEqual } from "node:util";
import { interpolate } from "../../manifest/template.ts";
import { bareName, ownerOfName } from "../../model/owner.ts";
import type { Project, Value } from "../../model/types.ts";
import type { ImportedEntry } from "./policy.ts";

/** Facts of a project or group that texts may contain, in the order in which they are looked for. */
const factNames = ["path", "name", "id"] as const;

export type FactName = (typeof factNames)[number];

/** Replaces facts of the project in texts by interpolations. */
export function withTemplates(
  entry: ImportedEntry,
  project: Project,
  names: readonly FactName[] = ["path"],
): ImportedEntry {
  const facts = factNames.filter((name) => names.includes(name)).flatMap((name) => readFact(project, name) ?? []);
  if (facts.length === 0) return entry;
  const fields = Array.from(entry.fields, ([name, value]) => [name, withFacts(value, facts)] as const);
  return { ...entry, fields: new Map(fields) };
}

interface Fact {
  /** `project.name`. */
  readonly reference: string;
  readonly value: string;
  /** Matches the value as a whole word. */
  readonly pattern: string;
}

/** Only for the exact path of the server, with a slash. */
function readFact(project: Project, name: FactName): Fact | undefined {
  const { id } = project;
  const path = bareName(project.path ?? "");
  if (id === undefined || !path.includes("/")) return undefined;
  const value = { path, name: path.slice(path.lastIndexOf("/") + 1), id: String(id) }[name];
  const text = value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const pattern = name === "path" ? text : name === "id" ? `(?<!\\d)${text}(?!\\d)` : `(?<![\\w-])${text}(?![\\w-])`;
  return { reference: `${ownerOfName(project.name)}.${name}`, value, pattern };
}

function withFacts(value: Value, facts: readonly Fact[]): Value {
  if (typeof value !== "string") return value;
  const pattern = new RegExp(`(${facts.map((fact) => fact.pattern).join("|")})`, "u");
  const parts = value.split(pattern);
  if (parts.length === 1) return value;
  const textOf = (part: string) => facts.find((fact) => fact.value === part)?.reference;
  const text = parts.map((part, index) => (index % 2 === 1 ? `\${${textOf(part)}}` : part)).join("");
  const known = new Map(facts.map((fact) => [fact.reference, fact.value]));
  const [read, plain] = [text, value].map((each) => interpolate(each, (name) => ({ value: known.get(name) ?? "" })));
  return isDeepStrictEqual(read, plain) ? text : value;
}

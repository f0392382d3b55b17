import { isObject } from "../../../../base/json.ts";
import type { Owner } from "../../../../model/owner.ts";
import type { Place, Problem } from "../../../../model/types.ts";
import { withoutPasswords } from "../../plain-values.ts";
import { lostIn } from "../field-table.ts";
import { type ForeignValue, notImported, type TranslatedEntry } from "../foreign.ts";
import { type ConfigLevel, isEmptyValue, stepInto } from "./configuration.ts";
import type { Key, SectionResource } from "./inherit.ts";

/** The complete declaration of one resource, because policies do not merge entries. */
export interface Statement extends SectionResource {
  readonly key: Key;
  /** The levels that contribute to it, the most specific first. */
  readonly levels: readonly ConfigLevel[];
  readonly owner: Owner;
  /** Selectors; those of groups end in a slash. */
  readonly projects: readonly string[];
  readonly except: ReadonlySet<string>;
}

/** The contents of a statement with their locations, without the flags that mark it as absent. */
export function statedValues(statement: Statement): readonly (readonly [name: string, value: ForeignValue])[] {
  const flags = listFlags(statement);
  const stated = statedKeys(statement).filter(([name]) => !flags.has(name) && name !== "inherit");
  return stated.map(([name, value]) => {
    const truth = typeof value === "string" ? truths.get(value.toLowerCase()) : undefined;
    const hint = truth === undefined ? undefined : `; ${value} is a text in YAML 1.2, write ${truth}`;
    return [name, { value, from: [name], hint, place: () => placeOf(statement, name) }];
  });
}

/** Booleans of YAML 1.1. */
const truths = new Map(Object.entries({ yes: true, on: true, no: false, off: false }));

function statedKeys({ value }: Statement): readonly (readonly [name: string, value: unknown])[] {
  return isObject(value) ? Object.entries(value) : [];
}

export function titleOf({ section, name }: SectionResource): string {
  if (name === "") return section;
  return section === "integrations" ? name : `${withoutPasswords(name)} of ${section}`;
}

/** The location of a statement, or of a part of it, at the most specific level that contains it. */
export function placeOf(statement: Statement, ...within: readonly string[]): Place {
  const path = statementPath(statement, within);
  const stating = statement.levels.find((level) => isIn(level, path)) ?? statement.levels.at(-1);
  return stating?.place(...path) ?? { file: "", line: 1, column: 1 };
}

/** The location of a flag; that of the whole statement if a more specific level has it without the flag. */
export function placeOfFlag(statement: Statement, flag: string): Place {
  const stating = statement.levels.find((level) => isIn(level, statementPath(statement)));
  return stating && isIn(stating, statementPath(statement, [flag])) ? placeOf(statement, flag) : placeOf(statement);
}

/** True if the most specific level of a statement declares at least a part of it itself. */
export function statesItself(statement: Statement, ...within: readonly string[]): boolean {
  const [own] = statement.levels;
  return own !== undefined && isIn(own, statementPath(statement, within));
}

function statementPath({ section, name, table }: SectionResource, within: readonly string[] = []): readonly string[] {
  const steps = section.split(".");
  // Within a section, the mapping around a part has its enforce.
  if (name === "enforce" && steps.length > 1) return [...steps.slice(0, -1), name, ...within];
  return [...steps, ...(name === "" || table.list ? [] : [name]), ...within];
}

function isIn({ config }: ConfigLevel, path: readonly string[]): boolean {
  return path.reduce<unknown>(stepInto, config) !== undefined;
}

/** The flags of a statement, with the values that mean absence. */
function listFlags({ table }: Statement): ReadonlyMap<string, unknown> {
  return new Map(table.one ? [] : Object.entries({ delete: true, ...table.absent }));
}

/** A flag that is neither true nor false. */
export function wrongFlag(statement: Statement): string | undefined {
  const flags = listFlags(statement);
  const isWrong = (value: unknown) => value !== null && typeof value !== "boolean";
  return statedKeys(statement).find(([name, value]) => flags.has(name) && isWrong(value))?.[0];
}

export function hasToBeAbsent(statement: Statement): boolean {
  const flags = listFlags(statement);
  return statedKeys(statement).some(([name, value]) => flags.has(name) && flags.get(name) === value);
}

/** Reports keys of a statement that are not inherited and that neither its entry covers nor a problem names. */
export function unnamedKeys(statement: Statement, { named }: TranslatedEntry): readonly Problem[] {
  if (named === undefined) return [];
  const flags = listFlags(statement);
  const known = new Set([...named, "inherit"]);
  const own = statedKeys(statement).filter(([key]) => statesItself(statement, key));
  return own.flatMap(([key, value]) => {
    if (known.has(key) || (flags.has(key) && typeof value === "boolean")) return lostWithin(statement, key, value);
    const why = hasToBeAbsent(statement) ? "it has to be absent" : "another key decides it";
    return [leaveOut(statement, [key], isEmptyValue(value) ? "it is empty" : why)];
  });
}

function lostWithin(statement: Statement, key: string, value: unknown): readonly Problem[] {
  return lostIn(statement.table, key, value).map((path) => {
    const isEmpty = isEmptyValue(path.reduce<unknown>(stepInto, value));
    return leaveOut(statement, [key, ...path], isEmpty ? "it is empty" : "another key, or the server, decides it");
  });
}

function leaveOut(statement: Statement, path: readonly string[], why: string): Problem {
  return notImported(placeOf(statement, ...path), `${path.join(".")} of ${titleOf(statement)} is left out: ${why}`);
}

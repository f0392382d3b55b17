import { isObject } from "../../../../base/json.ts";
import type { Owner } from "../../../../model/owner.ts";
import type { Place, Problem } from "../../../../model/types.ts";
import { withoutPasswords } from "../../plain-values.ts";
import { lostIn } from "../field-table.ts";
import { type ForeignValue, notImported, type TranslatedEntry } from "../foreign.ts";
import {
  type ConfigLevel,
  type Configuration,
  isEmptyValue,
  sectionAndName,
  sectionTable,
  stepInto,
  truths,
} from "./configuration.ts";
import type { Key } from "./inherit.ts";

/** The complete declaration of one resource, because policies do not merge entries. */
export interface Statement {
  readonly key: Key;
  /** Its section and name. */
  readonly id: string;
  readonly value: unknown;
  /** The levels that contribute to it, the most specific first. */
  readonly levels: readonly ConfigLevel[];
  readonly owner: Owner;
  /** Selectors; those of groups end in a slash. */
  readonly projects: readonly string[];
  readonly except: ReadonlySet<string>;
}

/** The parameters or fields that a statement contains, each with its location. */
type Body = ReadonlyMap<string, ForeignValue>;

/** The contents of a statement, without the flags that mark it as absent. */
export function statedValues(statement: Statement, { isYaml11 }: Configuration): Body {
  const decisive = listFlags(statement);
  const stated = statedKeys(statement).filter(([name]) => !decisive.has(name));
  return new Map(
    stated.map(([name, value]): [string, ForeignValue] => {
      const truth = typeof value === "string" ? truths.get(value.toLowerCase()) : undefined;
      const place = () => placeOf(statement, name);
      if (truth === undefined || isYaml11) return [name, { value, truth, from: [name], place }];
      return [name, { value, hint: `; ${value} is a text in YAML 1.2, write ${truth}`, from: [name], place }];
    }),
  );
}

function statedKeys({ value }: Statement): readonly (readonly [name: string, value: unknown])[] {
  return isObject(value) ? Object.entries(value) : [];
}

export function titleOf({ id }: Statement): string {
  const [section, name] = sectionAndName(id);
  if (name === "") return section;
  return section === "integrations" ? name : `${withoutPasswords(name)} of ${section}`;
}

/** The location of a statement, or of a part of it, at the most specific level that contains it. */
export function placeOf({ id, levels }: Statement, ...within: readonly string[]): Place {
  const path = statementPath(id, within);
  const stating = levels.find((level) => isIn(level, path)) ?? levels.at(-1);
  return stating?.place(...path) ?? { file: "", line: 1, column: 1 };
}

/** The location of a flag; that of the whole statement if a more specific level has it without the flag. */
export function placeOfFlag(statement: Statement, flag: string): Place {
  const { id, levels } = statement;
  const stating = levels.find((level) => isIn(level, statementPath(id, [])));
  return stating && isIn(stating, statementPath(id, [flag])) ? placeOf(statement, flag) : placeOf(statement);
}

/** True if the most specific level of a statement declares at least a part of it itself. */
export function statesItself({ id, levels: [own] }: Statement, ...within: readonly string[]): boolean {
  return own !== undefined && isIn(own, statementPath(id, within));
}

function statementPath(id: string, within: readonly string[]): readonly string[] {
  const [section, name] = sectionAndName(id);
  const steps = section.split(".");
  // Within a section, the mapping around a part has its enforce.
  if (name === "enforce" && steps.length > 1) return [...steps.slice(0, -1), name, ...within];
  const isKey = name !== "" && !sectionTable(section)?.list;
  return [...steps, ...(isKey ? [name] : []), ...within];
}

function isIn({ config }: ConfigLevel, path: readonly string[]): boolean {
  return path.reduce<unknown>(stepInto, config) !== undefined;
}

/** The flags of a statement, with the values that mean absence. */
function listFlags({ id }: Statement): ReadonlyMap<string, unknown> {
  const table = sectionTable(sectionAndName(id)[0]);
  return new Map(table?.one ? [] : Object.entries({ delete: true, ...table?.absent }));
}

/** The keys that decide whether a statement's resource has to be absent: the flags that are set, and `inherit`. */
function decisiveKeys(statement: Statement): readonly string[] {
  const flags = listFlags(statement);
  const set = statedKeys(statement).filter(([name, value]) => flags.has(name) && typeof value === "boolean");
  return ["inherit", ...set.map(([name]) => name)];
}

/** A flag that is neither true nor false. */
export function wrongFlag(statement: Statement): string | undefined {
  const flags = listFlags(statement);
  const wrong = statedKeys(statement).find(
    ([name, value]) => flags.has(name) && value !== null && typeof value !== "boolean",
  );
  return wrong?.[0];
}

/** True if a statement's resource has to be absent. */
export function hasToBeAbsent(statement: Statement): boolean {
  const flags = listFlags(statement);
  return statedKeys(statement).some(([name, value]) => flags.has(name) && flags.get(name) === value);
}

/** Reports keys of a statement that are not inherited and that neither its entry covers nor a problem names. */
export function unnamedKeys(statement: Statement, { named }: TranslatedEntry): readonly Problem[] {
  if (named === undefined) return [];
  const known = new Set([...named, ...decisiveKeys(statement)]);
  const own = statedKeys(statement).filter(([key]) => statesItself(statement, key));
  return own.flatMap(([key, value]) => {
    if (known.has(key)) return lostWithin(statement, key, value);
    const why = hasToBeAbsent(statement) ? "it has to be absent" : "another key decides it";
    return [leaveOut(statement, [key], isEmptyValue(value) ? "it is empty" : why)];
  });
}

function lostWithin(statement: Statement, key: string, value: unknown): readonly Problem[] {
  const table = sectionTable(sectionAndName(statement.id)[0]);
  if (!table) return [];
  return lostIn(table, key, value).map((path) => {
    const lost = path.reduce<unknown>(stepInto, value);
    return leaveOut(
      statement,
      [key, ...path],
      isEmptyValue(lost) ? "it is empty" : "another key, or the server, decides it",
    );
  });
}

function leaveOut(statement: Statement, path: readonly string[], why: string): Problem {
  return notImported(placeOf(statement, ...path), `${path.join(".")} of ${titleOf(statement)} is left out: ${why}`);
}

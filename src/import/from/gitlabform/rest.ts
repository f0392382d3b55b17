import type { Problem } from "../../../model/types.ts";
import { lostIn } from "../field-table.ts";
import { notImported, type TranslatedEntry } from "../foreign.ts";
import { sectionAndName, sectionTable } from "./sections.ts";
import {
  decisiveKeys,
  hasToBeAbsent,
  placeOf,
  type Statement,
  statedKeys,
  statesItself,
  titleOf,
} from "./statement.ts";
import { isEmptyValue, stepInto } from "./values.ts";

/** Reports the keys that a statement does not inherit and that neither its entry states nor a problem of the entry names. */
export function unnamedKeys(statement: Statement, { named }: TranslatedEntry): readonly Problem[] {
  if (named === undefined) return [];
  const known = new Set([...named, ...decisiveKeys(statement)]);
  const own = statedKeys(statement).filter(([key]) => statesItself(statement, key));
  return own.flatMap(([key, value]) => {
    if (known.has(key)) return lostWithin(statement, key, value);
    const why = hasToBeAbsent(statement) ? "it has to be absent" : "another key decides it";
    return [left(statement, [key], isEmptyValue(value) ? "it is empty" : why)];
  });
}

function lostWithin(statement: Statement, key: string, value: unknown): readonly Problem[] {
  const table = sectionTable(sectionAndName(statement.id)[0]);
  if (!table) return [];
  return lostIn(table, key, value).map((path) => {
    const lost = path.reduce<unknown>(stepInto, value);
    return left(
      statement,
      [key, ...path],
      isEmptyValue(lost) ? "it is empty" : "another key, or the server, decides it",
    );
  });
}

function left(statement: Statement, path: readonly string[], why: string): Problem {
  return notImported(placeOf(statement, ...path), `${path.join(".")} of ${titleOf(statement)} is left out: ${why}`);
}

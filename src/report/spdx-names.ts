import table from "../../schemas/spdx-licenses.json" with { type: "json" };
import { firstFew } from "../base/text-format.ts";

const names = new Map(Object.entries(table.names).map(([id, name]) => [id.toLowerCase(), name]));

/** Names as license approval policies match them, each once, and what there is to say of them. */
export interface MatchedNames {
  readonly names: readonly string[];
  /** A sentence each. */
  readonly remarks: readonly string[];
}

/** What has a version behind a dash and no space in it. */
const identifier = /^[A-Za-z][\w.+]*(?:-[\w.+]+)*-v?\d[\w.+]*(?:-[\w.+]+)*$/;

/**
 * Names of licenses for servers, which match names such as MIT License: identifiers of the SPDX list become the names that
 * it has for them; a name longer than `most` characters, which servers refuse, is left out.
 */
export function matchedNames(written: readonly string[], most: number): MatchedNames {
  const long = written.filter((name) => [...name].length > most);
  const kept = written.filter((name) => !long.includes(name));
  const replaced = kept.filter((name) => (names.get(name.toLowerCase()) ?? name) !== name);
  const odd = kept.filter((name) => !names.has(name.toLowerCase()) && identifier.test(name));
  const shown = replaced.map((name) => `${name} as ${names.get(name.toLowerCase())}`);
  return {
    names: [...new Set(kept.map((name) => names.get(name.toLowerCase()) ?? name))],
    remarks: [
      ...(replaced.length > 0
        ? [`servers match names, so SPDX identifiers are written as names: ${firstFew(shown)}`]
        : []),
      ...(odd.length > 0
        ? [`looks like an SPDX identifier but is not in the list, and servers match names: ${firstFew(odd)}`]
        : []),
      ...long.map(
        (name) => `left out, since a name has at most ${most} characters: ${[...name].slice(0, 60).join("")}…`,
      ),
    ],
  };
}

import type { Catalogue } from "../../model/catalogue.ts";
import { sectionNameOf } from "../../model/kinds.ts";
import type { Live } from "../../model/types.ts";

/** That live resources have names which differ in case alone. */
export function caseWords(namesakes: readonly Live[]): string {
  const names = namesakes.map(({ key, id }) => (id === undefined ? key : `${key} (id ${id})`)).join(" and ");
  return `the server has ${names}, which differ only in case`;
}

/** That live resources of one kind have one name. */
export function severalWords(catalogue: Catalogue, namesakes: readonly Live[]): string {
  const [{ kind, key } = { kind: "", key: "" }] = namesakes;
  const ids = namesakes.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const which = ids.length > 0 ? ` (ids ${ids.join(", ")})` : "";
  return `the server has ${namesakes.length} ${sectionNameOf(catalogue, kind)} named ${key}${which}`;
}

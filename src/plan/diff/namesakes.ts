import type { Catalogue } from "../../model/catalogue.ts";
import { sectionNameOf } from "../../model/kinds.ts";
import type { Live } from "../../model/types.ts";

/** States that names of live resources differ only in case. */
export function describeCaseNamesakes(namesakes: readonly Live[]): string {
  const names = namesakes.map(({ key, id }) => (id === undefined ? key : `${key} (id ${id})`)).join(" and ");
  return `the server has ${names}, which differ only in case`;
}

/** States that several live resources of one kind have the same name. */
export function describeNamesakes(catalogue: Catalogue, namesakes: readonly Live[]): string {
  const [{ kind, key } = { kind: "", key: "" }] = namesakes;
  const ids = namesakes.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const which = ids.length > 0 ? ` (ids ${ids.join(", ")})` : "";
  return `the server has ${namesakes.length} ${sectionNameOf(catalogue, kind)} named ${key}${which}`;
}

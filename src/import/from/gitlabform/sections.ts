import { grouped } from "../../../base/grouped.ts";
import { isObject } from "../../../base/json.ts";
import { counted } from "../../../base/text.ts";
import { catalogueOf } from "../../../model/catalogue.ts";
import { policySections } from "../../../model/kinds.ts";
import type { Place, Problem } from "../../../model/types.ts";
import { notImported } from "../foreign.ts";

/** A key of `projects_and_groups` with all its sections; merge keys are gone. */
export interface WholeLevel {
  readonly sections: unknown;
  readonly place: (...path: string[]) => Place;
}

const known: ReadonlySet<string> = new Set(["integrations", "services", "inherit"]);

/** Sections about anything else, each once, at its first place. */
export function otherSections(levels: readonly WholeLevel[]): readonly Problem[] {
  const others = levels.flatMap(({ sections, place }) => {
    const names = isObject(sections) ? Object.keys(sections).filter((name) => !known.has(name)) : [];
    return names.map((name) => ({ name, place: place(name) }));
  });
  return [...grouped(others, ({ name }) => name)].flatMap(([name, [first, ...more]]) => {
    const count = counted(more.length + 1, "section");
    return first
      ? [
          notImported(
            first.place,
            `${name} is left out (${count}): policies are about ${policySections(catalogueOf())}`,
          ),
        ]
      : [];
  });
}

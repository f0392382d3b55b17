import { holdsIn } from "../model/dialect.ts";
import { dialects } from "../model/dialects.ts";

const facts = new Map([...dialects.values()].flatMap((dialect) => dialect.facts).map((fact) => [fact.id, fact]));

/** True if a fact about deployed servers, of any dialect, holds in a release. @throws RangeError for an unknown fact. */
export function holdsInRelease(id: string, release: string): boolean {
  const fact = facts.get(id);
  if (!fact) throw new RangeError(`no dialect states the fact ${id}`);
  return holdsIn(fact, release);
}

/** Event flags in responses of some release of deployed servers, beyond the specification. */
export const laterFlags: readonly string[] = [...facts.values()]
  .filter(({ says }) => says === "listed")
  .flatMap(({ of = [] }) => of.map((name) => name.replace("*.", "")));

/** The additional event flags in responses of a release of deployed servers, with their defaults. */
export function flagsListedIn(release: string): ReadonlyMap<string, boolean> {
  const listed = [...facts.values()].filter((fact) => fact.says === "listed" && holdsIn(fact, release));
  return new Map(
    listed.flatMap(({ of = [], initially = false }) => of.map((name) => [name.replace("*.", ""), initially])),
  );
}

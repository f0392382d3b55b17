import { holdsIn, type Span } from "../model/dialect.ts";
import { dialects } from "../model/dialects.ts";

const facts = new Map([...dialects.values()].flatMap((dialect) => dialect.facts).map((fact) => [fact.id, fact]));

/**
 * The releases in which something is true of deployed servers, whatever names they speak.
 * @throws RangeError for one that no dialect states.
 */
export function releasesOf(id: string): Span {
  const fact = facts.get(id);
  if (!fact) throw new RangeError(`no dialect states the fact ${id}`);
  return fact;
}

/** Every event flag that answers of deployed servers hold in some release beside those of the spec. */
export const laterFlags: readonly string[] = [...facts.values()]
  .filter(({ says }) => says === "listed")
  .flatMap(({ of = [] }) => of.map((name) => name.replace("*.", "")));

/** The event flags that answers of deployed servers of a release hold beside those of the spec, and what each is until it is set. */
export function flagsListedIn(release: string): ReadonlyMap<string, boolean> {
  const listed = [...facts.values()].filter((fact) => fact.says === "listed" && holdsIn(fact, release));
  return new Map(
    listed.flatMap(({ of = [], initially = false }) => of.map((name) => [name.replace("*.", ""), initially])),
  );
}

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

/** The event flags that answers of deployed servers of a release hold beside those of the spec, and what each is until it is set. */
export function flagsListedIn(release: string): ReadonlyMap<string, boolean> {
  const listed = [...facts.values()].filter((fact) => fact.says === "listed" && holdsIn(fact, release));
  return new Map(
    listed.flatMap(({ of = [], initially = false }) => of.map((name) => [name.replace("*.", ""), initially])),
  );
}

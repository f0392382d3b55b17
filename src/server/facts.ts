import type { Span } from "../model/dialect.ts";
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

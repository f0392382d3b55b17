import gitlab from "../../schemas/dialects/gitlab.json" with { type: "json" };
import type { Dialect } from "./dialect.ts";

/** The names of the specification itself; the default. */
export const neutral: Dialect = {
  name: "neutral",
  title: "the specification",
  description: "The names of the specification.",
  integrations: {},
  facts: [],
};

export function dialectNamed(name: string): Dialect {
  const dialect = dialects.get(name);
  if (!dialect) throw new RangeError(`unknown dialect ${name}`);
  return dialect;
}

/** The specification's own names, and one for each file of `schemas/dialects/`. */
export const dialects: ReadonlyMap<string, Dialect> = new Map(Object.entries({ neutral, gitlab: gitlab as Dialect }));

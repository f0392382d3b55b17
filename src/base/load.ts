import { createRequire } from "node:module";

/** Loads a package when it is first needed: Ajv and CEL take longer to load than most runs take, and few runs need them. */
export function load(name: string): ReturnType<NodeJS.Require> {
  return createRequire(import.meta.url)(name);
}

import { createRequire } from "node:module";

/** Loads a package on first use: loading Ajv and CEL takes longer than most runs, and few need them. */
export function load(name: string): ReturnType<NodeJS.Require> {
  return createRequire(import.meta.url)(name);
}

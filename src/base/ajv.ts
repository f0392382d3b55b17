type Compiler = typeof import("ajv")["Ajv"];

let load: (() => Compiler) | undefined;

/** Says how Ajv is loaded, which few runs need: what manifests are checked with was compiled when the program was built. */
export function useAjv(loadAjv: () => Compiler): void {
  load = loadAjv;
}

/** Ajv, loaded when it is first needed. @throws RangeError if an entry point does not say how. */
export function ajv(): Compiler {
  if (!load) throw new RangeError("nothing says how Ajv is loaded");
  return load();
}

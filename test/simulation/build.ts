import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

/** The program's modules as one process of it has them: its own copy of all that is not pure. */
export interface Program {
  readonly work: typeof import("../../src/run/workers/worker.ts").work;
  readonly apply: typeof import("../../src/run/apply.ts").apply;
  readonly plan: typeof import("../../src/run/plan.ts").plan;
  readonly validateWorkspace: typeof import("../../src/run/context.ts").validateWorkspace;
  readonly loadWorkspace: typeof import("../../src/workspace/load.ts").loadWorkspace;
  readonly createSecrets: typeof import("../../src/secrets/secrets.ts").createSecrets;
  readonly queuePlace: typeof import("../../src/run/workers/queue.ts").queuePlace;
  readonly claimFor: typeof import("../../src/state/lease.ts").claimFor;
  readonly UnavailableError: typeof import("../../src/base/exit.ts").UnavailableError;
  readonly LeaseLostError: typeof import("../../src/state/lease.ts").LeaseLostError;
}

/** What a process has of the world in place of Node's own: globals by their names, and modules by theirs. */
export interface Platform {
  readonly globals: Readonly<Record<(typeof globals)[number], unknown>>;
  readonly modules: Readonly<Record<string, unknown>>;
}

/** Starts a process: runs the program's modules in a world. */
export type Start = (platform: Platform) => Program;

/** A text of the source in whose place another stands. */
export interface Patch {
  /** Relative to `src`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const root = join(import.meta.dirname, "../..");
const source = join(root, "src");
const nodeRequire = createRequire(import.meta.url);

const globals = [
  ...["Date", "performance", "random", "setTimeout", "clearTimeout", "setInterval", "clearInterval", "opened"],
  "sharedState",
  ...["AbortController", "AbortSignal"],
] as const;

/** Folders without effects (src/README.md), which all processes share; what is learnt of secrets is each one's own. */
const pure = /^(?:model|base|plan|scan|manifest)\/(?!known-secrets)/;

const entry = `
export { work } from "./run/workers/worker.ts";
export { apply } from "./run/apply.ts";
export { plan } from "./run/plan.ts";
export { validateWorkspace } from "./run/context.ts";
export { loadWorkspace } from "./workspace/load.ts";
export { createSecrets } from "./secrets/secrets.ts";
export { queuePlace } from "./run/workers/queue.ts";
export { claimFor } from "./state/lease.ts";
export { UnavailableError } from "./base/exit.ts";
export { LeaseLostError } from "./state/lease.ts";`;

/** Bundles the program as it is in src, but for patches. */
export async function buildProgram(patches: readonly Patch[] = []): Promise<Start> {
  const shared = new Set<string>();
  const code = plainlyRequired(await bundled(entry, [patching([...always, ...patches]), sharing(shared)]));
  const pureModules = await sharedModules([...shared].sort());
  const run = new Function("require", "module", ...globals, code);
  return (platform) => {
    const module = { exports: {} as Program };
    const required = (name: string) => pureModules[name] ?? platform.modules[name] ?? nodeRequire(name);
    run(required, module, ...globals.map((name) => platform.globals[name]));
    return module.exports;
  };
}

/** Without a copy of each shared module for each process, whose parts would be slow to reach. */
function plainlyRequired(code: string): string {
  return code.replace(/__toESM\((require\("pure:[^"]*"\))\)/g, "$1");
}

/**
 * A workspace is opened by whoever made it, state included, and small shards do for small fleets; certificates have no
 * wire here, and machines no disk.
 */
const always: readonly Patch[] = [
  { file: "state/state-folder.ts", from: "makeFolder(dirname(file));\n      replaceFile(file, text, 0o600);", to: "" },
  { file: "run/workers/dispatcher.ts", from: "[minSize, maxSize] = [50, 200]", to: "[minSize, maxSize] = [2, 200]" },
  {
    file: "state/open-state.ts",
    from: "return stateAt(address.url, address.variable, name, env);",
    to: "return sharedState();",
  },
  {
    file: "run/workers/worker.ts",
    from: 'import { openWorkspace } from "../revisions.ts";',
    to: "const openWorkspace = opened;",
  },
  {
    file: "run/open-run.ts",
    from: 'import { openWorkspace } from "./revisions.ts";',
    to: "const openWorkspace = opened;",
  },
];

/** Of each entry of `names`, all that it exports. */
let kept: Promise<Record<string, unknown>> | undefined;
let keptNames = "";

function sharedModules(names: readonly string[]): Promise<Record<string, unknown>> {
  if (keptNames !== names.join()) kept = loadShared(names);
  keptNames = names.join();
  return kept as Promise<Record<string, unknown>>;
}

async function loadShared(names: readonly string[]): Promise<Record<string, unknown>> {
  const code = await bundled(
    names
      .map((name, index) => `export * as m${index} from "${/\.(?:ts|json)$/.test(name) ? "./" : ""}${name}";`)
      .join("\n"),
    [],
  );
  const module = { exports: {} as Record<string, unknown> };
  new Function("require", "module", code)(nodeRequire, module);
  return Object.fromEntries(
    names.map((name, index) => [`pure:${name}`, { __esModule: true, ...(module.exports[`m${index}`] as object) }]),
  );
}

async function bundled(contents: string, plugins: readonly Plugin[]): Promise<string> {
  const made = await build({
    stdin: { contents, resolveDir: source, loader: "ts" },
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    target: "node20",
    define: { "Math.random": "random", "import.meta.url": JSON.stringify(pathToFileURL(source)) },
    supported: { "dynamic-import": false },
    external: ["undici", "pg", "bullmq", "ioredis"],
    logLevel: "warning",
    plugins: [...plugins],
  });
  return made.outputFiles[0]?.text ?? "";
}

function sharing(found: Set<string>): Plugin {
  return {
    name: "share",
    setup: ({ onResolve }) => {
      onResolve({ filter: /^[a-z@]/ }, ({ path, resolveDir, kind }) => {
        if (kind === "entry-point" || resolveDir.includes("node_modules")) return undefined;
        if (/^node:|^(?:undici|pg|bullmq|ioredis)$/.test(path)) return undefined;
        found.add(path);
        return { path: `pure:${path}`, external: true };
      });
      onResolve({ filter: /^\..*\.(?:ts|json)$/ }, ({ path, resolveDir }) => {
        const file = relative(source, join(resolveDir, path));
        if (!pure.test(file)) return undefined;
        found.add(file);
        return { path: `pure:${file}`, external: true };
      });
    },
  };
}

function patching(patches: readonly Patch[]): Plugin {
  return {
    name: "patch",
    setup: ({ onLoad }) => {
      const left = new Set(patches);
      onLoad({ filter: /src\/(?:\w+\/)*[\w-]+\.ts$/ }, ({ path }) => {
        const own = [...left].filter(({ file }) => file === relative(source, path));
        if (own.length === 0) return undefined;
        let text = readFileSync(path, "utf8");
        for (const patch of own) {
          if (!text.includes(patch.from))
            throw new Error(`${patch.file} does not hold ${JSON.stringify(patch.from)} any more`);
          text = text.replace(patch.from, () => patch.to);
        }
        return { contents: text, loader: "ts" };
      });
    },
  };
}

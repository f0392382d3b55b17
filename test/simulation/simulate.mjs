// npm run simulate -- [--seeds N] [--from N] | --seed N | --bugs [--only BEGINNING] [--from N]: see test/README.md.
import { mkdirSync, rmSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const cache = fileURLToPath(new URL("../../node_modules/.cache/", import.meta.url));
const outfile = `${cache}evenkeel-simulation-${process.pid}.mjs`;
mkdirSync(cache, { recursive: true });
await build({
  entryPoints: [`${here}run.ts`],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  packages: "external",
  define: { "import.meta.dirname": JSON.stringify(here) },
  logLevel: "warning",
});
try {
  await import(pathToFileURL(outfile).href);
} finally {
  rmSync(outfile);
}

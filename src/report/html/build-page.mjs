// Bundles page/ into page.json, which html.ts imports: `npm run build:page`.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const folder = join(import.meta.dirname, "page");
const made = join(import.meta.dirname, "page.json");

/** The oldest browsers that have everything the scripts call. */
const browsers = ["chrome117", "firefox119", "safari17.4"];

const { outputFiles } = await build({
  entryPoints: [join(folder, "main.ts"), join(folder, "page.css")],
  outdir: folder,
  bundle: true,
  minify: true,
  format: "iife",
  target: browsers,
  charset: "utf8",
  write: false,
});
const textOf = (ending) => outputFiles.find(({ path }) => path.endsWith(ending)).text.trimEnd();
const body = readFileSync(join(folder, "body.html"), "utf8").trimEnd();
const json = `${JSON.stringify({ body, script: textOf(".js"), style: textOf(".css") })}\n`;

// Left alone where it is up to date, so that a build never takes the file away from a run of the tests.
if (!existsSync(made) || readFileSync(made, "utf8") !== json) writeFileSync(made, json);
